package providertest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// The suite proves nothing with a server that takes anything.

func TestPairs(t *testing.T) {
	call := func(ids ...string) providers.Message {
		m := providers.Message{Role: providers.RoleAssistant}
		for _, id := range ids {
			m.Blocks = append(m.Blocks, providers.Block{Type: providers.BlockToolCall, ID: id, Name: "f"})
		}
		return m
	}
	result := func(ids ...string) providers.Message {
		m := providers.Message{Role: providers.RoleTool}
		for _, id := range ids {
			m.Blocks = append(m.Blocks, providers.Block{Type: providers.BlockToolResult, CallID: id})
		}
		return m
	}
	user := providers.UserText("x")
	for _, c := range []struct {
		name     string
		messages []providers.Message
		want     string
	}{
		{"right", []providers.Message{user, call("a", "b"), result("b", "a"), call("a"), result("a"), user}, ""},
		{"unanswered", []providers.Message{user, call("a", "b"), result("a"), user}, `no result for call "b"`},
		{"unanswered at the end", []providers.Message{user, call("a")}, `no result for call "a"`},
		{"answered twice", []providers.Message{user, call("a"), result("a", "a")}, `result for call "a", which is not open`},
		{"unknown", []providers.Message{user, call("a"), result("z")}, `result for call "z", which is not open`},
		{"answered too late", []providers.Message{user, call("a"), user, result("a")}, `no result for call "a"`},
		{"no id", []providers.Message{user, call(""), result("")}, "no id"},
		{"one id for two", []providers.Message{user, call("a", "a"), result("a", "a")}, "taken"},
	} {
		err := CheckPairs(c.messages)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestRefusedRequests(t *testing.T) {
	responses := &Responses{sent: map[string]string{"rs_1": `{"type":"reasoning","id":"rs_1","summary":[]}`}}
	for _, c := range []struct {
		name    string
		dialect Dialect
		body    string
		want    string
	}{
		{"no JSON", Chat{}, `{`, "unexpected end"},
		{"no model", Chat{}, `{"stream":true,"messages":[{"role":"user","content":"x"}]}`, "no model"},
		{"no stream", Chat{}, `{"model":"m","messages":[{"role":"user","content":"x"}]}`, "stream"},
		{"a role that is none", Chat{}, `{"model":"m","stream":true,"messages":[{"role":"me","content":"x"}]}`, `role "me"`},
		{"an empty answer", Chat{}, `{"model":"m","stream":true,"messages":[{"role":"assistant"}]}`, "without content"},
		{"a call without its reasoning", Chat{Reasons: true}, `{"model":"m","stream":true,"messages":[{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f"}}]}]}`, "reasoning_content"},
		{"a choice without tools", Chat{}, `{"model":"m","stream":true,"tool_choice":"none","messages":[{"role":"user","content":"x"}]}`, "without tools"},
		{"a choice of an unknown tool", Chat{}, `{"model":"m","stream":true,"tool_choice":{"type":"function","function":{"name":"g"}},"tools":[{"type":"function","function":{"name":"f"}}],"messages":[{"role":"user","content":"x"}]}`, "no tool of the request"},
		{"a tool with a bad name", Chat{}, `{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"a b"}}],"messages":[{"role":"user","content":"x"}]}`, `tool "a b"`},
		{"a schema without a name", Chat{}, `{"model":"m","stream":true,"response_format":{"type":"json_schema"},"messages":[{"role":"user","content":"x"}]}`, "response_format"},
		{"an unknown item", responses, `{"model":"m","stream":true,"input":[{"type":"message","id":"msg_9","role":"assistant","content":[]}]}`, "not found"},
		{"a changed item", responses, `{"model":"m","stream":true,"input":[{"type":"reasoning","id":"rs_1","summary":[1]},{"role":"assistant","content":"x"}]}`, "not as it was sent"},
		{"reasoning before a user", responses, `{"model":"m","stream":true,"input":[{"type":"reasoning","id":"rs_1","summary":[]},{"role":"user","content":"x"}]}`, "required following item"},
		{"reasoning at the end", responses, `{"model":"m","stream":true,"input":[{"role":"user","content":"x"},{"type":"reasoning","id":"rs_1","summary":[]}]}`, "required following item"},
		{"a format without a schema", responses, `{"model":"m","stream":true,"text":{"format":{"type":"json_schema","name":"x"}},"input":"x"}`, "text.format"},
	} {
		asked, err := c.dialect.Read([]byte(c.body))
		if err == nil {
			err = asked.check()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestAcceptedRequests(t *testing.T) {
	for _, c := range []struct {
		name    string
		dialect Dialect
		body    string
	}{
		{"chat", Chat{}, `{"model":"m","stream":true,"messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"x"}]}]}`},
		{"responses", new(Responses), `{"model":"m","stream":true,"instructions":"s","input":[{"role":"user","content":[{"type":"input_text","text":"x"}]}],"text":{"verbosity":"low"}}`},
	} {
		asked, err := c.dialect.Read([]byte(c.body))
		if err == nil {
			err = asked.check()
		}
		if err != nil || asked.System != "s" || outline(asked.Messages) != "user: x\n" || asked.Choice != "auto" {
			t.Errorf("%s: %+v, error %v", c.name, asked, err)
		}
	}
}

// TestEventLog shows that events which do not fit the message are found.
func TestEventLog(t *testing.T) {
	block := providers.Block{Type: providers.BlockText, Text: "ab"}
	message := providers.Message{Blocks: []providers.Block{block}}
	start := providers.Event{Type: providers.BlockStarted}
	delta := func(text string) providers.Event { return providers.Event{Type: providers.BlockDelta, Delta: text} }
	finish := providers.Event{Type: providers.BlockFinished, Block: block}
	for _, c := range []struct {
		name string
		log  eventLog
		want bool
	}{
		{"right", eventLog{start, delta("a"), delta("b"), finish}, true},
		{"no start", eventLog{delta("ab"), finish}, false},
		{"started twice", eventLog{start, start, delta("ab"), finish}, false},
		{"never finished", eventLog{start, delta("ab")}, false},
		{"too late", eventLog{start, delta("ab"), finish, delta("c")}, false},
		{"a delta is missing", eventLog{start, delta("a"), finish}, false},
		{"nothing", nil, false},
	} {
		if complaint := c.log.complaint(message); (complaint == "") != c.want {
			t.Errorf("%s: complaint %q", c.name, complaint)
		}
	}
}

func TestStreamsAreWritten(t *testing.T) {
	for name, dialect := range map[string]Dialect{"chat": Chat{}, "responses": new(Responses)} {
		var b bytes.Buffer
		dialect.Write(&b, Reply{Thinking: "hm", Text: "Hällo, wörld", Calls: []Call{{"c", "f", `{"a":1}`}}})
		if n := strings.Count(b.String(), "\n\n"); n < 8 {
			t.Errorf("%s: %d events", name, n)
		}
	}
}

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
	responses := &Responses{memory{sent: map[string]string{"rs_1": `{"type":"reasoning","id":"rs_1","summary":[]}`}}}
	messages := &Messages{memory{sent: map[string]string{"S": "hm"}, behind: map[string]string{"c": "S"}}}
	claude := func(said string) string {
		return `{"model":"m","stream":true,"max_tokens":9,"messages":[` + said + `]}`
	}
	const user, called = `{"role":"user","content":"x"}`, `{"type":"tool_use","id":"c","name":"f","input":{}}`
	const thought, answered = `{"type":"thinking","thinking":"hm","signature":"S"}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r"}]}`
	answer := func(blocks string) string {
		return claude(user + `,{"role":"assistant","content":[` + blocks + `]},` + answered)
	}
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
		{"no limit", messages, `{"model":"m","stream":true,"messages":[` + user + `]}`, "max_tokens"},
		{"roles that do not alternate", messages, claude(user + `,` + user), "must alternate"},
		{"an answer first", messages, claude(`{"role":"assistant","content":"x"},` + user), "must alternate"},
		{"an answer last", messages, claude(user + `,{"role":"assistant","content":"x"}`), "end with a user message"},
		{"an empty message", messages, claude(`{"role":"user","content":[]}`), "non-empty content"},
		{"a blank text", messages, claude(`{"role":"user","content":[{"type":"text","text":" "}]}`), "non-whitespace"},
		{"a call unanswered", messages, claude(user + `,{"role":"assistant","content":[` + thought + `,` + called + `]},` + user), `no result for call "c"`},
		{"a call answered twice", messages, strings.Replace(answer(thought+`,`+called), `"content":"r"}`, `"content":"r"},{"type":"tool_result","tool_use_id":"c","content":"r"}`, 1), "which is not open"},
		{"a result that is not first", messages, strings.Replace(answer(thought+`,`+called), `[{"type":"tool_result"`, `[{"type":"text","text":"x"},{"type":"tool_result"`, 1), "must come first"},
		{"an empty failure", messages, strings.Replace(answer(thought+`,`+called), `"content":"r"`, `"is_error":true`, 1), "content of the result"},
		{"a signature that is missing", messages, answer(`{"type":"thinking","thinking":"hm"},` + called), "invalid signature"},
		{"a signature that is changed", messages, answer(`{"type":"thinking","thinking":"hm","signature":"T"},` + called), "invalid signature"},
		{"a thought that is changed", messages, answer(`{"type":"thinking","thinking":"Hm","signature":"S"},` + called), "invalid signature"},
		{"a call without its thought", messages, answer(called), "without the thinking block"},
		{"a marked thought", messages, answer(`{"type":"thinking","thinking":"hm","signature":"S","cache_control":{"type":"ephemeral"}},` + called), "cache_control may not"},
		{"an id with a colon", messages, strings.ReplaceAll(answer(thought+`,`+called), `"c"`, `"c:0"`), "should match pattern"},
		{"one id for two calls", messages, answer(thought + `,` + called + `,` + called), "must be unique"},
		{"an input that is no object", messages, strings.Replace(answer(thought+`,`+called), `"input":{}`, `"input":"x"`, 1), "valid dictionary"},
		{"too many marks", messages, claude(user)[:len(claude(user))-1] + `,"tools":[` + strings.Repeat(`{"cache_control":1,"name":"f","input_schema":{"type":"object"}},`, 5) + `{}]}`, "cache_control"},
		{"thinking beyond the limit", messages, claude(user)[:len(claude(user))-1] + `,"thinking":{"type":"enabled","budget_tokens":2000}}`, "budget of 2000"},
		{"thinking and a temperature", messages, claude(user)[:len(claude(user))-1] + `,"temperature":0,"thinking":{"type":"adaptive"}}`, "temperature"},
		{"thinking and a forced tool", messages, claude(user)[:len(claude(user))-1] + `,"thinking":{"type":"adaptive"},"tool_choice":{"type":"any"}}`, "forces tool use"},
		{"thinking in the middle of a turn", messages, strings.Replace(answer(strings.Replace(called, `"c"`, `"d"`, 1)), `"max_tokens":9`, `"max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":2000}`, 1), "expected thinking"},
		{"an open schema", messages, claude(user)[:len(claude(user))-1] + `,"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}}`, "additionalProperties"},
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
		{"messages", new(Messages), `{"model":"m","stream":true,"max_tokens":9,"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"output_config":{"effort":"low"}}`},
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
	for name, dialect := range map[string]Dialect{"chat": Chat{}, "responses": new(Responses), "messages": new(Messages)} {
		var b bytes.Buffer
		dialect.Write(&b, Reply{Thinking: "hm", Text: "Hällo, wörld", Calls: []Call{{"c", "f", `{"a":1}`}}})
		if n := strings.Count(b.String(), "\n\n"); n < 8 {
			t.Errorf("%s: %d events", name, n)
		}
	}
}

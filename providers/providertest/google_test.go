package providertest

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Parts of the conversations below. The signed ones were sent by a dialect before.
const (
	hiGoogle     = `{"role":"user","parts":[{"text":"x"}]}`
	callGoogle   = `{"functionCall":{"id":"a","name":"f","args":{"n":1}},"thoughtSignature":"S"}`
	secondGoogle = `{"functionCall":{"id":"b","name":"g"}}`
	answerGoogle = `{"functionResponse":{"id":"a","name":"f","response":{"output":"r"}}}`
	otherGoogle  = `{"functionResponse":{"id":"b","name":"g","response":{"error":"e"}}}`
)

// contents writes a conversation: parts of the user and the model by turns, after
// the first question.
func contents(turns ...string) []byte {
	list := []string{hiGoogle}
	for i, parts := range turns {
		role := "model"
		if i%2 == 1 {
			role = "user"
		}
		list = append(list, fmt.Sprintf(`{"role":%q,"parts":[%s]}`, role, parts))
	}
	return []byte(`{"contents":[` + strings.Join(list, ",") + `]}`)
}

func signedBefore() *Google {
	return &Google{memory: memory{sent: map[string]string{
		"S": `{"functionCall":{"id":"a","name":"f","args":{"n":1}}}`,
		"T": `{"text":""}`,
	}}}
}

func TestRefusedByGoogle(t *testing.T) {
	for _, c := range []struct {
		name, body, want string
	}{
		{"no JSON", `{`, "unexpected end"},
		{"the model begins", `{"contents":[{"role":"model","parts":[{"text":"x"}]}]}`, `role "model"`},
		{"a role that is none", `{"contents":[{"role":"tool","parts":[{"text":"x"}]}]}`, `role "tool"`},
		{"one side twice", `{"contents":[` + hiGoogle + `,` + hiGoogle + `]}`, `after one of role "user"`},
		{"no parts", `{"contents":[{"role":"user","parts":[]}]}`, "0 parts"},
		{"an empty text", string(contents(`{"text":""}`, `{"text":"y"}`)), "empty text"},
		{"a part that is two", `{"contents":[{"role":"user","parts":[{"text":"x","functionCall":{"name":"f"}}]}]}`, "2 of the fields"},
		{"a part that is none", `{"contents":[{"role":"user","parts":[{"thought":true}]}]}`, "0 of the fields"},
		{"the model ends", string(contents(`{"text":"y"}`)), `last content is of role "model"`},
		{"unanswered", string(contents(callGoogle, `{"text":"y"}`)), "number of function response parts (0)"},
		{"half answered", string(contents(callGoogle+","+secondGoogle, answerGoogle)), "number of function response parts (1)"},
		{"answered twice", string(contents(callGoogle, answerGoogle+","+answerGoogle)), "number of function response parts (2)"},
		{"a text before the answer", string(contents(callGoogle, `{"text":"y"},`+answerGoogle)), "number of function response parts (0)"},
		{"answered in another order", string(contents(callGoogle+","+secondGoogle, otherGoogle+","+answerGoogle)), "in the place of"},
		{"answered under another name", string(contents(callGoogle, strings.Replace(answerGoogle, `"f"`, `"g"`, 1))), "in the place of"},
		{"answered without its id", string(contents(callGoogle, strings.Replace(answerGoogle, `"id":"a",`, "", 1))), "in the place of"},
		{"a response by the model", string(contents(answerGoogle, `{"text":"y"}`)), "by the model"},
		{"arguments that are no object", string(contents(strings.Replace(callGoogle, `{"n":1}`, `[1]`, 1), answerGoogle)), "not on"},
		{"a signature is missing", string(contents(strings.Replace(callGoogle, `,"thoughtSignature":"S"`, "", 1), answerGoogle)), "missing a thought_signature"},
		{"a signature is changed", string(contents(strings.Replace(callGoogle, `"S"`, `"s"`, 1), answerGoogle)), "not valid"},
		{"a signature is moved", string(contents(secondGoogle[:len(secondGoogle)-1]+`,"thoughtSignature":"S"}`, otherGoogle)), "not on"},
		{"a signature is moved to a text", string(contents(`{"text":"y","thoughtSignature":"T"}`, `{"text":"z"}`)), "not on"},
		{"a signature is skipped", string(contents(strings.Replace(callGoogle, `"S"`, `"`+skipSignature+`"`, 1), answerGoogle)), "not valid"},
		{"a changed call", string(contents(strings.Replace(callGoogle, `"n":1`, `"n":2`, 1), answerGoogle)), "not on"},
		{"a function with a bad name", `{"contents":[` + hiGoogle + `],"tools":[{"functionDeclarations":[{"name":"a b"}]}]}`, `tool "a b"`},
		{"parameters that are none", `{"contents":[` + hiGoogle + `],"tools":[{"functionDeclarations":[{"name":"a","parametersJsonSchema":"x"}]}]}`, `tool "a"`},
		{"a schema without its type", `{"contents":[` + hiGoogle + `],"generationConfig":{"responseJsonSchema":{}}}`, "whose type"},
		{"a system prompt that is none", `{"contents":[` + hiGoogle + `],"systemInstruction":{"parts":[{"functionCall":{"name":"f"}}]}}`, "systemInstruction"},
	} {
		_, err := signedBefore().Read([]byte(c.body))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestAcceptedByGoogle(t *testing.T) {
	skipped := strings.Replace(secondGoogle, `"g"}`, `"g"},"thoughtSignature":"`+skipSignature+`"`, 1)
	for _, c := range []struct {
		name string
		body []byte
		want string
	}{
		{"signed", contents(callGoogle+","+secondGoogle, answerGoogle+","+otherGoogle+`,{"text":"y"}`),
			"user: x\ncall a f {\"n\":1}\ncall b g {}\nresult a r\nresult b e\nuser: y\n"},
		{"signed at its end", contents(`{"text":"y"},{"text":"","thoughtSignature":"T"}`, `{"text":"z"}`), "user: x\nassistant: y\nuser: z\n"},
		{"another's", contents(skipped, otherGoogle), "user: x\ncall b g {}\nresult b e\n"},
		{"code", contents(`{"executableCode":{"code":"1"}},{"codeExecutionResult":{}},{"text":"h","thought":true}`, `{"text":"y"}`), "user: x\nuser: y\n"},
	} {
		asked, err := signedBefore().Read(c.body)
		if err != nil || outline(asked.Messages) != c.want || CheckPairs(asked.Messages) != nil {
			t.Errorf("%s: %q, error %v; want %q", c.name, outline(asked.Messages), err, c.want)
		}
	}
}

func TestCallsWithoutIDs(t *testing.T) {
	body := contents(`{"functionCall":{"name":"f"}},{"functionCall":{"name":"f"}}`,
		`{"functionResponse":{"name":"f","response":{"output":"1"}}},{"functionResponse":{"name":"f","response":{"output":"2"}}}`)
	asked, err := (&Google{Older: true}).Read(body)
	if err != nil {
		t.Fatal(err)
	}
	meant := []providers.Message{providers.UserText("x"), {Role: providers.RoleAssistant}, {Role: providers.RoleTool}}
	for i, id := range []string{"made-up-1", "made-up-2"} {
		meant[1].Blocks = append(meant[1].Blocks, providers.Block{Type: providers.BlockToolCall, ID: id, Name: "f", Arguments: []byte("{}")})
		meant[2].Blocks = append(meant[2].Blocks, providers.Block{Type: providers.BlockToolResult, CallID: id, Content: fmt.Sprint(i + 1)})
	}
	if got, want := outline(asked.Messages), outline(aligned("", meant, asked.Messages)); got != want {
		t.Errorf("read:\n%s\nwant:\n%s", got, want)
	}
	if meant[1].Blocks[0].ID != "made-up-1" {
		t.Error("what was meant is changed")
	}
	if _, err := new(Google).Read(body); err == nil {
		t.Error("Gemini 3 takes a call without its signature")
	}
}

func TestLocatedByGoogle(t *testing.T) {
	for _, c := range []struct {
		url   string
		wants bool
	}{
		{"http://h/v1beta/models/m:streamGenerateContent?alt=sse", true},
		{"http://h/v1beta/models/m:streamGenerateContent", false},
		{"http://h/v1beta/models/m:generateContent?alt=sse", false},
		{"http://h/v1beta/models/m:streamGenerateContent?alt=sse&key=AIza", false},
	} {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := readRequest(new(Google), u, []byte(`{"contents":[`+hiGoogle+`]}`))
		if ok := err == nil && asked.Stream && asked.Model == "m"; ok != c.wants {
			t.Errorf("%s: %+v, error %v", c.url, asked, err)
		}
	}
}

func TestWrittenByGoogle(t *testing.T) {
	var b bytes.Buffer
	(&Google{SignsText: true}).Write(&b, Reply{Thinking: "hm", Text: "Hällo", Calls: []Call{{"a", "f", `{"n": 1}`}, {"b", "f", ""}}})
	for _, piece := range []string{
		`{"text": "hm", "thought": true}`, `{"text": "Hällo"}`, `{"text": "", "thoughtSignature": "`, `"args": {"n": 1}`, `"finishReason": "STOP"`,
	} {
		if strings.Count(b.String(), piece) != 1 {
			t.Errorf("%s is not there once:\n%s", piece, b.String())
		}
	}
}

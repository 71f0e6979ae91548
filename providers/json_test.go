package providers

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
)

// lines are messages beside the lines of a transcript that they are.
var lines = []struct {
	name    string
	message Message
	line    string
}{
	{"user", UserText("Say <hello> & go."), `{"role":"user","blocks":[{"type":"text","text":"Say <hello> & go."}]}`},
	{"system", Message{Role: "system", Blocks: []Block{{Type: BlockText}}}, `{"role":"system","blocks":[{"type":"text"}]}`},
	{"empty answer", Message{Role: RoleAssistant, Finish: FinishStop},
		`{"role":"assistant","finish":"stop"}`},
	{"answer", Message{
		Role: RoleAssistant, Provider: "openai", Model: "openai/gpt-5", Finish: FinishToolCalls,
		Usage: Usage{InputTokens: 9, OutputTokens: 4, CachedInputTokens: 8, CacheWriteTokens: 1, CacheWrite1h: 1, ReasoningTokens: 3},
		Blocks: []Block{
			{Type: BlockThinking, Raw: json.RawMessage(`{"encrypted_content":"gAAA+/="}`)},
			{Type: BlockThinking, Text: "Let me see."},
			{Type: BlockText, Text: "Reading.", Raw: json.RawMessage(`{"id":"msg_1"}`)},
			{Type: BlockToolCall, ID: "call_1", Name: "read", Arguments: json.RawMessage(`{"filePath":"a.md","n":12345678901234567890}`)},
			{Type: BlockToolCall, ID: "call_2", Name: "list", Arguments: json.RawMessage(`{}`)},
		},
	}, `{"role":"assistant","blocks":[{"type":"thinking","raw":{"encrypted_content":"gAAA+/="}},` +
		`{"type":"thinking","text":"Let me see."},` +
		`{"type":"text","text":"Reading.","raw":{"id":"msg_1"}},` +
		`{"type":"tool_call","id":"call_1","name":"read","arguments":{"filePath":"a.md","n":12345678901234567890}},` +
		`{"type":"tool_call","id":"call_2","name":"list","arguments":{}}],` +
		`"provider":"openai","model":"openai/gpt-5","finish":"tool_calls",` +
		`"usage":{"input_tokens":9,"output_tokens":4,"cached_input_tokens":8,"cache_write_tokens":1,"cache_write_1h_tokens":1,"reasoning_tokens":3}}`},
	{"results", Message{Role: RoleTool, Blocks: []Block{
		{Type: BlockToolResult, CallID: "call_1", Name: "read", Content: "fine"},
		{Type: BlockToolResult, CallID: "call_2", Name: "bash", Content: "denied", Error: true},
	}}, `{"role":"tool","blocks":[{"type":"tool_result","call_id":"call_1","name":"read","content":"fine"},` +
		`{"type":"tool_result","call_id":"call_2","name":"bash","content":"denied","error":true}]}`},
	{"cut arguments", Message{Role: RoleAssistant, Finish: FinishLength, Blocks: []Block{
		{Type: BlockToolCall, ID: "c", Name: "write", Arguments: json.RawMessage(`{"filePath": "a.m`)},
	}}, `{"role":"assistant","blocks":[{"type":"tool_call","id":"c","name":"write","arguments_text":"{\"filePath\": \"a.m"}],"finish":"length"}`},
	{"raw that is no JSON", Message{Role: RoleUser, Blocks: []Block{{Type: BlockText, Raw: json.RawMessage("data: x")}}},
		`{"role":"user","blocks":[{"type":"text","raw_text":"data: x"}]}`},
}

func TestTranscriptLines(t *testing.T) {
	for _, tt := range lines {
		t.Run(tt.name, func(t *testing.T) {
			got, err := jsonline.Encode(tt.message)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.line, string(got)); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
			var back Message
			if err := json.Unmarshal(got, &back); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.message, back); diff != "" {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTranscriptLineOfHostileBytes(t *testing.T) {
	m := Message{Role: RoleAssistant, Blocks: []Block{
		{Type: BlockText, Text: "a\xffb\u2028\x00"},
		{Type: BlockToolCall, ID: "\xfe", Name: "x", Arguments: json.RawMessage("{\"a\": \"\xff\"}"), Raw: json.RawMessage("\"\xff\"")},
		{Type: BlockToolCall, ID: "y", Name: "x", Arguments: json.RawMessage(" ")},
		{Type: BlockToolCall, ID: "z", Name: "x", Arguments: json.RawMessage("{\n \"a\":\n1}")},
	}}
	line, err := jsonline.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	if !utf8.Valid(line) || strings.ContainsAny(string(line), "\n\x00") {
		t.Errorf("not one line of valid text: %q", line)
	}
	var back Message
	if err := json.Unmarshal(line, &back); err != nil {
		t.Fatal(err)
	}
	if got := back.Text(); got != "a\uFFFDb\u2028\x00" {
		t.Errorf("got text %q", got)
	}
	calls := back.Calls()
	if got := string(calls[0].Arguments); got != "{\"a\":\"\uFFFD\"}" {
		t.Errorf("got arguments %q", got)
	}
	if got := string(calls[1].Arguments); got != "{}" {
		t.Errorf("got %q for no arguments at all", got)
	}
}

func TestTranscriptLineThatIsNone(t *testing.T) {
	for _, line := range []string{
		`{}`, `[]`, `{"role":"user","blocks":[{}]}`, `{"role":"user","blocks":[{"type":"image"}]}`,
		`{"role":"user","blocks":[{"type":"text","text":1}]}`, `{"role":"user","usage":[]}`, `{"role":"user","blocks":{}}`,
	} {
		var m Message
		if err := json.Unmarshal([]byte(line), &m); err == nil {
			t.Errorf("%s is read as %+v", line, m)
		}
	}
	if _, err := jsonline.Encode(Message{Role: RoleUser, Blocks: []Block{{Type: "image"}}}); err == nil {
		t.Error("a block of an unknown type is written")
	}
}

func FuzzMessageJSON(f *testing.F) {
	for _, tt := range lines {
		f.Add([]byte(tt.line))
	}
	f.Add([]byte(`{"role":"user","blocks":[{"type":"tool_call","arguments":null,"raw":null}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var m, again Message
		if json.Unmarshal(line, &m) != nil {
			return
		}
		first, err := jsonline.Encode(m)
		if err != nil {
			t.Fatalf("what was read is not writable: %v", err)
		}
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		second, err := jsonline.Encode(again)
		if err != nil || string(second) != string(first) {
			t.Errorf("%s\nbecame, %v\n%s", first, err, second)
		}
	})
}

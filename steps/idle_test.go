package steps

import (
	"context"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Each text ends with a call of a tool, which no service has turned into one.
func TestTextsThatAreCalls(t *testing.T) {
	offered := map[string]bool{"read": true, "repo_list-files": true}
	for name, text := range map[string]string{
		"a tag with JSON":                   `<tool_call>{"name":"read","arguments":{"path":"a.txt"}}</tool_call>`,
		"over several lines, after prose":   "I will check.\n\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}\n</tool_call>\n",
		"on the line of the prose":          `I will check. <tool_call>{"name":"read","arguments":{}}</tool_call>`,
		"without the end of the tag":        `<tool_call>{"name":"read","arguments":{"path":"a"}}`,
		"JSON that is not quite one":        "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"text\": \"one\ntwo\"}}\n</tool_call>",
		"the last of two":                   "<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>\n<tool_call>{\"name\":\"read\",\"arguments\":{\"n\":2}}</tool_call>",
		"arguments that hold a tag":         `<tool_call>{"name":"read","arguments":{"text":"<tool_call> is a tag"}}</tool_call>`,
		"invoke":                            "Let me look.\n<invoke name=\"read\">\n<parameter name=\"path\">a.txt</parameter>\n</invoke>",
		"invoke, wrapped":                   "<function_calls>\n<invoke name=\"read\">\n<parameter name=\"path\">a</parameter>\n</invoke>\n</function_calls>",
		"invoke, with a prefix":             `<x:invoke name="repo_list-files"></x:invoke>`,
		"invoke, with bars":                 "<｜DSML｜invoke name=\"read\">\n<｜DSML｜parameter name=\"path\">a</｜DSML｜parameter>\n</｜DSML｜invoke>",
		"function":                          "<function=read>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>",
		"function within a call":            "<tool_call>\n<function=read>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>",
		"function with JSON":                `<function=read>{"path":"a.txt"}</function>`,
		"function without an end":           `<function=read>{"path":"a.txt"}`,
		"a name and parts":                  "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
		"a name as an element":              "<tool_use><name>read</name><arguments>{}</arguments></tool_use>",
		"a mark and a list":                 `[TOOL_CALLS][{"name": "read", "arguments": {"path": "a"}}]`,
		"a mark and a name":                 `[TOOL_CALLS]read{"path": "a"}`,
		"a fence":                           "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}\n```",
		"a fence that is not closed":        "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}",
		"a fence with a tag":                "```xml\n<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>\n```",
		"a fence with a wrapped call":       "```\n<function_calls>\n<invoke name=\"read\">\n</invoke>\n</function_calls>\n```",
		"plain JSON":                        `{"name": "read", "arguments": {"path": "a.txt"}}`,
		"plain JSON, with parameters":       `{"type": "function", "name": "read", "parameters": {"path": "a.txt"}}`,
		"plain JSON, as in the wire format": `{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]}`,
	} {
		if writtenCall(text, offered) == "" {
			t.Errorf("%s: not found in %q", name, text)
		}
	}
}

// No text is a call that quotes one, goes on after it, or means another thing.
func TestTextsThatAreNoCalls(t *testing.T) {
	offered := map[string]bool{"read": true}
	for name, text := range map[string]string{
		"nothing":                       "",
		"a list of tools":               `[{"name":"read","description":"Reads a file.","parameters":{"type":"object"}}]`,
		"a tool":                        `{"type":"function","function":{"name":"read","description":"Reads a file.","parameters":{"type":"object"}}}`,
		"prose":                         "Done. (See <b>a.txt</b>.)",
		"prose goes on":                 "<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>\nThat was the call, and it failed.",
		"prose goes on, with a tag":     "<invoke name=\"read\">\n</invoke>\nis a call; see <b>below</b>",
		"a tag in a sentence":           `Its log ends with <invoke name="read">`,
		"a tag and braces":              `Write <invoke name="read"> and then {path}`,
		"in quotes":                     `The model wrote "<tool_call>{"name":"read","arguments":{}}</tool_call>"`,
		"in backquotes":                 "The model wrote `<function=read>{\"path\":\"a\"}</function>`",
		"a quoted line":                 "The log says:\n\n> <tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>",
		"an indented line":              "A call is written so:\n\n    <tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>",
		"an example in a fence":         "For example:\n```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.txt\"}}\n```",
		"an example with a tag":         "A file is read like this:\n\n```xml\n<invoke name=\"read\">\n<parameter name=\"path\">a</parameter>\n</invoke>\n```",
		"an example that is announced":  "Let me show you an example:\n```\n<function=read>{\"path\":\"a\"}</function>\n```",
		"a fence that is announced":     "I'll read it first:\n\n```json\n{\"name\": \"read\", \"arguments\": {}}\n```",
		"an example as JSON":            "The request of the client:\n{\"name\": \"read\", \"arguments\": {}}",
		"a fence in the middle":         "I'll read it:\n```json\n{\"name\":\"read\",\"arguments\":{}}\n```\nIt had three lines.",
		"the name of no tool":           `<tool_call>{"name":"write","arguments":{}}</tool_call>`,
		"the name of no tool, in a tag": "<invoke name=\"write\">\n</invoke>",
		"the name of no tool, as JSON":  `{"name": "write", "arguments": {}}`,
		"a description of a function":   `{"name": "read", "description": "reads", "arguments": ["path"]}`,
		"an object with a name":         `{"name": "read", "version": 3}`,
		"a list of names":               `["read", "write"]`,
		"HTML":                          "<function>read the file</function>",
	} {
		if found := writtenCall(text, offered); found != "" {
			t.Errorf("%s: found a call of %s in %q", name, found, text)
		}
	}
}

// TestManyTags: a text full of tags is judged soon; see maxOpenings.
func TestManyTags(t *testing.T) {
	text := strings.Repeat("<invoke name=\"read\">", 100_000) + ">"
	if name := writtenCall(text, map[string]bool{"read": true}); name != "" {
		t.Errorf("found a call of %s", name)
	}
}

const callOfEcho = `I will check. <tool_call>{"name":"echo","arguments":{"a":1}}</tool_call>`

func TestIdleTurns(t *testing.T) {
	written := says(callOfEcho)
	noCall := answer(providers.FinishToolCalls, providers.Block{Type: providers.BlockText, Text: "Reading."})
	nothing := answer(providers.FinishStop)
	thought := answer(providers.FinishStop, providers.Block{Type: providers.BlockThinking, Text: "so"})
	byScript := func(finish providers.Finish) play {
		return func(ctx context.Context, req providers.Request) (providers.Message, error) {
			m, err := answer(finish)(ctx, req)
			m.Provider = "script"
			return m, err
		}
	}
	good := []Check{{Name: "good", Run: func(context.Context, any, string) (Judgement, error) { return Judgement{Good: true}, nil }}}
	call := calls(`echo {}`)
	tests := []struct {
		name   string
		agent  Agent
		turns  []play
		status Status
		reason Reason
		text   string
		calls  int
	}{
		{"written, then called", Agent{}, []play{written, call, says("done")}, Succeeded, ReasonCompleted, "done", 1},
		{"written, then done", Agent{}, []play{written, says("done")}, Succeeded, ReasonCompleted, "done", 0},
		{"written twice", Agent{}, []play{written, written}, Failed, ReasonInvalidOutput, callOfEcho, 0},
		{"written twice, with checks", Agent{Checks: good}, []play{written, written}, Failed, ReasonInvalidOutput, callOfEcho, 0},
		{"written twice, with calls in between", Agent{}, []play{written, call, written, says("done")}, Succeeded, ReasonCompleted, "done", 1},
		{"written, at the limit", Agent{Stop: Stop{MaxTurns: 1}}, []play{written, says("so far")}, Stopped, ReasonMaxTurns, "so far", 0},
		{"written in the last turn", Agent{Stop: Stop{MaxTurns: 1, AcceptLimit: true}}, []play{call, written}, Stopped, ReasonMaxTurns, callOfEcho, 1},
		{"written, when a condition holds", Agent{Stop: Stop{When: func(State) (bool, error) { return true, nil }}}, []play{written, says("done")}, Succeeded, ReasonCondition, "done", 0},
		{"written for a schema", Agent{Output: schema(t, scoreSchema)}, []play{written, says(`{"score":4}`)}, Succeeded, ReasonCompleted, `{"score":4}`, 0},
		{"written for a schema, twice", Agent{Output: schema(t, scoreSchema)}, []play{written, written}, Failed, ReasonInvalidOutput, callOfEcho, 0},
		{"written as JSON", Agent{Output: Output{Kind: OutputJSON}}, []play{says(`{"name":"echo","arguments":{}}`), says(`{}`)}, Succeeded, ReasonCompleted, `{}`, 0},
		{"a result that has the form of a call", Agent{Output: schema(t, `{"type":"object","required":["name","arguments"]}`)}, []play{says(`{"name":"echo","arguments":{}}`)}, Succeeded, ReasonCompleted, `{"name":"echo","arguments":{}}`, 0},

		{"no call, then a call", Agent{}, []play{noCall, call, says("done")}, Succeeded, ReasonCompleted, "done", 1},
		{"no call, nor a text", Agent{}, []play{answer(providers.FinishToolCalls), says("done")}, Succeeded, ReasonCompleted, "done", 0},
		{"no call, twice", Agent{Checks: good}, []play{noCall, noCall}, Failed, ReasonInvalidOutput, "Reading.", 0},
		{"no call, by a script", Agent{}, []play{byScript(providers.FinishToolCalls), says("done")}, Succeeded, ReasonCompleted, "done", 0},
		{"no call, but what fits the schema", Agent{Output: schema(t, scoreSchema)}, []play{answer(providers.FinishToolCalls, providers.Block{Type: providers.BlockText, Text: `{"score":4}`})}, Succeeded, ReasonCompleted, `{"score":4}`, 0},

		{"empty after a result, then done", Agent{}, []play{call, nothing, says("done")}, Succeeded, ReasonCompleted, "done", 1},
		{"empty after a result, then a call", Agent{}, []play{call, nothing, call, says("done")}, Succeeded, ReasonCompleted, "done", 2},
		{"empty after a result, twice", Agent{}, []play{call, nothing, nothing}, Failed, ReasonInvalidOutput, "", 1},
		{"only thoughts after a result, twice", Agent{}, []play{call, thought, thought}, Failed, ReasonInvalidOutput, "", 1},
		{"empty after a result, and checked", Agent{Checks: good}, []play{call, nothing, nothing}, Succeeded, ReasonCompleted, "", 1},
		{"empty after a result, by a script", Agent{}, []play{call, byScript(providers.FinishStop)}, Succeeded, ReasonCompleted, "", 1},
		{"empty at first", Agent{}, []play{nothing}, Succeeded, ReasonCompleted, "", 0},
		{"empty after a written call", Agent{}, []play{written, nothing}, Failed, ReasonInvalidOutput, callOfEcho, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l log
			model := playing(tt.turns...)
			a := tt.agent
			a.Model, a.Prompt, a.Tools, a.Hooks = model, "go", toolbox(t), l.hooks()
			r := a.Run(t.Context())
			if r.Status != tt.status || r.StopReason != tt.reason || r.Text != tt.text || r.ToolCalls != tt.calls || len(model.asked) != len(tt.turns) {
				t.Errorf("%s, %s, %q, %d calls after %d requests: %v", r.Status, r.StopReason, r.Text, r.ToolCalls, len(model.asked), r.Error)
			}
			if r.Status == Failed {
				checkError(t, r, KindInvalidOutput)
			}
			checkEveryCallAnswered(t, model)
		})
	}
}

// A file with such a text that a tool returns is only what the tool returned.
func TestACallInAResult(t *testing.T) {
	quoting := calls(`echo {"text":"<tool_call>{\"name\":\"echo\",\"arguments\":{}}</tool_call>"}`)
	r := (&Agent{Model: playing(quoting, says("It is a call.")), Prompt: "go", Tools: toolbox(t)}).Run(t.Context())
	if r.Status != Succeeded || r.Turns != 2 {
		t.Errorf("%s after %d turns: %v", r.Status, r.Turns, r.Error)
	}
}

// The question counts like any turn, also for the step's budget.
func TestAskingOnceMoreIsATurn(t *testing.T) {
	r := (&Agent{Model: playing(says(callOfEcho), says("done")), Prompt: "go", Tools: toolbox(t)}).Run(t.Context())
	if r.Turns != 2 || r.Usage.InputTokens != 20 {
		t.Errorf("%d turns, used %+v", r.Turns, *r.Usage)
	}
}

// on_limit: accept takes an answer that was cut off, if it fits and nothing else is wrong.
func TestAcceptedCutAnswers(t *testing.T) {
	cutOff := func(text string) play {
		return answer(providers.FinishLength, providers.Block{Type: providers.BlockText, Text: text})
	}
	bad := []Check{{Name: "bad", Run: func(context.Context, any, string) (Judgement, error) { return Judgement{Problem: "no"}, nil }}}
	tests := []struct {
		name   string
		agent  Agent
		turns  []play
		status Status
		reason Reason
	}{
		{"a text", Agent{}, []play{cutOff("so far")}, Succeeded, ReasonOutputLimit},
		{"a text that a check refuses", Agent{Checks: bad}, []play{cutOff("so far")}, Stopped, ReasonOutputLimit},
		{"JSON that fits", Agent{Output: schema(t, scoreSchema)}, []play{cutOff(`{"score":4}`)}, Succeeded, ReasonOutputLimit},
		{"half of a JSON value", Agent{Output: schema(t, scoreSchema)}, []play{cutOff(`{"sco`)}, Stopped, ReasonOutputLimit},
		{"nothing", Agent{}, []play{answer(providers.FinishLength)}, Stopped, ReasonOutputLimit},
		{"calls", Agent{}, []play{answer(providers.FinishLength, blocks(`echo {"a`)...), answer(providers.FinishLength, append(blocks(`echo {"a`), providers.Block{Type: providers.BlockText, Text: "x"})...)}, Stopped, ReasonOutputLimit},
		{"the last turn", Agent{Stop: Stop{MaxTurns: 1}}, []play{calls(`echo {}`), cutOff("so far")}, Succeeded, ReasonMaxTurns},
		{"a budget", Agent{Hooks: Hooks{Reserve: func(context.Context, Estimate) (Grant, error) {
			return Grant{OutputTokens: 20, Settle: func([]Spent) {}}, nil
		}}}, []play{cutOff("so far")}, Stopped, ReasonBudget},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := tt.agent
			a.Model, a.Prompt, a.Tools, a.Stop.AcceptLimit = playing(tt.turns...), "go", toolbox(t), true
			if r := a.Run(t.Context()); r.Status != tt.status || r.StopReason != tt.reason || !r.Partial {
				t.Errorf("%s, %s, partial %t: %v", r.Status, r.StopReason, r.Partial, r.Error)
			}
		})
	}
}

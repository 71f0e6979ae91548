package steps

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
)

// How a result with a schema comes to be, by a model that obeys a schema and by
// one that is offered a tool for it.
func TestStructuredOutput(t *testing.T) {
	one := map[string]any{"score": 4}
	cut := answer(providers.FinishLength, blocks(`final_result {"sco`)...)
	tests := []struct {
		name   string
		tool   bool // the model needs a tool
		turns  []play
		stop   Stop
		status Status
		reason Reason
		output any
		made   int
		calls  int
	}{
		{name: "at once", turns: []play{says(`{"score":4}`)}, status: Succeeded, reason: ReasonCompleted, output: one, made: 1},
		{name: "in a fence", turns: []play{says("Here it is:\n```json\n{\"score\":4}\n```")}, status: Succeeded, reason: ReasonCompleted, output: one, made: 1},
		{name: "repaired", turns: []play{says(`{"score":6}`), says("four"), says(`{"score":4}`)}, status: Succeeded, reason: ReasonCompleted, output: one, made: 3},
		{name: "never fits", turns: []play{says(`{"score":6}`), says(`{"score":7}`), says(`{}`), says(`{"score":4}`)}, status: Failed, reason: ReasonInvalidOutput, made: 3},
		{name: "an empty text misfits", turns: []play{answer(providers.FinishStop), says(`{"score":4}`)}, status: Succeeded, reason: ReasonCompleted, output: one, made: 2},
		{name: "wrapped up", turns: []play{calls(`echo {}`), says(`{"score":4}`)}, stop: Stop{MaxTurns: 1}, status: Stopped, reason: ReasonMaxTurns, output: one, made: 1, calls: 1},
		{name: "wrapped up and accepted", turns: []play{calls(`echo {}`), says(`{"score":4}`)}, stop: Stop{MaxTurns: 1, AcceptLimit: true}, status: Succeeded, reason: ReasonMaxTurns, output: one, made: 1, calls: 1},
		{name: "a misfit is not accepted", turns: []play{calls(`echo {}`), says(`no`)}, stop: Stop{MaxTurns: 1, AcceptLimit: true}, status: Stopped, reason: ReasonMaxTurns, made: 1, calls: 1},
		{name: "a misfit at max_turns is wrapped up", turns: []play{says(`no`), says(`{"score":4}`)}, stop: Stop{MaxTurns: 1}, status: Stopped, reason: ReasonMaxTurns, output: one, made: 1},
		{name: "on_tool asks for the result", turns: []play{calls(`echo {}`), says(`{"score":4}`)}, stop: Stop{OnTool: []string{"echo"}, MaxTurns: 1}, status: Succeeded, reason: ReasonTool, output: one, made: 2, calls: 1},
		{name: "on_tool repairs", turns: []play{calls(`echo {}`), says(`?`), says(`{"score":4}`)}, stop: Stop{OnTool: []string{"echo"}}, status: Succeeded, reason: ReasonTool, output: one, made: 3, calls: 1},
		{name: "on_tool takes no answer that is cut off", turns: []play{calls(`echo {}`), answer(providers.FinishLength, providers.Block{Type: providers.BlockText, Text: `{"score":4}`})}, stop: Stop{OnTool: []string{"echo"}}, status: Stopped, reason: ReasonOutputLimit, output: one, made: 2, calls: 1},
		{name: "on_tool runs no call after it", turns: []play{calls(`echo {}`), calls(`breaks {}`), says(`{"score":4}`)}, stop: Stop{OnTool: []string{"echo"}}, status: Succeeded, reason: ReasonTool, output: one, made: 3, calls: 2},
		{name: "on_tool gives up", turns: []play{calls(`echo {}`), says(`?`), says(`?`), says(`?`)}, stop: Stop{OnTool: []string{"echo"}}, status: Failed, reason: ReasonInvalidOutput, made: 4, calls: 1},

		{name: "tool: at once", tool: true, turns: []play{calls(`final_result {"score":4}`)}, status: Succeeded, reason: ReasonCompleted, output: one, made: 1},
		{name: "tool: the text fits", tool: true, turns: []play{says(`{"score":4}`)}, status: Succeeded, reason: ReasonCompleted, output: one, made: 1},
		{name: "tool: forced", tool: true, turns: []play{says("Four, I think."), calls(`final_result {"score":4}`)}, status: Succeeded, reason: ReasonCompleted, output: one, made: 2},
		{name: "tool: repaired", tool: true, turns: []play{calls(`final_result {"score":9}`), calls(`final_result {"score":4}`)}, status: Succeeded, reason: ReasonCompleted, output: one, made: 2},
		{name: "tool: cut off", tool: true, turns: []play{cut, calls(`final_result {"score":4}`)}, status: Succeeded, reason: ReasonCompleted, output: one, made: 2},
		{name: "tool: never fits", tool: true, turns: []play{calls(`final_result {}`), calls(`final_result {}`), calls(`final_result {}`)}, status: Failed, reason: ReasonInvalidOutput, made: 3},
		{name: "tool: never called", tool: true, turns: []play{says("1"), says("2"), says("3"), says("4")}, status: Failed, reason: ReasonInvalidOutput, made: 4},
		{name: "tool: beside a call that worked", tool: true, turns: []play{calls(`echo {}`, `final_result {"score":4}`)}, status: Succeeded, reason: ReasonCompleted, output: one, made: 1, calls: 1},
		{name: "tool: beside a call that failed", tool: true, turns: []play{calls(`fail {}`, `final_result {"score":5}`), calls(`final_result {"score":4}`)}, status: Succeeded, reason: ReasonCompleted, output: one, made: 2, calls: 1},
		{name: "tool: twice, the last counts", tool: true, turns: []play{calls(`final_result {"score":5}`, `final_result {"score":4}`)}, status: Succeeded, reason: ReasonCompleted, output: one, made: 1},
		{name: "tool: wrapped up", tool: true, turns: []play{calls(`echo {}`), calls(`final_result {"score":4}`)}, stop: Stop{MaxTurns: 1}, status: Stopped, reason: ReasonMaxTurns, output: one, made: 1, calls: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l log
			model := playing(tt.turns...)
			model.info.StructuredOutput = !tt.tool
			a := Agent{Model: model, Prompt: "rate", Tools: toolbox(t), Output: schema(t, scoreSchema), Stop: tt.stop, Hooks: l.hooks()}
			r := a.Run(t.Context())
			if r.Status != tt.status || r.StopReason != tt.reason || r.Turns != tt.made || r.ToolCalls != tt.calls {
				t.Errorf("%s, %s, %d turns, %d calls; want %s, %s, %d, %d: %v", r.Status, r.StopReason, r.Turns, r.ToolCalls, tt.status, tt.reason, tt.made, tt.calls, r.Error)
			}
			if diff := cmp.Diff(tt.output, r.Output); diff != "" {
				t.Error(diff)
			}
			checkEveryCallAnswered(t, model)
		})
	}
}

func TestMisfitGoesBackInTheValidatorsWords(t *testing.T) {
	model := playing(says(`{"score":6}`), says(`{"score":4}`))
	a := Agent{Model: model, Prompt: "rate", Output: schema(t, scoreSchema)}
	a.Run(t.Context())
	said := lastSaid(model.asked[1])
	if !strings.Contains(said, "/score") || !strings.Contains(said, "5") {
		t.Errorf("the model was told %q", said)
	}
}

func TestHowTheResultIsAskedFor(t *testing.T) {
	model := playing(says("Four."), calls(`final_result {"score":4}`))
	model.info.StructuredOutput = false
	a := Agent{Model: model, Prompt: "rate", Output: schema(t, scoreSchema)}
	a.Run(t.Context())
	first, second := model.asked[0], model.asked[1]
	if first.Output != nil || first.Force != "" || len(first.Tools) != 1 || first.Tools[0].Name != "final_result" {
		t.Errorf("first request: %+v", first)
	}
	if second.Force != "final_result" {
		t.Errorf("the second request forces %q", second.Force)
	}

	native := playing(says(`{"score":4}`))
	a.Model = native
	a.Run(t.Context())
	if req := native.asked[0]; req.Output == nil || len(req.Tools) != 0 || string(req.Output.Schema) != scoreSchema {
		t.Errorf("a model that obeys a schema is asked with %+v", req)
	}

	alone := playing(says(`{"score":4}`), calls(`final_result {"score":4}`))
	alone.info.StructuredOutput, alone.info.StructuredAlone = false, true
	a.Model = alone
	a.Run(t.Context())
	if req := alone.asked[0]; req.Output == nil || len(req.Tools) != 0 {
		t.Errorf("a model that obeys a schema without tools is asked with %+v", req)
	}
	a.Tools = toolbox(t)
	a.Run(t.Context())
	if req := alone.asked[1]; req.Output != nil || req.Tools[len(req.Tools)-1].Name != "final_result" {
		t.Errorf("beside a tool it is asked with %+v", req)
	}
}

// A service that passes over a schema in the request, as llama.cpp's Responses
// API does, gives the result by a call.
func TestSchemaThatIsPassedOver(t *testing.T) {
	for _, tt := range []struct {
		name     string
		turns    []play
		tool     bool // takes the result in the end
		force    string
		messages int // in the last request
	}{
		{"words", []play{says("Four."), calls(`final_result {"score":4}`)}, true, "", 1},
		{"words once more", []play{says("Four."), says("Four!"), calls(`final_result {"score":4}`)}, true, "final_result", 3},
		{"JSON in a fence that misfits", []play{says("```json\n{\"score\":6}\n```"), says(`{"score":4}`)}, false, "", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			model := playing(tt.turns...)
			model.info.StructuredOutput, model.info.StructuredAlone = false, true
			var l log
			a := Agent{Model: model, Prompt: "rate", Output: schema(t, scoreSchema), Hooks: l.hooks()}
			r := a.Run(t.Context())
			last := model.asked[len(model.asked)-1]
			if r.Status != Succeeded || len(model.asked) != len(tt.turns) {
				t.Errorf("%s after %d requests: %v", r.Status, len(model.asked), r.Error)
			}
			if byTool := last.Output == nil && len(last.Tools) == 1; byTool != tt.tool || last.Force != tt.force || len(last.Messages) != tt.messages {
				t.Errorf("asked in the end with %+v", last)
			}
			checkEveryCallAnswered(t, model)
		})
	}
}

func TestResultToolTakesAFreeName(t *testing.T) {
	f := newForm(Output{Kind: OutputSchema, Source: []byte(scoreSchema)}, false, map[string]bool{"final_result": true})
	if f.tool == "final_result" || f.tool == "" {
		t.Errorf("the tool is called %q", f.tool)
	}
}

// Models take schemas of objects only; any other is put into one.
func TestSchemaOfAListIsWrapped(t *testing.T) {
	source := `{"type":"array","items":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"integer"}}}`
	for _, written := range []string{`{"result":[1,2]}`, `[1,2]`} {
		model := playing(says(written))
		a := Agent{Model: model, Prompt: "list", Output: schema(t, source)}
		r := a.Run(t.Context())
		if diff := cmp.Diff(any([]any{1, 2}), r.Output); diff != "" || r.Text != `[1,2]` {
			t.Errorf("%s: text %q, %s", written, r.Text, diff)
		}
		want := `{"$defs":{"n":{"type":"integer"}},"additionalProperties":false,"properties":{"result":{"items":{"$ref":"#/$defs/n"},"type":"array"}},"required":["result"],"type":"object"}`
		if got := string(model.asked[0].Output.Schema); got != want {
			t.Errorf("asked with %s", got)
		}
	}
}

func TestJSONWithoutASchema(t *testing.T) {
	model := playing(says("Sure!"), says("```\n{\"n\": 1}\n```"))
	a := Agent{Model: model, Prompt: "count", Output: Output{Kind: OutputJSON}}
	r := a.Run(t.Context())
	if diff := cmp.Diff(any(map[string]any{"n": 1}), r.Output); diff != "" || r.Turns != 2 {
		t.Errorf("%d turns, %s", r.Turns, diff)
	}
	if said := lastSaid(model.asked[1]); !strings.Contains(said, "not JSON") {
		t.Errorf("the model was told %q", said)
	}
}

// The schema that a model is shown is always one of an object.
func TestObjectSchema(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"an object", `{"type":"object","properties":{"b":{},"a":{}}}`, `{"type":"object","properties":{"b":{},"a":{}}}`},
		{"a list", `{"type":"array"}`, `{"additionalProperties":false,"properties":{"result":{"type":"array"}},"required":["result"],"type":"object"}`},
		{"no type", `{"enum":[1,2]}`, `{"additionalProperties":false,"properties":{"result":{"enum":[1,2]}},"required":["result"],"type":"object"}`},
		{"several types", `{"type":["object","null"]}`, `{"additionalProperties":false,"properties":{"result":{"type":["object","null"]}},"required":["result"],"type":"object"}`},
		{"definitions stay at the root", `{"$ref":"#/definitions/a","definitions":{"a":{"type":"string"}}}`, `{"additionalProperties":false,"definitions":{"a":{"type":"string"}},"properties":{"result":{"$ref":"#/definitions/a"}},"required":["result"],"type":"object"}`},
		{"no schema at all", `true`, `true`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, wrapped := objectSchema([]byte(tt.source))
			if string(got) != tt.want || wrapped != (tt.source != tt.want) {
				t.Errorf("got %s, wrapped %t", got, wrapped)
			}
		})
	}
}

func TestUnwrap(t *testing.T) {
	f := newForm(schema(t, `{"type":["object","array"]}`), true, nil)
	tests := []struct {
		text string
		want any
	}{
		{`{"result":[1]}`, []any{1}},
		{`{"result":{"result":1}}`, map[string]any{"result": 1}},
		{`[1]`, []any{1}},
		{`{"result":1}`, map[string]any{"result": 1}}, // does not fit without its wrapping
		{`{"other":1}`, map[string]any{"other": 1}},
		{`{"result":[1],"other":1}`, map[string]any{"result": []any{1}, "other": 1}},
	}
	for _, tt := range tests {
		got, err := f.parse(tt.text)
		if err != nil || !cmp.Equal(tt.want, got.value) {
			t.Errorf("%s is %v (%v), want %v", tt.text, got.value, err, tt.want)
		}
	}
}

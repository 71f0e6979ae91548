package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A counted dice counts how often it is thrown, and may have another name.
type counted struct {
	dice
	name   string
	throws *int
}

func (d counted) Spec() tools.Spec {
	spec := d.dice.Spec()
	spec.Name = d.name
	return spec
}

func (d counted) Run(ctx context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	*d.throws++
	return d.dice.Run(ctx, arguments, out)
}

// An unschemed tool has arguments of no kind.
type unschemed struct{ dice }

func (unschemed) Spec() tools.Spec { return tools.Spec{Name: "dice", Description: "Throws a dice."} }

// TestOwnTools: a tool in Go is checked, listed, judged and called as its rules say, also under
// those of a caller; without a rule it is denied.
func TestOwnTools(t *testing.T) {
	const step = "name: game\nsteps: [{id: throw, prompt: Throw., model: mine/player, tools: [dice]%s}]\n"
	const allowed = ", permissions: {dice: allow}"
	for _, tt := range []struct {
		name, file, used string
		step             string
		found            string // when it is loaded
		verdict          string
		offered, thrown  bool
	}{
		{"allowed", fmt.Sprintf(step, allowed), "", "throw", "", "allow", true, true},
		{"no rule", fmt.Sprintf(step, ""), "", "throw", `the model is not offered the tool "dice" of the step, because no rule allows it`, "deny", false, false},
		{"denied", fmt.Sprintf(step, ", permissions: {dice: deny}"), "", "throw", `is not offered the tool "dice"`, "deny", false, false},
		{"a catch-all", fmt.Sprintf(step, `, permissions: {"*": allow}`), "", "throw", "", "allow", true, true},
		{"used by one that allows it", "name: top\npermissions: {dice: allow}\nsteps: [{id: play, uses: used.yaml}]\n", fmt.Sprintf(step, allowed), "play/throw", "", "allow", true, true},
		{"used by one without a rule", "name: top\nsteps: [{id: play, uses: used.yaml}]\n", fmt.Sprintf(step, allowed), "play/throw", `is not offered the tool "dice", because no rule of "flow.yaml"`, "deny", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "flow.yaml", tt.file)
			put(t, "used.yaml", tt.used)
			env := variables(nil)
			throws := 0
			env.Tools, env.Models = []tools.Tool{counted{dice{}, "dice", &throws}}, []providers.Model{player()}
			w, found := host.Load("flow.yaml", host.LoadOptions{Environment: env})
			if w == nil || !strings.Contains(listed(found), tt.found) || tt.found == "" && len(found) > 0 {
				t.Fatalf("loaded with %s, want %s", listed(found), tt.found)
			}
			if wrong := w.Check(host.CheckOptions{}); len(wrong) > 0 {
				t.Error(wrong)
			}
			if j, err := w.Judge(host.StepCall{Step: tt.step, Tool: "dice", Argument: `{"sides": 6}`}); err != nil || j.Verdict.String() != tt.verdict {
				t.Errorf("judged as %s, %v", j.Verdict, err)
			}
			offers, err := w.Offers(t.Context(), nil, nil)
			if err != nil || len(offers) != 1 || tt.offered != slices.ContainsFunc(offers[0].Tools, func(o host.OfferedTool) bool { return o.Name == "dice" && o.Server == "" }) {
				t.Errorf("offers %+v, %v", offers, err)
			}
			h, err := host.Open(t.Context(), host.Options{Loaded: w, Dir: "run"})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			result, err := h.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if result.Status != steps.Succeeded || tt.thrown != (throws == 1) {
				t.Errorf("%s, thrown %d times", result.Status, throws)
			}
		})
	}
}

// TestOwnMistakes: what no workflow could name is told when one is loaded, and so is a name that
// is like one of the environment's.
func TestOwnMistakes(t *testing.T) {
	echo := func(ref string) providers.Model { return script.New(ref, script.Script{}) }
	const asks = "name: x\nsteps: [{prompt: x, model: %s}]\n"
	for _, tt := range []struct {
		name  string
		env   host.Environment
		file  string
		wants string
	}{
		{"no tool", host.Environment{Tools: []tools.Tool{nil}}, asks, "an entry has no tool"},
		{"no name", host.Environment{Tools: []tools.Tool{counted{name: "a b"}}}, asks, `tool "a b": a name is made of`},
		{"no schema", host.Environment{Tools: []tools.Tool{unschemed{}}}, asks, `tool "dice": schema`},
		{"a built-in name", host.Environment{Tools: []tools.Tool{counted{name: "patch"}}}, asks, `tool "patch": the name is reserved`},
		{"twice", host.Environment{Tools: []tools.Tool{counted{name: "dice"}, counted{name: "dice"}}}, asks, `tool "dice": there are two tools of that name`},
		{"no model", host.Environment{Models: []providers.Model{nil}}, asks, "a model is nil"},
		{"no reference", host.Environment{Models: []providers.Model{echo("echo")}}, asks, `the model "echo": expected provider/model`},
		{"a script", host.Environment{Models: []providers.Model{echo("script/echo")}}, asks, "script/ is for files"},
		{"a model twice", host.Environment{Models: []providers.Model{echo("mine/echo"), echo("mine/echo")}}, asks, `there are two models "mine/echo"`},
		{"another model", host.Environment{Models: []providers.Model{echo("mine/echo")}}, fmt.Sprintf(asks, "mine/ecko"), `the model "mine/ecko" is unknown (did you mean "mine/echo"?)`},
		{"another provider", host.Environment{Models: []providers.Model{echo("mine/echo")}}, fmt.Sprintf(asks, "mime/echo"), `the provider "mime" is not known (did you mean "mine/echo"?)`},
		{"another tool", host.Environment{Tools: []tools.Tool{counted{name: "dice"}}}, "name: x\nsteps: [{tool: dise, with: {sides: 6}}]\n", `there is no tool "dise" (did you mean "dice"?)`},
		{"another argument", host.Environment{Tools: []tools.Tool{counted{name: "dice"}}}, "name: x\nsteps: [{tool: dice, with: {side: 6}}]\n", `the tool "dice" has no argument "side"`},
		{"a custom tool", host.Environment{Tools: []tools.Tool{counted{name: "dice"}}}, "name: x\ncustom_tools: {dice: {description: x, run: x}}\nsteps: [{run: x}]\n", `the tool "dice" is built in already`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "flow.yaml", tt.file)
			env := variables(nil)
			env.Tools, env.Models = tt.env.Tools, tt.env.Models
			_, err := host.Open(t.Context(), host.Options{File: "flow.yaml", Environment: env, Dir: "run"})
			if err == nil || !strings.Contains(told(err), tt.wants) {
				t.Errorf("%v, want %s", told(err), tt.wants)
			}
		})
	}
}

// TestOwnModelBeside: a model in Go goes before those of a service by its reference alone, and
// no file can have a provider of that name.
func TestOwnModelBeside(t *testing.T) {
	t.Chdir(t.TempDir())
	env := variables(nil)
	played := script.Script{Steps: map[string][]script.Turn{
		script.AnyStep: {func(script.Scene) (script.Answer, error) { return script.Answer{Text: "It is me."}, nil }},
	}}
	env.Models = []providers.Model{script.New("openai/mine", played), script.New("mine/echo", played)}
	for _, tt := range []struct{ file, wants string }{
		{"name: x\nsteps: [{prompt: x, model: openai/mine}]\n", "It is me."},
		{"name: x\nsteps: [{prompt: x, model: openai/gpt-5}]\n", "OPENAI_API_KEY"},
		{"name: x\nproviders: {mine: {api: openai-chat, base_url: 'http://127.0.0.1:1', api_key_env: MINE}}\nsteps: [{prompt: x, model: mine/echo}]\n", `"mine" can't be the name of a provider`},
	} {
		put(t, "flow.yaml", tt.file)
		h, err := host.Open(t.Context(), host.Options{File: "flow.yaml", Environment: env})
		if err != nil {
			if !strings.Contains(told(err), tt.wants) {
				t.Errorf("%s: %v, want %s", tt.file, err, tt.wants)
			}
			continue
		}
		result, err := h.Run(t.Context())
		if err != nil || result.Text() != tt.wants {
			t.Errorf("%s: %v, %v", tt.file, result, err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

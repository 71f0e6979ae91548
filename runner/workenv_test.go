package runner

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// surrounded has a trial run in an environment of these variables.
func surrounded(tr *trial, variables map[string]string) {
	tr.change = func(o *Options) {
		o.LookupEnv = func(name string) (string, bool) { value, ok := variables[name]; return value, ok }
		o.EnvNames = func() (names []string) {
			for name := range variables {
				names = append(names, name)
			}
			return names
		}
		o.Environment = func(names []string, given map[string]string) []string {
			env := []string{"PATH=" + os.Getenv("PATH")}
			for _, name := range names {
				if value, ok := variables[name]; ok {
					env = append(env, name+"="+value)
				}
			}
			return append(env, onlyGiven(nil, given)...)
		}
	}
}

// TestGivenVariables: what commands and expressions see of the variables that a file
// and its steps name and give.
func TestGivenVariables(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"of the file", "env: {A: one, B: 2, C: true}\nsteps:\n  - run: echo $A $B $C ${{ env.A }}\n", "one 2 true one"},
		{"made of others", "env: [X, {A: \"${{ env.X }}-made\"}]\nsteps:\n  - run: echo $A $X\n", "x-made x"},
		{"in the place of others", "env: [X, {X: \"${{ env.X }}${{ env.X }}\"}]\nsteps:\n  - run: echo $X ${{ env.X }}\n", "xx xx"},
		{"nothing leaves it as it is", "env: [X, NO, {X: \"${{ env.NO }}\"}]\nsteps:\n  - run: echo $X\n", "x"},
		{"a pattern", "env: [CI_*]\nsteps:\n  - run: echo $CI_A ${CI_B} ${{ env.CI_A }} ${X:-none} ${{ env.CI_NONE ?? 'nil' }}\n", "a b a none nil"},
		{"of a step", "env: {A: file}\nsteps:\n  - {run: echo $A $X, env: [X, {A: \"${{ env.A }}-step\"}]}\n", "file-step x"},
		{"of that step alone", "steps:\n  - {run: 'true', env: {A: a}}\n  - run: echo ${A:-none}\n", "none"},
		{"of a group", "steps:\n  - env: {A: group}\n    steps:\n      - {run: echo $A $B, env: {B: \"${{ env.A }}-in\"}}\n", "group group-in"},
		{"of elements", "steps:\n  - {foreach: \"${{ [1, 2] }}\", run: 'echo $N', env: {N: \"n${{ item }}\"}}\n", `["n1","n2"]`},
		{"of a check", "model: openai/m\nsteps:\n  - {prompt: hi, env: {A: a}, checks: [{run: 'test $A = a'}, {expr: env.A == \"a\"}]}\n", "said: hi"},
		{"of a used workflow only its own", "env: {A: a}\nsteps:\n  - {uses: used.yaml}\n", "none x"},
		{"after its values", "env: {A: a}\nsteps:\n  - {run: 'echo $A', when: env.A == \"a\", foreach: ['x']}\n", `["a"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			surrounded(tr, map[string]string{"X": "x", "CI_A": "a", "CI_B": "b"})
			tr.write("used.yaml", "name: used\nenv: [X]\nsteps:\n  - run: echo ${A:-none} $X\n")
			r := tr.run("name: t\n" + tt.source)
			if r.Status != steps.Succeeded {
				t.Fatalf("%s: %+v", r.Status, r.Error)
			}
			if got, _, err := r.last.said(); got != tt.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// TestVariablesByAModelsInputs: where the inputs may be a model's they don't say what
// programs do.
func TestVariablesByAModelsInputs(t *testing.T) {
	for _, tt := range []struct {
		env     string
		foreign bool
		refused bool
	}{
		{"PATH: '${{ inputs.word }}'", true, true},
		{"PATH: '${{ inputs.word }}'", false, false},
		{"PATH: /bin", true, false},
		{"WORD: '${{ inputs.word }}'", true, false},
	} {
		tr := newTrial(t)
		tr.change = func(o *Options) { o.InputsForeign = tt.foreign }
		r := tr.run("name: t\ninputs: {word: {type: string, default: /bin}}\nsteps:\n  - {id: a, run: 'true', env: {" + tt.env + "}}\n")
		if refused := r.Error != nil && strings.Contains(r.Error.Message, "it changes what programs do, and a model may have chosen the inputs of this run"); refused != tt.refused || !refused && r.Error != nil {
			t.Errorf("%s, foreign %v: %v", tt.env, tt.foreign, r.Error)
		}
	}
}

// TestVariablesThatCantBe: a value that no variable can have fails the step that
// gives it, and says which it is.
func TestVariablesThatCantBe(t *testing.T) {
	for source, want := range map[string]string{
		`repeat("x", 200000)`:     "env.A: its value has 200,000 bytes, and a variable takes 102,400",
		`fromJSON("\"\\u0000\"")`: "NUL",
		`file("nowhere")`:         "flow.yaml:3:33: ",
		`fromJSON("{\"a\":1").a`:  "flow.yaml:3:33: ",
	} {
		tr := newTrial(t)
		r := tr.run("name: t\nsteps:\n  - {run: 'true', env: {A: '${{ " + source + " }}'}}\n")
		if r.Status != steps.Failed || r.Error.Kind != steps.KindInvalidWorkflow || !strings.Contains(r.Error.Message, want) {
			t.Errorf("%s: %s, %+v", source, r.Status, r.Error)
		}
	}
}

// TestSecretVariables: a value that is made of a secret, or is one by its name, is
// hidden wherever the run writes.
func TestSecretVariables(t *testing.T) {
	tr := newTrial(t)
	surrounded(tr, map[string]string{"KEY": "hunter2-key"})
	set := tr.change
	mask := tools.NewMask([]string{"hunter2-key"})
	tr.change = func(o *Options) { set(o); o.Mask = mask }
	tr.run(`
name: t
secrets: [KEY, TOKEN]
env: {REVERSED: "${{ join(reverse(split(env.KEY, '')), '') }}", OPEN: said-openly}
steps:
  - {id: login, run: echo token-of-this-run}
  - {run: 'echo $REVERSED $TOKEN $OPEN', env: {TOKEN: "${{ upper(steps.login.text) }}"}}
`)
	written := ""
	err := filepath.WalkDir(filepath.Join(tr.dir, "run"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		written += string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"yek-2retnuh", "TOKEN-OF-THIS-RUN", "hunter2-key"} {
		if strings.Contains(written, secret) {
			t.Errorf("%s is written", secret)
		}
	}
	if !strings.Contains(written, "said-openly") {
		t.Error("what is no secret is hidden")
	}
}

// TestWorkspaceOfAStep: steps and groups work inside of the workspace around them,
// where links lead, too.
func TestWorkspaceOfAStep(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"a command", "  - {run: 'basename $PWD', workspace: sub}\n", "sub"},
		{"expressions", "  - {run: 'echo ${{ file(\"name\") }} ${{ join(glob(\"*\"), \",\") }}', workspace: sub}\n", "in sub name"},
		{"a group", "  - workspace: sub\n    steps:\n      - {run: 'basename $PWD', workspace: in}\n", "in"},
		{"elements", "  - {foreach: ['.', sub], run: 'cat name', workspace: '${{ item }}'}\n", `["in top","in sub"]`},
		{"only it", "  - {run: 'true', workspace: sub}\n  - run: cat name\n", "in top"},
		{"used", "  - {uses: used.yaml, workspace: sub}\n", "in sub"},
		{"outside", "  - {run: pwd, workspace: ..}\n", "denied"},
		{"outside of the group's", "  - workspace: sub\n    steps:\n      - {run: pwd, workspace: ..}\n", "denied"},
		{"by a link", "  - {run: pwd, workspace: link}\n", "denied"},
		{"used, outside", "  - {uses: up.yaml, workspace: sub}\n", "denied"},
		{"where git keeps itself", "  - {run: pwd, workspace: .git/hooks}\n", "denied"},
		{"where runs are kept", "  - {run: pwd, workspace: sub/.FLOW}\n", "denied"},
		{"used, where git keeps itself", "  - {uses: used.yaml, workspace: .git}\n", "denied"},
		{"by a link to where git keeps itself", "  - {run: pwd, workspace: hooks}\n", "denied"},
		{"none", "  - {run: pwd, workspace: nowhere}\n", "invalid_input"},
		{"a file", "  - {run: pwd, workspace: name}\n", "invalid_input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.write("name", "in top")
			tr.write("sub/name", "in sub")
			tr.write("sub/in/.keep", "")
			tr.write("sub/.FLOW/.keep", "")
			tr.write(".git/hooks/.keep", "")
			tr.write("used.yaml", "name: used\nsteps:\n  - run: cat name\n")
			tr.write("up.yaml", "name: up\nworkspace: ..\nsteps:\n  - run: pwd\n")
			for name, to := range map[string]string{"link": "/", "hooks": ".git/hooks"} {
				if err := os.Symlink(to, tr.dir+"/"+name); err != nil {
					t.Fatal(err)
				}
			}
			r := tr.run("name: t\nsteps:\n" + tt.source)
			got := ""
			if r.Error != nil {
				got = string(r.Error.Kind)
			} else {
				got, _, _ = r.last.said()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q: %+v", got, tt.want, r.Error)
			}
		})
	}
}

// TestPlaceOfTools: tools work in the step's workspace with its variables, under rules
// that start at the workflow's.
func TestSurroundingsOfTools(t *testing.T) {
	tr := newTrial(t)
	tr.write("sub/.keep", "")
	var scopes []ToolScope
	surrounded(tr, map[string]string{"X": "x"})
	set := tr.change
	tr.change = func(o *Options) {
		set(o)
		found := o.Tools
		o.Tools = func(ctx context.Context, scope ToolScope) (Toolbox, error) {
			scopes = append(scopes, scope)
			return found(ctx, scope)
		}
	}
	tr.run("name: t\nsteps:\n  - {tool: look, workspace: sub, env: [X, {A: a}], permissions: {look: allow}}\n")
	if len(scopes) != 1 {
		t.Fatalf("%d scopes", len(scopes))
	}
	s := scopes[0]
	if s.Workspace != tr.dir+"/sub" || s.Layers[0].Workspace != tr.dir || !slices.Contains(s.Environment, "A=a") || !slices.Contains(s.Environment, "X=x") {
		t.Errorf("workspace %s, rules from %s, environment %v", s.Workspace, s.Layers[0].Workspace, s.Environment)
	}
}

// TestWhatCantBeDecided: no on_error continues where it can't be told which elements
// there are, or whether the step is due.
func TestWhatCantBeDecided(t *testing.T) {
	for name, step := range map[string]string{
		"foreach": "foreach: '${{ fromJSON(steps.a.text).list }}'",
		"when":    "foreach: ['x']\n    when: fromJSON(steps.a.text) == 1",
		"if":      "if: fromJSON(steps.a.text) == 1",
	} {
		tr := newTrial(t)
		r := tr.run("name: t\nsteps:\n  - {id: a, run: 'echo {'}\n  - id: b\n    on_error: continue\n    run: 'true'\n    " + step + "\n  - run: echo after\n")
		if r.Status != steps.Failed || r.Error == nil || r.Error.Kind != steps.KindInvalidWorkflow || r.Steps[2].Status != steps.Skipped {
			t.Errorf("%s: %s, %+v, then %s", name, r.Status, r.Error, r.Steps[2].Status)
		}
	}
}

// TestVariablesOfTheStart: the journal has the names of the variables that the file and
// its steps name and that were set, and not those that it gives.
func TestVariablesOfTheStart(t *testing.T) {
	tr := newTrial(t)
	surrounded(tr, map[string]string{"X": "x", "CI_A": "a", "CI_B": "b", "OTHER": "o"})
	tr.run("name: t\nenv: [X, NONE, {GIVEN: g}]\nsteps:\n  - {run: 'true', env: [CI_*]}\n")
	from, err := journal.OpenReader(tr.dir + "/run")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	first, err := from.At(0)
	if err != nil {
		t.Fatal(err)
	}
	data := from.Data(first)
	if want := `"environment":["CI_A","CI_B","X"]`; !strings.Contains(string(data), want) {
		t.Errorf("got %s, want %s in it", data, want)
	}
}

// Where a step works, and which variables it has, is evaluated once: also when the run
// is gone on with, and what that was made of is other now.
func TestSurroundingsAreEvaluatedOnce(t *testing.T) {
	const source = `
name: t
steps:
  - id: g
    workspace: "${{ trim(file('where')) }}"
    env: [{WHO: "${{ trim(file('who')) }}"}]
    steps:
      - {id: a, run: 'true'}
      - {id: b, run: 'echo "$(basename "$PWD") $WHO" >> ../said'}
  - {id: c, workspace: "${{ trim(file('where')) }}", env: [{WHO: "${{ trim(file('who')) }}"}], run: 'echo "$(basename "$PWD") $WHO" >> ../said'}
`
	set := func(tr *trial, where, who string) {
		surrounded(tr, map[string]string{"PATH": os.Getenv("PATH")})
		for _, name := range []string{"one/x", "two/x"} {
			tr.write(name, "")
		}
		tr.write("where", where)
		tr.write("who", who)
	}
	first := newTrial(t)
	set(first, "one", "me")
	if r := first.run(source); r.Status != steps.Succeeded {
		t.Fatal(r.Error)
	}
	run := filepath.Join(first.dir, "run")
	for n, line := range strings.Split(first.read(run), "\n") {
		if !strings.Contains(line, `"unit":"g/a"`) && !strings.Contains(line, `"unit":"c~1"`) {
			continue
		}
		dir := cutTo(t, run, n+1)
		tr := newTrial(t)
		set(tr, "two", "you")
		change := tr.change
		tr.change = func(o *Options) {
			change(o)
			o.Dir, o.Resume = dir, &Resumption{}
		}
		if _, err := tr.try(source); err != nil {
			t.Fatal(err)
		}
		if said, _, _ := strings.Cut(tr.file("said"), "\n"); said != "one me" {
			t.Errorf("after %.80s: %s", line, said)
		}
	}
}

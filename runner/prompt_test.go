package runner

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestWhatAModelIsTold: the system prompt is the step's own words, then the files of
// instructions in their order; values are cut as the step says, and the author's words are not.
func TestWhatAModelIsTold(t *testing.T) {
	long := strings.Repeat("line\n", workflows.MaxInPrompt/5)
	const cut = "line\nline\nline\nline\n… 52,426 lines (262,130 bytes) left out; the whole output is in outputs/1-"
	for _, tt := range []struct {
		name, source   string
		system, prompt string
	}{
		{"a prompt", "steps:\n  - {prompt: Look.}", "", "Look."},
		{"the workflow's words", "system: Be kind.\nsteps:\n  - {prompt: Look.}", "Be kind.", "Look."},
		{"the step's words", "system: Be kind.\nsteps:\n  - {prompt: Look., system: Be short.}", "Be short.", "Look."},
		{"instructions", "system: Be kind.\ninstructions: [DIR/b.md, DIR/a.md]\nsteps:\n  - {prompt: Look.}", "Be kind.\n\nB\n\nA", "Look."},
		{"instructions alone", "instructions: [DIR/a.md]\nsteps:\n  - {prompt: Look.}", "A", "Look."},
		{"by an expression", "inputs: {who: {type: string, default: a}}\ninstructions: ['DIR/${{ inputs.who }}.md']\nsteps:\n  - {prompt: 'You are ${{ inputs.who }}.'}", "A", "You are a."},
		{"a value that is cut", "steps:\n  - {prompt: \"Look: ${{ file('long.txt') }}\", truncate: {lines: 4}}", "", "Look: " + cut + "prompt.txt"},
		{"in system, too", "steps:\n  - {prompt: Look., system: \"See ${{ file('long.txt') }}\", truncate: {lines: 4}}", "See " + cut + "system.txt", "Look."},
		{"a value that is not too long", "steps:\n  - {prompt: \"Look: ${{ file('short.txt') }}\", truncate: {lines: 4}}", "", "Look: " + long},
		{"words that are long", "steps:\n  - {prompt: \"1\\n2\\n3\\n4\\n5\\n6\", truncate: {lines: 2}}", "", "1\n2\n3\n4\n5\n6"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.write("short.txt", long)
			tr.write("long.txt", long+"line\nline\n")
			tr.write("a.md", "A")
			tr.write("b.md", "B")
			var asked providers.Request
			tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
				asked = req
				return says("there"), nil
			}
			r := tr.run("name: t\nmodel: openai/m\n" + strings.ReplaceAll(tt.source, "DIR", tr.dir) + "\n")
			if r.Error != nil {
				t.Fatal(r.Error)
			}
			if diff := cmp.Diff([2]string{tt.system, tt.prompt}, [2]string{asked.System, asked.Messages[0].Blocks[0].Text}); diff != "" {
				t.Errorf("system and prompt (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEventsHideSecrets: whatever a secret gets into, nobody who follows a run is told it,
// and it is not in the run's folder.
func TestEventsHideSecrets(t *testing.T) {
	const secret = "tok-5f2e9c"
	tr := newTrial(t)
	turn := 0
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		switch turn++; {
		case req.Step == "fails":
			return providers.Message{}, &providers.Error{Kind: providers.KindProvider, Message: "no " + secret}
		case turn == 1:
			m := calls("look", "look")
			m.Blocks = append(m.Blocks, providers.Block{Type: providers.BlockText, Text: "I know " + secret}, providers.Block{Type: providers.BlockThinking, Text: "It is " + secret, Raw: json.RawMessage(`{"signed":"` + secret + `"}`)})
			m.Blocks[0].Arguments = json.RawMessage(`{"word":"` + secret + `"}`)
			return m, nil
		}
		return says("It is " + secret + "."), nil
	}
	tr.change = func(o *Options) {
		o.Mask = tools.NewMask([]string{secret})
		o.Secrets = map[string]string{"TOKEN": secret}
		o.Attach = func(warn func(string) bool) { warn("a server says " + secret) }
		o.Tools = func(context.Context, ToolScope) (Toolbox, error) {
			return Toolbox{Guard: ruledBy{"look: " + secret}, Find: func(name string) []tools.Tool { return []tools.Tool{echo{name}} }}, nil
		}
	}
	tr.run(`
name: t
model: openai/m
steps:
  - {id: ask, prompt: 'Say ` + secret + `.', tools: [look]}
  - {id: each, foreach: [` + secret + `], run: 'echo ${{ item }}; echo ${{ item }} >&2'}
  - {id: fails, prompt: hi, on_error: continue}
  - {id: stops, run: 'echo ` + secret + ` >&2; exit 3'}
`)
	hidden := 0
	for _, e := range tr.events {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), secret) {
			t.Errorf("it is told: %s", data)
		}
		hidden += strings.Count(string(data), "***")
	}
	if hidden < 10 {
		t.Errorf("it was hidden %d times: does the test say it?", hidden)
	}
	files, err := filepath.Glob(filepath.Join(tr.dir, "run", "*"))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "outputs") {
			continue
		}
		if strings.Contains(tr.file("run/"+filepath.Base(name)), secret) {
			t.Errorf("it is in %s", name)
		}
	}
}

// ruledBy allows all by a rule.
type ruledBy struct{ rule string }

func (r ruledBy) Decide(context.Context, string, json.RawMessage) tools.Decision {
	return tools.Decision{Verdict: tools.Allow, Rule: r.rule}
}
func (ruledBy) Offered(string) bool { return true }

// TestRunJSONIsAFile that ends with a line break, as text does.
func TestRunJSONIsAFile(t *testing.T) {
	tr := newTrial(t)
	tr.run("name: t\nsteps: [{id: a, run: 'true'}]\n")
	if data := tr.file("run/run.json"); !json.Valid([]byte(data)) || !strings.HasSuffix(data, "\n}\n") {
		t.Errorf("run.json is %q", data)
	}
}

// TestUntilThatCantBeEvaluated: a group whose rounds can't be judged fails by that.
func TestUntilThatCantBeEvaluated(t *testing.T) {
	r := newTrial(t).run("name: t\nenv: [N]\nsteps:\n  - {id: g, until: '[1][env.N ?? 3] == 1', max_rounds: 3, steps: [{id: a, run: echo in}]}\n  - {id: after, run: 'true'}\n")
	if r.Error == nil || r.Error.Kind != steps.KindInvalidWorkflow || !strings.HasPrefix(r.Error.Message, "flow.yaml:4:24: ") || statuses(r) != "g=failed g/a=succeeded after=skipped" {
		t.Errorf("%s: %+v", statuses(r), r.Error)
	}
}

package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/google/go-cmp/cmp"
)

// everyWork is a workflow with steps of all kinds that work, and all that a Work
// may have.
const everyWork = `
name: every
model: openai/m
env: [HOME_OF]
inputs: {word: {type: string, default: hi}, least: {type: integer, default: 2}}
system: You work on ${{ workflow.name }}.
permissions: {look: {"secret/**": deny, "*": allow}}
steps:
  - {id: list, run: "printf '%s\n' ${{ inputs.word }} b", output: lines, truncate: {lines: 10}}
  - id: each
    foreach: ${{ steps.list.output }}
    max_parallel: 1
    retry: {max_attempts: 2}
    model: [openai/m, openai/n]
    params: {temperature: 0.5, max_output_tokens: 100}
    prompt: Describe ${{ item }}, number ${{ index }}.
    tools: [look, {name: note, with: {place: "${{ item }}", n: 3}, max_calls: 2, truncate: {lines: 5}}]
    permissions: {note: allow}
    stop: {max_turns: 9, timeout: 5m, when: 'turn > inputs.least and len(steps.list.output) == 2'}
    output: {type: object, properties: {page: {type: string}}, required: [page]}
    checks:
      - expr: output.page startsWith item and len(steps.list.output) == inputs.least
      - run: test ${{ output.page }} = ${{ item }}.md && test ${{ index }} -lt ${{ inputs.least }}
  - {id: call, tool: look, with: {at: "${{ steps.list.output[0] }}", most: 3}}
  - id: g
    until: round == 2
    steps:
      - {id: round, run: "echo ${{ round }} $HOME_OF"}
outputs: {pages: "${{ map(steps.each.results, .output.page) }}", call: "${{ steps.call.text }}"}
`

// works are what the steps of a run came to, in the order of their units.
func works(t *testing.T, id string, pass func(*Work) (*Work, error)) (rendered []string, result *Result) {
	tr := newTrial(t)
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		item := strings.TrimSuffix(strings.Fields(req.Prompt)[1], ",")
		return says(fmt.Sprintf(`{"page": "%s.md"}`, item)), nil
	}
	tr.change = func(o *Options) {
		o.ID, o.Dir, o.MaxParallel = id, filepath.Join(tr.dir, "run-"+id), 1
		o.LookupEnv = func(name string) (string, bool) { return "here", true }
		o.Environment = func(names []string, _ map[string]string) []string {
			return []string{"PATH=" + os.Getenv("PATH"), names[0] + "=here"}
		}
		o.passWork = func(w *Work) (*Work, error) {
			data, err := json.MarshalIndent(w, "", " ")
			rendered = append(rendered, string(data))
			if err != nil {
				return nil, err
			}
			return pass(w)
		}
	}
	return rendered, tr.run(everyWork)
}

// A Work that was written and read is the same work; the same workflow gives the
// same Works in any run and any folder, and nothing of either is in them.
func TestWorkIsAValue(t *testing.T) {
	direct, first := works(t, "one", func(w *Work) (*Work, error) { return w, nil })
	decoded, second := works(t, "two", throughJSON)
	if diff := cmp.Diff(direct, decoded); diff != "" {
		t.Errorf("works of two runs (-one +two):\n%s", diff)
	}
	if len(direct) != 6 {
		t.Errorf("%d works, want those of six units", len(direct))
	}
	if want := "pages: [\"hi.md\",\"b.md\"]\ncall: echo {\"at\":\"hi\",\"most\":3}"; first.Text() != want || second.Text() != want {
		t.Errorf("got %q (%+v) and %q (%+v), want %q", first.Text(), first.Error, second.Text(), second.Error, want)
	}
	if got, want := statuses(second), statuses(first); got != want {
		t.Errorf("the decoded works came to %s, and those that were not written to %s", got, want)
	}
	all := strings.Join(direct, "\n")
	for _, part := range []string{"one", os.TempDir(), "HOME_OF=", "here"} {
		if strings.Contains(all, part) {
			t.Errorf("a work holds %q:\n%s", part, all)
		}
	}
	agent := direct[1]
	for _, part := range []string{
		`"prompt": "Describe hi, number 0."`, `"openai/n"`, `"system": "You work on every."`, `"n": 3`, `"secret/**: deny"`, `"*: allow"`,
		`"item": "hi"`, `"least": 2`, `"timeout_ns": 300000000000`, `"max_calls": 2`, `"folder": "."`, `"HOME_OF"`, `"temperature": 0.5`,
	} {
		if !strings.Contains(agent, part) {
			t.Errorf("the work of the agent has no %s:\n%s", part, agent)
		}
	}
}

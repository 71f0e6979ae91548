package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Steps of every kind, some of which do not succeed.
const ofAllKinds = `
name: all
model: fake/one
inputs: {given: {type: string, default: x}}
steps:
  - {id: agent, prompt: "x", tools: [look], retry: {max_attempts: 2, backoff: 1ms}}
  - {id: each, foreach: [1, 2], on_error: continue, run: "exit ${{ item - 1 }}"}
  - {id: again, until: "false", max_rounds: 2, on_error: continue, steps: [{id: in, tool: look}]}
  - {id: not, if: "false", run: "true"}
  - {id: gate, ask: "Go?", choices: ["yes", "no"], default: "no"}
  - {id: end, run: "echo out; echo err >&2; exit 1"}
outputs: {a: 1}
`

// valued are the keys whose values are flow's own words, too.
var valued = []string{"type", "kind", "status", "stop_reason", "finish", "block_type", "error_kind"}

// TestOwnWords: no secret hides a word that a result or an event is written with, or a part
// of one, for a workflow may name any value as one.
func TestOwnWords(t *testing.T) {
	tr := newTrial(t)
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		if len(req.Messages) == 0 {
			return calls("look"), nil
		}
		return says("done"), nil
	}
	tr.change = func(o *Options) {
		o.Question = func(_ context.Context, q *Question) (any, error) { return q.Parse("yes") }
	}
	r, err := tr.try(ofAllKinds)
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	if err := r.WriteJSON(&all, nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range tr.events {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(line)
	}
	records, err := os.ReadFile(filepath.Join(tr.dir, "run", "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all.Write(records)
	words := map[string]bool{}
	for _, found := range regexp.MustCompile(`"([a-z_0-9]+)":(?: ?"([a-z_]+)")?`).FindAllSubmatch(all.Bytes(), -1) {
		words[string(found[1])] = true
		words[string(found[2])] = slices.Contains(valued, string(found[1])) || words[string(found[2])]
	}
	if len(words) < 60 {
		t.Errorf("%d words are too few to be all: %v", len(words), words)
	}
	for word, own := range words {
		if own && tools.NewMask([]string{word}).String(word) != word {
			t.Errorf("%q can be hidden", word)
		}
	}
}

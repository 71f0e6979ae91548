package workflows

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A Digest is the digest of one piece of a file, such as inputs.to or steps.greet. It does
// not cover comments, layout, texts for models and people, nor what is compared in other
// ways: rules, tools, variables, bounds and scripts of run steps. The piece "prompts" covers
// the expressions in texts for models and people: they decide what leaves this machine.
type Digest struct {
	Piece  string
	SHA256 string   // in hex
	Keys   []string // of a step: its keys, each with the beginning of its own digest: if:1a2b3c4d
}

// Keys that no digest covers: at the top, in a step, and in an input, an agent or a tool.
var (
	undigestedTop  = []string{"description", "version", "system", "tools", "permissions", "sandbox", "budget", "secrets", "steps"}
	undigestedStep = []string{"label", "prompt", "system", "tools", "permissions", "run", "steps"}
	undigestedItem = []string{"description", "prompt", "system", "tools", "permissions"}
)

// digestsOf returns the digests of a file: of its keys in alphabetical order, then of its
// steps in the file's order, which decides what runs before what.
func digestsOf(root *tree.Node) []Digest {
	var all []Digest
	for _, e := range root.Entries {
		key := e.Key.Text
		switch {
		case slices.Contains(undigestedTop, key) || strings.HasPrefix(key, openPrefix):
		case e.Value.Kind == tree.KindMap && slices.Contains([]string{"inputs", "agents", "custom_tools"}, key):
			for _, item := range e.Value.Entries {
				all = append(all, Digest{Piece: key + "." + item.Key.Text, SHA256: digestOf(item.Value, undigestedItem...)})
			}
		default:
			all = append(all, Digest{Piece: key, SHA256: digestOf(e.Value)})
		}
	}
	slices.SortStableFunc(all, func(a, b Digest) int { return strings.Compare(a.Piece, b.Piece) })
	return digestSteps(all, root.Get("steps"), "steps.")
}

func digestSteps(all []Digest, steps *tree.Node, prefix string) []Digest {
	if steps == nil {
		return all
	}
	for i, step := range steps.Items {
		name := unnamedStep(i)
		if id := step.Get("id"); id != nil {
			name = id.Text
		}
		all = append(all, Digest{prefix + name, digestOf(step, undigestedStep...), keysOf(step)})
		all = digestSteps(all, step.Get("steps"), prefix+name+"/")
	}
	return all
}

// promptsOf inserts, before the digests of steps, that of the expressions in their texts
// for models and people, prompt files included. It adds nothing where there are none.
func promptsOf(all []Digest, steps []*Step) []Digest {
	sum, any := sha256.New(), false
	for _, step := range everyStep(steps) {
		texts := []*Template{step.Label}
		if step.Agent != nil {
			texts = append(texts, step.Agent.Prompt, step.Agent.System)
		}
		for i, text := range texts {
			if text == nil {
				continue
			}
			for _, e := range text.expressions() {
				fmt.Fprintf(sum, "%q %d %q\n", step.Path, i, strings.TrimSpace(e.Source))
				any = true
			}
		}
	}
	if !any {
		return all
	}
	at := slices.IndexFunc(all, func(d Digest) bool { return strings.HasPrefix(d.Piece, "steps.") })
	return slices.Insert(all, max(at, 0), Digest{Piece: "prompts", SHA256: hex.EncodeToString(sum.Sum(nil))})
}

// keysOf lists the keys that a step's digest covers, without its id, sorted.
func keysOf(step *tree.Node) (keys []string) {
	const shown = 8 // digits: they say which key it is, and no more
	for _, e := range step.Entries {
		if key := e.Key.Text; key != "id" && !slices.Contains(undigestedStep, key) {
			keys = append(keys, key+":"+digestOf(e.Value)[:shown])
		}
	}
	slices.Sort(keys)
	return keys
}

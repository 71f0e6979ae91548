package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// TestCutSecret: what an error quotes is masked before it is cut, wherever the cut falls. A mask
// does not find the part of a secret that would be left.
func TestCutSecret(t *testing.T) {
	const secret = "opensesame-2718281828-open"
	mask := tools.NewMask([]string{secret})
	prints := tool{name: "prints", run: func(_ context.Context, a json.RawMessage, out *tools.Output) (tools.Result, error) {
		var given struct {
			Text string
			Fail bool
		}
		if err := json.Unmarshal(a, &given); err != nil {
			return tools.Result{}, err
		}
		_, err := io.WriteString(out, given.Text)
		return tools.Result{Failed: given.Fail}, err
	}}
	set, err := tools.NewSet([]tools.Entry{{Tool: prints}}, tools.SetOptions{Guard: guard{}, Mask: mask})
	if err != nil {
		t.Fatal(err)
	}
	printing := func(text string, fails bool) json.RawMessage {
		arguments, _ := json.Marshal(map[string]any{"text": text, "fail": fails})
		return arguments
	}
	texts := schema(t, `{"type":"object","properties":{"s":{"type":"string","pattern":"^a+$"}},"additionalProperties":false}`)
	refused := func(words string) play {
		return answer(providers.FinishContentFilter, providers.Block{Type: providers.BlockThinking, Text: words})
	}
	agent := func(turn play, o Output, h Hooks) Result {
		return (&Agent{Model: playing(turn, turn, turn, turn), Prompt: "go", Tools: set, Output: o, Hooks: h}).Run(t.Context())
	}
	command := func(source string, o Output) Result {
		return (&Command{Source: source, Output: o, Env: environment(), Mask: mask}).Run(t.Context())
	}
	for _, tt := range []struct {
		name  string
		about int // where the cut is
		run   func(text string, h Hooks) Result
	}{
		{"an answer that is no JSON", 80, func(text string, h Hooks) Result { return agent(says(text), Output{Kind: OutputJSON}, h) }},
		{"an answer that does not fit", 80, func(text string, h Hooks) Result { return agent(says(`{"s":"`+text+`"}`), texts, h) }},
		{"an answer with another key", 100, func(text string, h Hooks) Result { return agent(says(`{"`+text+`":1}`), texts, h) }},
		{"a refused answer, at the beginning", maxShown / 2, func(text string, h Hooks) Result {
			return agent(refused(text+strings.Repeat("z", maxShown)), Output{}, h)
		}},
		{"a refused answer, at the end", maxShown / 2, func(text string, h Hooks) Result {
			return agent(refused(strings.Repeat("z", maxShown)+secret+strings.TrimSuffix(text, secret)), Output{}, h)
		}},
		{"a command that is no JSON", 80, func(text string, _ Hooks) Result { return command("echo "+text, Output{Kind: OutputJSON}) }},
		{"a command that fails", maxShown / 2, func(text string, _ Hooks) Result {
			return command("echo "+text+strings.Repeat("z", maxShown)+" >&2; exit 3", Output{})
		}},
		{"a tool that is no JSON", 80, func(text string, h Hooks) Result {
			return (&ToolCall{Tools: set, Tool: "prints", Arguments: printing(text, false), Output: Output{Kind: OutputJSON}, Hooks: h}).Run(t.Context())
		}},
		{"a tool that fails", 150, func(text string, h Hooks) Result {
			return (&ToolCall{Tools: set, Tool: "prints", Arguments: printing(text+strings.Repeat("z", maxShown), true), Hooks: h}).Run(t.Context())
		}},
		{"a tool that fails, in its event", maxShown / 2, func(text string, h Hooks) Result {
			return (&ToolCall{Tools: set, Tool: "prints", Arguments: printing(text+strings.Repeat("z", maxShown), true), Hooks: h}).Run(t.Context())
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for before := tt.about - len(secret) - 2; before <= tt.about+2; before += 4 {
				var l log
				r := tt.run(strings.Repeat("x", before)+secret, Hooks{Observe: func(e Event) { l.events = append(l.events, e) }})
				if r.Error == nil {
					t.Fatalf("%s: %q", r.Status, r.Text)
				}
				said := mask.String(r.Error.Message)
				for _, e := range l.events {
					said += "\n" + mask.String(e.Error+e.Message)
				}
				for _, part := range []string{secret[:6], secret[len(secret)-6:]} {
					if strings.Contains(said, part) {
						t.Fatalf("%d before: %s", before, said)
					}
				}
			}
		})
	}
}

// TestCutSecretInput: what a model is told of arguments that do not fit is masked before it is cut.
func TestCutSecretInput(t *testing.T) {
	const secret = "opensesame-2718281828-open"
	mask := tools.NewMask([]string{secret})
	set, err := tools.NewSet([]tools.Entry{{Tool: tool{name: "echo"}, Pinned: nil}}, tools.SetOptions{Guard: guard{}, Mask: mask})
	if err != nil {
		t.Fatal(err)
	}
	for before := 470; before < 510; before += 4 {
		answer, err := set.Prepare(strings.Repeat("x", before)+secret, nil).Run(t.Context())
		if err != nil || strings.Contains(fmt.Sprint(answer), secret[:6]) {
			t.Fatalf("%d before: %v, %v", before, answer, err)
		}
	}
}

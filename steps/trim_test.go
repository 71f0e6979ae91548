package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A narrow model calls a tool so many times and then says that it is done. It
// counts a token for each four bytes, and refuses what is longer than its window.
type narrow struct {
	window, told int64 // what it has, and what is known of it
	calls        int

	asked   []providers.Request
	refused int
}

func (n *narrow) Info() providers.Info {
	return providers.Info{Ref: "fake/narrow", Provider: "fake", StructuredOutput: true, Context: n.told}
}

func (n *narrow) Stream(_ context.Context, req providers.Request, _ func(providers.Event)) (providers.Message, error) {
	count := int64(len(req.System)+size(req.Messages)) / 4
	if count > n.window {
		n.refused++
		return providers.Message{}, &providers.Error{Kind: providers.KindContextLength, Message: fmt.Sprintf("%d tokens", count)}
	}
	n.asked = append(n.asked, req)
	m := providers.Message{Role: providers.RoleAssistant, Model: "fake/narrow", Finish: providers.FinishToolCalls}
	m.Usage = providers.Usage{InputTokens: count, OutputTokens: 20}
	turn := len(n.asked)
	m.Blocks = []providers.Block{{Type: providers.BlockThinking, Text: fmt.Sprintf("thought %d", turn), Raw: json.RawMessage(fmt.Sprintf(`{"signature":"s%d"}`, turn))}}
	if turn > n.calls {
		m.Finish = providers.FinishStop
		m.Blocks = append(m.Blocks, providers.Block{Type: providers.BlockText, Text: "Done."})
		return m, nil
	}
	m.Blocks = append(m.Blocks, providers.Block{Type: providers.BlockToolCall, ID: fmt.Sprintf("c%d", turn), Name: "page", Arguments: json.RawMessage(fmt.Sprintf(`{"page":%d}`, turn))})
	return m, nil
}

// pages is a tool that gives 3,000 bytes, which begin with what it was asked.
func pages(t *testing.T) *tools.Set {
	return toolbox(t, tool{name: "page", run: func(_ context.Context, a json.RawMessage, out *tools.Output) (tools.Result, error) {
		_, err := io.WriteString(out, string(a)+strings.Repeat("x\n", (3000-len(a))/2)+strings.Repeat("y", (3000-len(a))%2))
		return tools.Result{}, err
	}})
}

// shelf keeps results as files of a folder.
func shelf(t *testing.T) (dir string, keep func(int, string) (io.WriteCloser, string, error)) {
	dir = t.TempDir()
	return dir, func(call int, tool string) (io.WriteCloser, string, error) {
		path := filepath.Join(dir, fmt.Sprintf("%d-%s.txt", call, tool))
		file, err := os.Create(path)
		return file, path, err
	}
}

// TestTrimKeepsALongConversation: 300 turns in a window of 32,000 tokens, whether
// it is known beforehand or only the service says that it is full.
func TestTrimKeepsALongConversation(t *testing.T) {
	for _, test := range []struct {
		name string
		told int64
	}{{"known", 32_000}, {"not known", 0}, {"known wrongly", 1_000_000}} {
		t.Run(test.name, func(t *testing.T) {
			model := &narrow{window: 32_000, told: test.told, calls: 300}
			var l log
			dir, keep := shelf(t)
			agent := Agent{Model: model, Prompt: "Read all pages.", Tools: pages(t), Hooks: l.hooks(), Context: Context{Keep: keep}}
			r := agent.Run(t.Context())
			if r.Status != Succeeded || r.Text != "Done." || r.Turns != 301 || r.Lost != 0 {
				t.Fatalf("%s, %q after %d turns, %d lost: %v", r.Status, r.Text, r.Turns, r.Lost, r.Error)
			}
			if (model.refused > 0) != (test.told != 32_000) {
				t.Errorf("refused %d times", model.refused)
			}
			checkTrimmed(t, model.asked[300], dir)
			if n := strings.Count(l.types(), string(Warning)); n < 3 || n > 30 {
				t.Errorf("%d warnings", n)
			}
		})
	}
}

// checkTrimmed: the prompt, what the model said and the last results are as they
// were, and of each other result there is the whole in the file that is named.
func checkTrimmed(t *testing.T, req providers.Request, dir string) {
	t.Helper()
	if req.Messages[0].Text() != "Read all pages." {
		t.Errorf("the prompt is %q", req.Messages[0].Text())
	}
	taken := 0
	for i, m := range req.Messages[1:] {
		turn := i/2 + 1
		want := fmt.Sprintf(`{"page":%d}`, turn)
		if m.Role == providers.RoleAssistant {
			if m.Blocks[0].Text != fmt.Sprintf("thought %d", turn) || string(m.Blocks[0].Raw) != fmt.Sprintf(`{"signature":"s%d"}`, turn) || string(m.Blocks[1].Arguments) != want {
				t.Fatalf("turn %d: the model's own words are not its own: %v", turn, m.Blocks)
			}
			continue
		}
		content := m.Blocks[0].Content
		if strings.HasPrefix(content, want+"x\nx") && len(content) == 3000 {
			continue
		}
		taken++
		if turn > 298 {
			t.Errorf("the result of turn %d was taken out", turn)
		}
		head := "[taken out: output of page, 3,000 bytes; the whole: "
		path, ok := strings.CutPrefix(strings.TrimSuffix(content, "]"), head)
		if whole, err := os.ReadFile(path); !ok || err != nil || len(whole) != 3000 || !strings.HasPrefix(string(whole), want) || filepath.Dir(path) != dir {
			t.Fatalf("turn %d: %s: %d bytes, %v", turn, content, len(whole), err)
		}
	}
	if taken < 200 {
		t.Errorf("%d results were taken out", taken)
	}
}

// TestTrimLeavesHalf: it is done seldom, since each time what a service has
// cached is worth nothing any more.
func TestTrimLeavesHalf(t *testing.T) {
	model := &narrow{window: 32_000, told: 32_000, calls: 60}
	var l log
	_, keep := shelf(t)
	agent := Agent{Model: model, Prompt: "Read all pages.", Tools: pages(t), Hooks: l.hooks(), Context: Context{Keep: keep}}
	var budget ledger
	agent.Hooks.Reserve = budget.reserve
	agent.Run(t.Context())
	for i, e := range budget.estimates {
		if e.InputTokens > 32_000/5*4 {
			t.Errorf("request %d is estimated at %d tokens, after room was made", i+1, e.InputTokens)
		}
	}
	var warned []Event
	for _, e := range l.events {
		if e.Type == Warning {
			warned = append(warned, e)
		}
	}
	if len(warned) != 3 {
		t.Fatalf("%d warnings: %v", len(warned), warned)
	}
	first := warned[0].Turn
	if req := model.asked[first-1]; len(req.System)+size(req.Messages) > 4*16_500 {
		t.Errorf("after the first time there are %d tokens", size(req.Messages)/4)
	}
}

// TestTrimLeavesTheLastResults, also where half of the window is less than these.
func TestTrimLeavesTheLastResults(t *testing.T) {
	model := &narrow{window: 2200, told: 2200, calls: 3}
	if r := (&Agent{Model: model, Prompt: "Read all pages.", Tools: pages(t)}).Run(t.Context()); r.Status != Succeeded {
		t.Fatal(r.Error)
	}
	for i, taken := range []bool{true, false, false} {
		content := model.asked[3].Messages[2*i+2].Blocks[0].Content
		if strings.HasPrefix(content, "[taken out") != taken {
			t.Errorf("result %d is %.40q, taken out: want %v", i+1, content, taken)
		}
	}
}

// TestTrimUsesTheFileThatIsThere: a result that was truncated is in a file
// already.
func TestTrimUsesTheFileThatIsThere(t *testing.T) {
	model := &narrow{window: 8_000, told: 8_000, calls: 20}
	dir, keep := shelf(t)
	set, err := tools.NewSet([]tools.Entry{{Tool: tool{name: "page", run: func(_ context.Context, a json.RawMessage, out *tools.Output) (tools.Result, error) {
		_, err := io.WriteString(out, strings.Repeat(string(a)+"\n", 1000))
		return tools.Result{}, err
	}}, Limits: &tools.Limits{Lines: 200, Bytes: 10_000, LineChars: 100, Keep: tools.KeepHead}}}, tools.SetOptions{Guard: guard{}, Outputs: tools.Outputs{Spill: keep}})
	if err != nil {
		t.Fatal(err)
	}
	agent := Agent{Model: model, Prompt: "Read all pages.", Tools: set, Context: Context{Keep: keep}}
	if r := agent.Run(t.Context()); r.Status != Succeeded {
		t.Fatal(r.Error)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 20 {
		t.Errorf("%d files of 20 results", len(files))
	}
	whole, err := os.ReadFile(filepath.Join(dir, "1-page.txt"))
	if err != nil || strings.Count(string(whole), "\n") != 1000 {
		t.Errorf("the first has %d lines: %v", strings.Count(string(whole), "\n"), err)
	}
	if content := model.asked[20].Messages[2].Blocks[0].Content; !strings.Contains(content, "the whole: "+filepath.Join(dir, "1-page.txt")) {
		t.Errorf("the first result is %q", content)
	}
}

// TestTrimIsOff, or has nothing to take out: the error is that of the service.
func TestTrimIsOff(t *testing.T) {
	for name, agent := range map[string]Agent{
		"off":               {Prompt: "Read all pages.", Context: Context{Fixed: true}},
		"nothing to remove": {Prompt: strings.Repeat("long ", 30_000)},
	} {
		t.Run(name, func(t *testing.T) {
			agent.Model, agent.Tools = &narrow{window: 32_000, told: 32_000, calls: 300}, pages(t)
			r := agent.Run(t.Context())
			if r.Status != Failed || r.Error == nil || r.Error.Kind != KindContextLength {
				t.Errorf("%s: %v", r.Status, r.Error)
			}
		})
	}
}

// TestTrimWithAFullDisk goes on, and counts what is lost.
func TestTrimWithAFullDisk(t *testing.T) {
	model := &narrow{window: 32_000, told: 32_000, calls: 60}
	keep := func(int, string) (io.WriteCloser, string, error) {
		return nil, "", fmt.Errorf("no space left on device")
	}
	agent := Agent{Model: model, Prompt: "Read all pages.", Tools: pages(t), Context: Context{Keep: keep}}
	r := agent.Run(t.Context())
	if r.Status != Succeeded || r.Lost == 0 {
		t.Errorf("%s, %d lost: %v", r.Status, r.Lost, r.Error)
	}
}

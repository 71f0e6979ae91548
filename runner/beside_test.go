package runner

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// TestOneEventAtATime: whoever follows a run is given one event at a time, in the
// order of the records, however much runs at once.
func TestOneEventAtATime(t *testing.T) {
	tr := newTrial(t)
	var inside atomic.Int32
	var given []string
	described := func(e Event) string { return string(e.Type) + " " + e.Unit.String() }
	tr.change = func(o *Options) {
		o.Observe = func(e Event) {
			if inside.Add(1) != 1 {
				t.Error("two events at once")
			}
			runtime.Gosched()
			given = append(given, described(e))
			inside.Add(-1)
		}
	}
	tr.run("name: many\nmodel: m/m\nsteps: [{id: each, foreach: '${{ 0..199 }}', max_parallel: 32, prompt: 'Say ${{ item }}.'}]\n")
	var written []string
	for line := range strings.Lines(tr.file("run/journal.jsonl")) {
		r, err := journal.ParseRecord([]byte(strings.TrimSuffix(line, "\n")))
		if err == nil && r.Kind == journal.Ended {
			written = append(written, string(StepFinished)+" "+r.Unit.String())
		}
	}
	var ended []string
	for _, e := range given {
		if strings.HasPrefix(e, string(StepFinished)) {
			ended = append(ended, e)
		}
	}
	if diff := cmp.Diff(written, ended); diff != "" || len(written) != 201 || len(given) < 800 {
		t.Errorf("%d events (-written +told)\n%s", len(given), diff)
	}
}

// A besideTool knows whether it runs beside itself.
type besideTool struct {
	echo
	effects tools.Effects
	run     func(ctx context.Context) error
}

func (b besideTool) Effects(json.RawMessage) tools.Effects { return b.effects }

func (b besideTool) Run(ctx context.Context, _ json.RawMessage, _ *tools.Output) (tools.Result, error) {
	return tools.Result{}, b.run(ctx)
}

// TestToolEntryParallel: what an entry of a step's tools says of parallel goes before
// what the tool touches.
func TestToolEntryParallel(t *testing.T) {
	var running atomic.Int32
	both := make(chan struct{})
	for _, test := range []struct {
		parallel string
		effects  tools.Effects
		run      func(ctx context.Context) error
	}{
		{"always", tools.Everything(), func(ctx context.Context) error { // each waits for the other
			if running.Add(1) == 2 {
				close(both)
			}
			select {
			case <-both:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}},
		{"never", tools.Effects{}, func(context.Context) error {
			defer running.Add(-1)
			if running.Add(1) != 1 {
				return errors.New("it runs beside another call")
			}
			for range 10_000 { // the other call would begin
				runtime.Gosched()
			}
			return nil
		}},
	} {
		t.Run(test.parallel, func(t *testing.T) {
			running.Store(0)
			tr := newTrial(t)
			tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
				if len(req.Messages) > 1 {
					return says("done"), nil
				}
				return calls("meet", "meet"), nil
			}
			tr.change = func(o *Options) {
				o.Tools = func(context.Context, ToolScope) (Toolbox, error) {
					return Toolbox{Guard: allowAll{}, Find: func(name string) []tools.Tool {
						return []tools.Tool{besideTool{echo{name}, test.effects, test.run}}
					}}, nil
				}
			}
			result := tr.run("name: beside\nmodel: m/m\nsteps: [{id: ask, prompt: Meet., tools: [{name: meet, parallel: " + test.parallel + "}], stop: {timeout: 30s}}]\n")
			for _, e := range tr.events {
				if e.Type == steps.CallFinished && e.Event.Status != tools.Succeeded {
					t.Errorf("a call %s: %s", e.Event.Status, e.Event.Error)
				}
			}
			if result.Status != steps.Succeeded {
				t.Errorf("the run %s: %v", result.Status, result.Error)
			}
		})
	}
}

// TestFileBound: the function file reads 64 MiB, and not a byte more.
func TestFileBound(t *testing.T) {
	const most = 64 << 20
	for size, want := range map[int64]string{most: "67108864", most + 1: "larger than 64 MiB"} {
		tr := newTrial(t)
		tr.write("big", "")
		if err := os.Truncate(filepath.Join(tr.dir, "big"), size); err != nil {
			t.Fatal(err)
		}
		result := tr.run("name: big\nsteps: [{id: look, run: 'echo ${{ len(file(\"big\")) }}'}]\n")
		got := result.Steps[0].Text
		if result.Error != nil {
			got = result.Error.Message
		}
		if !strings.Contains(got, want) {
			t.Errorf("%d bytes: %q, want %q", size, got, want)
		}
	}
}

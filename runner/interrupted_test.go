package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Whatever had failed before, a run that was interrupted asks for the rest when it is resumed,
// and for nothing else; and it ends as one that nobody interrupted.
func TestInterruptedIsNotFailed(t *testing.T) {
	shapes := map[string]string{
		"continue":          `{id: each, foreach: [a, bad, c, d, e], max_parallel: 2, on_error: continue, prompt: '${{ item }}'}`,
		"finish":            `{id: each, foreach: [a, bad, c, d, e], max_parallel: 2, on_error: finish, prompt: '${{ item }}'}`,
		"max_failures":      `{id: each, foreach: [a, bad, c, d, e], max_parallel: 1, on_error: continue, max_failures: 1, prompt: '${{ item }}'}`,
		"too many failures": `{id: each, foreach: [a, bad, c, bad2, e], max_parallel: 1, on_error: continue, max_failures: 1, prompt: '${{ item }}'}`,
		"the first failure": `{id: each, foreach: [a, bad, c], max_parallel: 1, prompt: '${{ item }}'}`,
		"groups":            `{id: each, foreach: [a, bad, c], max_parallel: 2, on_error: continue, steps: [{id: x, prompt: '${{ item }}'}, {id: y, prompt: 'y-${{ item }}'}]}`,
		"in a group":        `{id: around, steps: [{id: each, foreach: [a, bad, c, d], max_parallel: 2, on_error: continue, prompt: '${{ item }}'}, {id: y, prompt: y}]}`,
		"nested":            `{id: outer, foreach: [1, 2], max_parallel: 1, on_error: finish, as: n, steps: [{id: each, foreach: [a, bad, c], max_parallel: 2, on_error: finish, prompt: '${{ item }}-${{ n }}'}]}`,
		"rounds":            `{id: loop, until: 'round == 2', max_rounds: 2, steps: [{id: each, foreach: [a, bad, c], max_parallel: 2, on_error: continue, prompt: '${{ item }}-${{ round }}'}]}`,
		"beside":            `{id: each, foreach: [a, bad, c], max_parallel: 2, on_error: continue, prompt: '${{ item }}'}`,
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			source := "\nname: t\nmodel: m/m\nsteps:\n  - " + shape + "\n  - {id: after, prompt: after}\n"
			if name == "beside" {
				source = strings.ReplaceAll(source, "id: after", "id: after, needs: []")
			}
			whole := newInterruption(t, 0)
			want := statuses(whole.run(source))
			for at := 1; at <= len(whole.ended); at++ {
				i := newInterruption(t, at)
				i.run(source)
				i.at, i.ctx = 0, t.Context()
				i.resumes()
				if got := statuses(i.run(source)); got != want {
					t.Errorf("interrupted at request %d: %s, want %s", at, got, want)
				}
				for prompt, n := range i.ended {
					if n > 1 && strings.Contains(prompt, "bad") { // it failed while the run was interrupted: which came first?
						i.ended[prompt] = 1
					}
				}
				if got, want := fmt.Sprint(i.ended), fmt.Sprint(whole.ended); got != want {
					t.Errorf("interrupted at request %d: answered %s, want %s", at, got, want)
				}
			}
		})
	}
}

// A run that is resumed again and again, whatever its journal says of units with others inside
// them, does what is left.
func TestResumedAgainAndAgain(t *testing.T) {
	i := newInterruption(t, 4)
	const source = `
name: t
model: m/m
steps:
  - {id: each, foreach: [a, bad, c, d, e], max_parallel: 2, on_error: finish, prompt: '${{ item }}'}
  - {id: after, prompt: after}
`
	i.run(source)
	i.resumes()
	for n := range 3 {
		i.at, i.ctx = 0, t.Context()
		if got, want := statuses(i.run(source)), "each=failed after=skipped"; got != want {
			t.Errorf("resumed %d times: %s, want %s", n+1, got, want)
		}
		if i.ended["bad"] != n+1 || i.ended["e"] != 1 {
			t.Errorf("resumed %d times: answered %v", n+1, i.ended)
		}
	}
}

// An interruption is a trial whose run is interrupted while request at is answered. A prompt
// with "bad" in it fails.
type interruption struct {
	*trial
	at    int
	asked int
	mu    sync.Mutex
	ended map[string]int // how often each prompt was answered
}

func newInterruption(t *testing.T, at int) *interruption {
	ctx, cancel := context.WithCancelCause(t.Context())
	i := &interruption{trial: newTrial(t), at: at, ended: map[string]int{}}
	i.ctx = ctx
	i.answer = func(ctx context.Context, req providers.Request) (providers.Message, error) {
		if i.interrupts() {
			cancel(errors.New("interrupted by SIGINT"))
			<-ctx.Done()
			return providers.Message{}, context.Cause(ctx)
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		i.ended[req.Prompt]++
		if strings.Contains(req.Prompt, "bad") {
			return providers.Message{}, errors.New("no")
		}
		return says("said"), nil
	}
	return i
}

func (i *interruption) interrupts() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked++
	return i.at > 0 && i.asked >= i.at
}

func (i *interruption) resumes() {
	i.change = func(o *Options) { o.Resume = &Resumption{} }
}

// What an interruption ends counts as no failure beside a foreach, whose other elements run when the
// run is resumed.
func TestWhatIsInterruptedFailsNothing(t *testing.T) {
	tr := newTrial(t)
	ctx, interrupt := context.WithCancel(t.Context())
	tr.ctx = ctx
	asked := 0
	tr.answer = func(_ context.Context, req providers.Request) (providers.Message, error) {
		if req.Prompt == "a" {
			interrupt()
			time.Sleep(100 * time.Millisecond) // the step beside it ends at once
		}
		asked++
		if req.Prompt == "bad" {
			return providers.Message{}, errors.New("bad")
		}
		return says(req.Prompt), nil
	}
	const source = `
name: t
model: m/m
steps:
  - {id: each, foreach: [bad, a, b], max_parallel: 1, on_error: continue, prompt: '${{ item }}'}
  - {id: beside, needs: [], run: "test -e resumed || sleep 60"}
`
	tr.run(source)
	tr.write("resumed", "")
	tr.change = func(o *Options) { o.Resume = &Resumption{} }
	tr.ctx = t.Context()
	if got, want := statuses(tr.run(source)), "each=failed beside=succeeded"; got != want || asked != 3 {
		t.Errorf("got %s after %d requests, want %s after 3", got, asked, want)
	}
}

package view

import (
	"bytes"
	"slices"
	"sync"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

// PendingCalls are the calls that models have made and that have not ended. Who
// is asked about a call is told by them where it comes from. The zero value has
// none. It is safe for concurrent use.
type PendingCalls struct {
	mu    sync.Mutex
	calls []runner.Event
}

// Take follows the events of a run.
func (p *PendingCalls) Take(e runner.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Type {
	case steps.CallPending:
		p.calls = append(p.calls, e)
	case steps.CallFinished:
		p.calls = slices.DeleteFunc(p.calls, func(c runner.Event) bool {
			return c.CallID == e.CallID && Place(c) == Place(e)
		})
	}
}

// Place names the step or the element that makes a call; "" where that can't be
// told, as of the same call by several.
func (p *PendingCalls) Place(tool string, arguments []byte) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var same, alike []string
	for _, c := range p.calls {
		if c.Tool != tool {
			continue
		}
		alike = append(alike, Place(c))
		if bytes.Equal(c.Input, arguments) {
			same = append(same, Place(c))
		}
	}
	if len(same) == 0 { // what the workflow pins is not in the event
		same = alike
	}
	slices.Sort(same)
	if same = slices.Compact(same); len(same) != 1 {
		return ""
	}
	return same[0]
}

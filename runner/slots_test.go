package runner

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"
)

func TestSlotsServeInTheOrderOfTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slots{free: 1}
		first := s.queue()
		if !first.ready() {
			t.Fatal("the first one has to wait")
		}
		var served []int
		var group conc.WaitGroup
		for i := range 5 {
			ticket := s.queue()
			group.Go(func() {
				defer ticket.leave()
				if err := ticket.wait(t.Context()); err != nil {
					t.Error(err)
				}
				served = append(served, i) // one at a time holds the slot
			})
		}
		synctest.Wait()
		first.leave()
		group.Wait()
		if !slices.Equal(served, []int{0, 1, 2, 3, 4}) || s.free != 1 || len(s.waiting) != 0 {
			t.Errorf("served %v; %d free, %d wait", served, s.free, len(s.waiting))
		}
	})
}

func TestSlotsAreNotLost(t *testing.T) {
	s := &slots{free: 1}
	holder, waiting, last := s.queue(), s.queue(), s.queue()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := waiting.wait(ctx); !errors.Is(err, cause) {
		t.Errorf("got %v, want the context's cause", err)
	}
	waiting.leave()
	holder.leave()
	if !last.ready() {
		t.Error("the one behind who left is not served")
	}
	last.leave()
	if s.free != 1 {
		t.Errorf("%d slots are free, want 1", s.free)
	}
	var none *ticket
	if none.leave(); !none.ready() || none.wait(ctx) != nil {
		t.Error("work that needs no slot waits")
	}
}

func TestWhoRestsLeavesTheSlotToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slots{free: 1}
		resting, other := s.queue(), s.queue()
		var group conc.WaitGroup
		group.Go(func() {
			if err := resting.rest(t.Context(), time.Minute); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if !other.ready() {
			t.Error("the other one waits while nobody works")
		}
		time.Sleep(2 * time.Minute)
		other.leave()
		group.Wait()
		if !resting.ready() || s.free != 0 {
			t.Errorf("after the rest the slot is not held again: %d free", s.free)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := resting.rest(ctx, time.Minute); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's cause", err)
		}
		if resting.leave(); s.free != 1 {
			t.Errorf("%d slots are free, want 1", s.free)
		}
	})
}

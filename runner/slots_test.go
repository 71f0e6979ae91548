package runner

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a-seed-11b9befa/flow/steps"
)

// Who waits for a slot for a second says so, and that it no longer does.
func TestWaitForSlotIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(1)
		var told []steps.Event
		tell := func(e steps.Event) { told = append(told, e) }
		first := s.ticket()
		if err := first.wait(t.Context(), tell); err != nil || len(told) > 0 {
			t.Fatalf("%v, told %+v", err, told)
		}
		time.AfterFunc(5*time.Second, first.release)
		if err := s.ticket().wait(t.Context(), tell); err != nil {
			t.Fatal(err)
		}
		hurried, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if err := s.ticket().wait(hurried, tell); err == nil {
			t.Fatal("there are two slots")
		}
		if len(told) != 4 || told[0].HeldBy != steps.HeldBySlot || told[1].Type != steps.Released || told[3].Type != steps.Released {
			t.Errorf("told %+v", told)
		}
	})
}

package runner

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"
)

func TestSharedIsMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		var made atomic.Int64
		produce := func(context.Context) (int, error) {
			time.Sleep(time.Second)
			return int(made.Add(1)), broken
		}
		s := newShared[int]()
		var group conc.WaitGroup
		for range 100 {
			group.Go(func() {
				if n, err := s.value(t.Context(), produce); n != 1 || !errors.Is(err, broken) {
					t.Errorf("got %d, %v", n, err)
				}
			})
		}
		group.Wait()
		if made.Load() != 1 {
			t.Errorf("it was tried %d times: what fails for one fails for all", made.Load())
		}
	})
}

func TestSharedEndsWithWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		enough := errors.New("enough")
		produce := func(ctx context.Context) (string, error) {
			select {
			case <-ctx.Done():
				return "", errors.New("cut short")
			case <-time.After(time.Minute):
				return "made", nil
			}
		}
		s := newShared[string]()
		within := func(d time.Duration) error {
			ctx, cancel := context.WithTimeoutCause(t.Context(), d, enough)
			defer cancel()
			_, err := s.value(ctx, produce)
			return err
		}
		began := time.Now()
		var group conc.WaitGroup
		for _, d := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second} {
			group.Go(func() {
				if err := within(d); !errors.Is(err, enough) {
					t.Errorf("after %v: %v, want the context's cause", d, err)
				}
			})
		}
		group.Wait()
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it took %v: each one waits within its own time", took)
		}
		if err := within(time.Hour); err != nil {
			t.Errorf("what a context ended is tried again: %v", err)
		}
		if err := within(0); err != nil {
			t.Errorf("what is made is there, also for who can't wait: %v", err)
		}
	})
}

func TestSharedIsTriedAgainAfterACrash(t *testing.T) {
	crashed := false
	produce := func(context.Context) (string, error) {
		if !crashed {
			crashed = true
			panic("a bug")
		}
		return "made", nil
	}
	s := newShared[string]()
	func() {
		defer func() { _ = recover() }()
		_, _ = s.value(t.Context(), produce)
	}()
	if got, err := s.value(t.Context(), produce); got != "made" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

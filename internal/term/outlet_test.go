package term

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A stuck writer takes nothing until it is let go.
type stuck struct {
	open chan struct{}
	took bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.open
	return s.took.Write(p)
}

func TestOutletWritesAllInOrder(t *testing.T) {
	var got bytes.Buffer
	o := NewOutlet(t.Context(), &got)
	var want strings.Builder
	for i := range 3 * outletQueue {
		text := strings.Repeat("x", i%7) + "\n"
		want.WriteString(text)
		if _, err := io.WriteString(o, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Close(); err != nil || got.String() != want.String() {
		t.Errorf("%d of %d bytes, %v", got.Len(), want.Len(), err)
	}
}

func TestOutletKeepsACopy(t *testing.T) {
	s := &stuck{open: make(chan struct{})}
	o := NewOutlet(t.Context(), s)
	p := []byte("first")
	o.Write(p)
	copy(p, "again")
	close(s.open)
	if err := o.Close(); err != nil || s.took.String() != "first" {
		t.Errorf("%q, %v", s.took.String(), err)
	}
}

// TestOutletTellsTheFirstError: of a stream that broke, at the next write and at
// the end.
func TestOutletTellsTheFirstError(t *testing.T) {
	o := NewOutlet(t.Context(), brokenWriter{})
	o.Write([]byte("a"))
	o.Flush()
	if _, err := o.Write([]byte("b")); err == nil {
		t.Error("a write to a broken stream")
	}
	if err := o.Close(); err == nil {
		t.Error("the end of a broken stream")
	}
}

// TestOutletIsBlocked: a reader that takes nothing holds a write up when the queue
// is full, until a little after the context has ended, and no longer.
func TestOutletIsBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		s := &stuck{open: make(chan struct{})}
		o := NewOutlet(ctx, s)
		began := time.Now()
		time.AfterFunc(time.Hour, interrupt)
		var err error
		for range 2 * outletQueue {
			if _, err = o.Write([]byte("x")); err != nil {
				break
			}
		}
		if took := time.Since(began); !errors.Is(err, ErrBlocked) || took != time.Hour+outletGrace {
			t.Errorf("%v after %v", err, took)
		}
		if o.offer(chunk{}) {
			t.Error("there is room in a full queue")
		}
		if err := o.Close(); !errors.Is(err, ErrBlocked) {
			t.Errorf("closed with %v", err)
		}
		close(s.open)
	})
}

// TestOutletWaitsForASlowReader: without an interrupt nothing is lost.
func TestOutletWaitsForASlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stuck{open: make(chan struct{})}
		o := NewOutlet(t.Context(), s)
		o.Write([]byte("result"))
		time.AfterFunc(24*time.Hour, func() { close(s.open) })
		if err := o.Close(); err != nil || s.took.String() != "result" {
			t.Errorf("%q, %v", s.took.String(), err)
		}
	})
}

// TestScreenIsNotWaitedFor: lines that there is no room for are counted, and
// nobody waits.
func TestScreenIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stuck{open: make(chan struct{})}
		screen := NewScreen(s)
		began := time.Now()
		screen.Follow(t.Context())
		for range outletQueue + 10 {
			screen.Write([]byte("line\n"))
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the writes took %v", took)
		}
		close(s.open)
		synctest.Wait()
		screen.Write([]byte("last\n"))
		screen.Settle()
		text := s.took.String()
		if !strings.Contains(text, " lines left out here") || !strings.HasSuffix(text, "last\n") {
			t.Errorf("shown: …%q", text[max(0, len(text)-200):])
		}
	})
}

package apart

import (
	"errors"
	"runtime"
	"testing"
)

func TestTry(t *testing.T) {
	own := errors.New("own")
	for _, tt := range []struct {
		name string
		f    func()
		want any
	}{
		{"it returns", func() {}, nil},
		{"it panics", func() { panic(own) }, own},
		{"it ends its goroutine", runtime.Goexit, ErrGone},
		{"it ends its goroutine, and panics as that ends", func() { defer func() { panic(own) }(); runtime.Goexit() }, ErrGone},
		{"what it catches is its own", func() { defer func() { _ = recover() }(); panic(own) }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			called := 0
			crash := Try(func() {
				called++
				tt.f()
			})
			if called != 1 {
				t.Errorf("it was called %d times", called)
			}
			if crash == nil && tt.want == nil {
				return
			}
			if crash == nil || crash.Value != tt.want {
				t.Errorf("got %v, want %v", crash, tt.want)
			}
		})
	}
}

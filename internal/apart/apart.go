// Package apart calls code that is not flow's own, such as a tool or a model of the program that
// uses flow: whatever that does, it ends no goroutine of flow's.
package apart

import (
	"errors"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
)

// ErrGone is the value of a crash without a panic.
var ErrGone = errors.New("it ended its goroutine (runtime.Goexit, which FailNow and Fatal of a test call)")

// Try calls f in a goroutine of its own, and waits for its end. It returns what f panicked with,
// [ErrGone] if f ended its goroutine, and nil if f returned.
func Try(f func()) (crash *panics.Recovered) {
	returned := false
	var alone conc.WaitGroup
	alone.Go(func() {
		crash = panics.Try(func() {
			f()
			returned = true
		})
	})
	alone.Wait()
	if crash == nil && !returned {
		gone := panics.NewRecovered(0, ErrGone)
		crash = &gone
	}
	return crash
}

package host

import "sync"

// An alarm passes on warnings about what happens beside the steps of a run: as events during the
// run, and to the caller afterwards. Warnings from before the run are kept until it begins. It is
// safe for concurrent use.
type alarm struct {
	say func(message string) // outside of the run; nil: drops them

	mu    sync.Mutex
	early []string
	tell  func(message string) bool // nil before the run; false after it
}

// maxEarly is the most warnings that are kept before a run begins.
const maxEarly = 100

// attach passes on the warnings so far, and from now on all others.
func (a *alarm) attach(tell func(message string) bool) {
	a.mu.Lock()
	early := a.early
	a.early, a.tell = nil, tell
	a.mu.Unlock()
	for _, message := range early {
		a.warn(message)
	}
}

func (a *alarm) warn(message string) {
	a.mu.Lock()
	tell := a.tell
	if tell == nil && len(a.early) < maxEarly {
		a.early = append(a.early, message)
	}
	a.mu.Unlock()
	if tell != nil && !tell(message) && a.say != nil {
		a.say(message)
	}
}

// abandon passes on the warnings that were kept for a run that does not begin.
func (a *alarm) abandon() { a.attach(func(string) bool { return false }) }

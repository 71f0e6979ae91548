package host

import "sync"

// sideWarnings pass on warnings about what happens beside the steps of a run: as events during the
// run, and to the caller afterwards. Those from before the run are kept until it begins. It is safe
// for concurrent use.
type sideWarnings struct {
	say func(message string) // outside of the run; nil: drops them

	mu     sync.Mutex
	early  []string
	emit   func(message string) bool // nil before the run; false after it
	warned map[string]bool           // by warnOnce
}

const (
	maxEarly  = 100  // warnings that are kept before a run begins
	maxWarned = 1000 // warnings that are not repeated; further ones are dropped
)

// attach passes on the warnings so far, and from now on all others.
func (w *sideWarnings) attach(emit func(message string) bool) {
	w.mu.Lock()
	early := w.early
	w.early, w.emit = nil, emit
	w.mu.Unlock()
	for _, message := range early {
		w.warn(message)
	}
}

// detach passes on all warnings to the caller, since no run begins.
func (w *sideWarnings) detach() { w.attach(func(string) bool { return false }) }

func (w *sideWarnings) warn(message string) {
	w.mu.Lock()
	emit := w.emit
	if emit == nil && len(w.early) < maxEarly {
		w.early = append(w.early, message)
	}
	w.mu.Unlock()
	if emit != nil && !emit(message) && w.say != nil {
		w.say(message)
	}
}

// warnOnce warns once of something that would be repeated for each element of a foreach.
func (w *sideWarnings) warnOnce(message string) {
	w.mu.Lock()
	isNew := !w.warned[message] && len(w.warned) < maxWarned
	if w.warned == nil {
		w.warned = map[string]bool{}
	}
	w.warned[message] = true
	w.mu.Unlock()
	if isNew {
		w.warn(message)
	}
}

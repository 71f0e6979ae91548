package host

import "sync"

// sideWarnings pass on warnings about what happens beside the steps of a run: as events while it runs, and
// to the caller before and afterwards. It is safe for concurrent use.
type sideWarnings struct {
	say func(message string) // outside of the run; nil: drops them

	mu     sync.Mutex
	emit   func(message string) bool // nil before the run; false after it
	warned map[string]bool           // by warnOnce
}

// attach passes on all warnings from now on as those of the run.
func (w *sideWarnings) attach(emit func(message string) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.emit = emit
}

func (w *sideWarnings) warn(message string) {
	w.mu.Lock()
	emit := w.emit
	w.mu.Unlock()
	if (emit == nil || !emit(message)) && w.say != nil {
		w.say(message)
	}
}

// warnOnce warns once of something that would be repeated for each element of a foreach.
func (w *sideWarnings) warnOnce(message string) {
	const maxWarned = 1000 // further ones are dropped
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

package page

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A watch follows a run for all who look at it: its journal is read on when it has grown, or when the
// process that worked in it has gone.
type watch struct {
	dir  string
	used int // by how many, which the server counts

	mu     sync.Mutex
	units  *view.Units // nil: it could not be read yet
	head   Head
	err    error
	looked time.Time
	took   time.Duration // to read on
	size   int64
	busy   bool
}

// The times between two looks: at whether there is something new, and, as multiples of the time that it
// takes, at that.
const (
	lookEvery = 300 * time.Millisecond
	readShare = 4
)

// look reads on, unless it did a moment ago. The caller has the lock.
func (w *watch) look() {
	if time.Since(w.looked) < max(lookEvery, readShare*w.took) {
		return
	}
	w.looked = time.Now()
	size, busy := w.state()
	if w.units != nil && w.err == nil && size == w.size && busy == w.busy {
		return
	}
	w.size, w.busy = size, busy
	if w.units == nil {
		w.units, w.err = view.ReadUnits(w.dir)
	} else {
		w.err = w.units.ReadOn()
	}
	if w.err == nil {
		w.head = headOf(w.units)
	}
	w.took = time.Since(w.looked)
}

// state returns how long the journal is, and whether a process works in the run.
func (w *watch) state() (size int64, busy bool) {
	if info, err := os.Lstat(filepath.Join(w.dir, journal.File)); err == nil {
		size = info.Size()
	}
	from, err := journal.OpenReader(w.dir)
	if err != nil {
		return size, false
	}
	defer from.Close()
	return size, from.Busy()
}

// now returns the head of the run as it is now, or was a moment ago.
func (w *watch) now() (Head, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.look()
	return w.head, w.err
}

// unit reads a unit, or an attempt of it.
func (w *watch) unit(address journal.Address) (*Unit, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.look(); w.err != nil {
		return nil, w.err
	}
	past, err := w.units.Unit(address)
	if err != nil {
		return nil, err
	}
	return &Unit{past, maxField}, nil
}

// close forgets what was read.
func (w *watch) close() {
	if w.units != nil {
		_ = w.units.Close()
	}
}

// News is what has changed in a run since it was sent last.
type News struct {
	Problem string      `json:"problem,omitempty"` // why the run can't be read
	Whole   bool        `json:"whole,omitempty"`   // all units are among the units
	Head    *LiveHead   `json:"head,omitempty"`
	Units   []*view.Row `json:"units"`
}

// LiveHead is a head with what the server knows of the run.
type LiveHead struct {
	Head
	Job
}

// sent is what somebody who follows a run knows: up to which look, and of what job.
type sent struct {
	looks   int
	problem string
	job     Job
}

// since returns as JSON what has changed since something was sent; nil: nothing has.
func (w *watch) since(was *sent, job Job) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.look()
	is := sent{job: job}
	if w.err != nil {
		is.problem = w.err.Error()
	} else {
		is.looks = w.units.Looks
	}
	before := *was
	if *was = is; is == before {
		return nil, nil
	}
	if w.err != nil {
		return json.Marshal(News{Problem: is.problem})
	}
	news := News{Whole: before.looks == 0, Head: &LiveHead{w.head, job}, Units: []*view.Row{}}
	for _, row := range w.units.Rows {
		if row.Changed > before.looks {
			news.Units = append(news.Units, row)
		}
	}
	return json.Marshal(news)
}

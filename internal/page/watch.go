package page

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// A watch follows a run for all who look at it: its journal is read again when it has grown, or when the
// process that worked in it has gone.
type watch struct {
	dir string

	mu     sync.Mutex
	looked time.Time
	took   time.Duration // to read
	size   int64
	busy   bool
	now    *snapshot
}

// A snapshot is the JSON of a run at a time: of its head, and of each unit.
type snapshot struct {
	head  Head
	units []journal.Unit
	rows  map[journal.Unit]string
	err   error
}

// The times between two looks: at whether there is something new, and, as multiples of the time that it
// takes, at all of it.
const (
	lookEvery = 300 * time.Millisecond
	readShare = 4
)

// look returns the run as it is now, or was a moment ago.
func (w *watch) look() *snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now != nil && time.Since(w.looked) < max(lookEvery, readShare*w.took) {
		return w.now
	}
	w.looked = time.Now()
	size, busy := w.state()
	if w.now != nil && w.now.err == nil && size == w.size && busy == w.busy {
		return w.now
	}
	w.now, w.size, w.busy = take(w.dir), size, busy
	w.took = time.Since(w.looked)
	return w.now
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

func take(dir string) *snapshot {
	data, units, err := Read(dir)
	if err != nil {
		return &snapshot{err: err}
	}
	defer units.Close()
	s := &snapshot{head: data.Head, rows: map[journal.Unit]string{}}
	for _, row := range data.Units {
		text, err := json.Marshal(row)
		if err != nil {
			return &snapshot{err: err}
		}
		s.units, s.rows[row.Unit] = append(s.units, row.Unit), string(text)
	}
	return s
}

// News is what has changed in a run since it was sent last.
type News struct {
	Problem string            `json:"problem,omitempty"` // why the run can't be read
	Whole   bool              `json:"whole,omitempty"`   // all units are among the units
	Head    *LiveHead         `json:"head,omitempty"`
	Units   []json.RawMessage `json:"units"`
}

// LiveHead is a head with what the server knows of the run.
type LiveHead struct {
	Head
	Job
}

// since returns what has changed since a snapshot; nil: since nothing was sent.
func (s *snapshot) since(before *snapshot, job Job) *News {
	if s.err != nil {
		return &News{Problem: s.err.Error()}
	}
	news := &News{Whole: before == nil || before.err != nil, Head: &LiveHead{s.head, job}, Units: []json.RawMessage{}}
	for _, unit := range s.units {
		if news.Whole || before.rows[unit] != s.rows[unit] {
			news.Units = append(news.Units, json.RawMessage(s.rows[unit]))
		}
	}
	return news
}

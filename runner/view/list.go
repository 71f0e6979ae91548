package view

import (
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// A Choice says which of many runs are meant. The zero Choice means all of them.
type Choice struct {
	State    State         // "": any
	Workflow string        // its name; "": any
	Since    time.Duration // ago, that they began or later; 0: whenever
	Old      bool          // those that nobody may want any more: they don't run, and don't wait unless State says so
	Older    time.Duration // ago, that they began or before; 0: whenever
	Keep     int           // how many of the newest, of all runs, are not meant
}

// List returns the runs below a folder that are meant, the newest first.
func (c Choice) List(below string) ([]*Summary, error) {
	dirs, err := journal.Runs(below)
	if err != nil {
		return nil, err
	}
	runs := []*Summary{}
	for _, dir := range dirs[min(c.Keep, len(dirs)):] {
		g := summaryAt(dir)
		ago := max(time.Since(g.Began), 0) // the clock of another machine may be ahead
		if c.Since > 0 && ago > c.Since {
			break // those that follow are older
		}
		if ago >= c.Older && c.fits(g) {
			runs = append(runs, g)
		}
	}
	return runs, nil
}

// fits reports whether a run is meant, whenever it began.
func (c Choice) fits(g *Summary) bool {
	switch {
	case c.State == InPart && !g.InPart, c.State != "" && c.State != InPart && g.State != c.State, c.Workflow != "" && g.Workflow != c.Workflow:
		return false
	case !c.Old:
		return true
	case g.Broken != "" || g.State == Running: // of one that can't be read nobody knows whether it waits
		return false
	}
	return g.State != Waiting || c.State == Waiting
}

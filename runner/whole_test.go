package runner

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A long text that later steps see whole takes memory only while one of them is
// rendered with it: before that and after it, it is in the file.
func TestWholeTextsTakeNoMemory(t *testing.T) {
	const long = 16 << 20
	inUse := map[string]int64{}
	var before runtime.MemStats
	tr := newTrial(t)
	tr.change = func(o *Options) {
		o.Observe = func(e Event) {
			if e.Type != StepStarted || e.Step != "unseen" && e.Step != "after" {
				return
			}
			var now runtime.MemStats
			runtime.GC()
			runtime.GC() // what a sync.Pool has goes with the second
			runtime.ReadMemStats(&now)
			inUse[e.Step] = int64(now.HeapAlloc) - int64(before.HeapAlloc)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := tr.run(`
name: t
steps:
  - {id: long, run: "head -c 16777216 /dev/zero | tr '\\0' x"}
  - {id: unseen, run: "true"}
  - {id: whole, run: "printf %s ${{ steps.long.text }} | wc -c"}
  - {id: after, run: "true"}
  - {id: count, run: "echo ${{ len(steps.long.text) }}"}
`)
	for step, bytes := range inUse {
		if bytes > long/4 {
			t.Errorf("%d bytes are held when %q begins", bytes, step)
		}
	}
	if len(inUse) != 2 || r.Error != nil || r.Steps[4].Text != "16777216" {
		t.Errorf("%v: %+v, %q", inUse, r.Error, r.Steps[4].Text)
	}
}

// A run that is read from its folder says what it said when it ended, also if that was long; without
// the file of a text, what the result has of it.
func TestReadResultSaysTheWhole(t *testing.T) {
	for _, last := range []string{
		"{id: long, run: seq 1 4000}",
		"{id: each, foreach: [1, 2], run: seq 1 4000}",
		"{id: g, steps: [{id: long, run: seq 1 4000}]}",
	} {
		tr := newTrial(t)
		want := tr.run("name: t\nsteps:\n  - " + last + "\n")
		dir := filepath.Join(tr.dir, "run")
		got, err := ReadResult(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got.Text() != want.Text() || len(want.Text()) < 18_000 {
			t.Errorf("%s: read back, it says %d bytes, and said %d", last, len(got.Text()), len(want.Text()))
		}
		var again strings.Builder
		if err := got.WriteJSON(&again, nil); err != nil || again.String() != tr.file("run/run.json") {
			t.Errorf("%s: run.json is another when it is written again, %v", last, err)
		}
		if err := os.RemoveAll(outputsDir(dir)); err != nil {
			t.Fatal(err)
		}
		if got.last.elements == nil && got.Text() != got.last.Text {
			t.Errorf("%s: without the file it says %d bytes, and the result has %d", last, len(got.Text()), len(got.last.Text))
		}
	}
}

package runner

import (
	"runtime"
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

// Package collector makes the garbage collector run less often while a program is small.
package collector

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Between two cycles of the garbage collector the heap may grow by spareHeap, or
// by usualGrowth where that is more, as it does in any Go program.
const (
	spareHeap   = 16 << 20
	usualGrowth = 100 // per cent of what is alive
	mostGrowth  = 400
)

// Pace makes the garbage collector run less often while the heap is small: there its cycles cost
// more than the memory that they save. A run of 10,000 scripted elements takes 1.0 s of CPU in
// place of 1.2 s, and 54 MB in place of 42 MB, on two cores; one of 100,000 elements 65 MB, and
// 110 MB or more with a spareHeap of 96 MiB. GOGC takes precedence.
func Pace() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(mostGrowth)
		paceNext(mostGrowth)
	}
}

// paceNext sets the growth after each cycle, which collects the object. Setting it stops the program
// for a moment, so an unchanged growth is not set.
func paceNext(now int) {
	type object [64]byte // large enough to share its memory with no other
	runtime.AddCleanup(new(object), func(now int) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		next := now
		if live[0].Value.Kind() == metrics.KindUint64 {
			next = growthOf(live[0].Value.Uint64())
		}
		if next != now {
			debug.SetGCPercent(next)
		}
		paceNext(next)
	}, now)
}

func growthOf(live uint64) int {
	return int(min(max(spareHeap*100/max(live, 1), usualGrowth), mostGrowth))
}

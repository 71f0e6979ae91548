package plan

import (
	"fmt"
	"hash/fnv"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/google/go-cmp/cmp"
)

// Runs in which anything happens: whatever the order and the outcomes, what is true
// of all runs holds, and the plan is the fold of its records.
func TestAnythingMayHappen(t *testing.T) {
	for seed := range uint64(150) {
		w := newWorld(t, parseEverything(t), 1+int(seed%5))
		random := seeded(seed)
		w.outcome = func(journal.Unit, *workflows.Step) journal.Status {
			return []journal.Status{journal.Succeeded, journal.Succeeded, journal.Succeeded, journal.Succeeded, journal.Failed, journal.Stopped}[random.IntN(6)]
		}
		w.holds = func(journal.Unit, journal.About, int) bool { return random.IntN(3) > 0 }
		w.asking = func(journal.Unit) bool { return random.IntN(20) == 0 }
		w.begin()
		for range 40 {
			for range random.IntN(60) {
				w.step(random.IntN)
			}
			w.happen(random.IntN(12))
		}
		w.asking = func(journal.Unit) bool { return false }
		w.outcome = func(journal.Unit, *workflows.Step) journal.Status { return journal.Succeeded }
		w.holds = func(journal.Unit, journal.About, int) bool { return true }
		for range 20 {
			w.run(random.IntN)
			w.answer()
			if w.plan.over && w.plan.status == journal.Succeeded {
				break
			} else if w.plan.over {
				w.write(journal.Record{Kind: journal.Resumed})
			}
		}
		if !w.plan.over || w.plan.status != journal.Succeeded {
			t.Fatalf("seed %d: gone on with, it does not succeed: %q\n%s", seed, w.plan.status, w.tail())
		}
	}
}

// happen is what may happen to a run from outside.
func (w *world) happen(what int) {
	w.t.Helper()
	over := w.plan.over
	switch {
	case what < 3:
		w.die()
		w.write(journal.Record{Kind: journal.Resumed})
	case what == 3 && !over:
		w.write(journal.Record{Kind: journal.Decided, About: journal.Stop})
		w.run(first)
	case what == 4 && !over && len(w.plan.root.inner.jobs) > 0:
		if j := w.plan.root.inner.jobs[4]; j.state != idle && j.state != ended {
			w.write(journal.Record{Kind: journal.Decided, About: journal.Stop, Unit: j.unit})
		}
	case what < 7:
		w.answer()
	case what == 7 && len(w.ended) > 0:
		from := slices.SortedFunc(maps.Keys(w.ended), func(a, b journal.Unit) int { return cmpText(a, b) })[len(w.log)%len(w.ended)]
		if _, err := w.plan.locate(from); err == nil {
			w.inFlight = nil
			w.write(journal.Record{Kind: journal.Resumed, From: []journal.Unit{from}})
		}
	}
}

func cmpText(a, b journal.Unit) int {
	if a.String() < b.String() {
		return -1
	}
	return 1
}

// answer answers what is asked.
func (w *world) answer() {
	for _, asked := range w.asks {
		if j, n, err := w.plan.find(asked); err == nil && j.attempt == n && j.state == asking && !w.plan.over {
			w.write(journal.Record{Kind: journal.Answered, Unit: asked, Call: "call"})
		}
	}
	w.asks = nil
}

// byUnit are outcomes that hang on the unit alone: some first attempts fail, some
// conditions do not hold.
func byUnit(w *world) {
	hash := func(u journal.Unit) uint32 {
		h := fnv.New32a()
		fmt.Fprint(h, u.Path(), u.Name(), u.Round())
		if i, ok := u.Element(); ok {
			fmt.Fprint(h, i)
		}
		return h.Sum32()
	}
	w.outcome = func(u journal.Unit, step *workflows.Step) journal.Status {
		if u.Attempt() == 1 && step.Retry.MaxAttempts > 1 && hash(u)%2 == 0 || step.OnError == workflows.OnErrorContinue && hash(u)%3 == 0 {
			return journal.Failed
		}
		return journal.Succeeded
	}
	w.holds = func(u journal.Unit, about journal.About, round int) bool { return about == journal.If || round == 2 }
}

// A run that dies after any of its records, and is gone on with, comes to what it
// would have come to, and does nothing again that had ended.
func TestDeathAfterAnyRecord(t *testing.T) {
	whole := newWorld(t, parseEverything(t), 3)
	byUnit(whole)
	whole.begin()
	whole.run(first)
	if !whole.plan.over || whole.plan.status != journal.Succeeded {
		t.Fatalf("the run came to %q\n%s", whole.plan.status, whole.tail())
	}
	for n := 1; n < len(whole.log); n++ {
		w := newWorld(t, whole.workflow, 3)
		byUnit(w)
		done := map[journal.Unit]bool{}
		for _, r := range whole.log[:n] {
			w.write(r)
			if r.Kind == journal.Ended {
				w.ended[r.Unit] = r.Status
				done[r.Unit] = true
			}
		}
		w.die()
		w.write(journal.Record{Kind: journal.Resumed})
		w.run(first)
		if diff := cmp.Diff(whole.ended, w.ended, cmp.AllowUnexported(journal.Unit{})); diff != "" {
			t.Fatalf("died after record %d (-whole +gone on with):\n%s", n, diff)
		}
		for _, r := range w.log[n:] {
			if r.Kind == journal.Began && done[r.Unit.WithAttempt(0)] {
				t.Fatalf("died after record %d: %s had ended and begins again", n, r.Unit)
			}
		}
	}
}

// What a plan keeps of an element that has ended is nearly nothing.
func TestElementsAreSmall(t *testing.T) {
	const count = 100_000
	w := newWorld(t, parse(t, "name: t\nsteps: [{id: all, foreach: '${{ 1..100000 }}', max_parallel: 8, run: x}]\n"), 8)
	all := journal.Unit{}.Child("all")
	seq := int64(0)
	take := func(r journal.Record) {
		seq++
		r.Seq = seq
		if err := w.plan.Take(r); err != nil {
			t.Fatal(err)
		}
	}
	take(journal.Record{Kind: journal.Run, Parallel: 8})
	take(journal.Record{Kind: journal.Decided, Unit: all, About: journal.Elements, Count: count})
	before := heap()
	for i := range count {
		take(journal.Record{Kind: journal.Began, Unit: all.WithElement(i).WithAttempt(1)})
		take(journal.Record{Kind: journal.Ended, Unit: all.WithElement(i), Status: journal.Succeeded})
	}
	if grown := int64(heap()) - int64(before); grown > 4*count {
		t.Errorf("%d bytes for %d elements", grown, count)
	}
	if due := w.plan.Due(); len(due) != 1 || due[0].Do != Conclude {
		t.Errorf("%v are due", due)
	}
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func BenchmarkTake(b *testing.B) {
	workflow := parse(b, "name: t\nsteps: [{id: all, foreach: '${{ 1..10 }}', max_parallel: 8, run: x}]\n")
	all := journal.Unit{}.Child("all")
	for b.Loop() {
		p, seq := New(workflow, Options{}), int64(0)
		take := func(r journal.Record) {
			seq++
			r.Seq = seq
			if err := p.Take(r); err != nil {
				b.Fatal(err)
			}
		}
		take(journal.Record{Kind: journal.Run, Parallel: 8})
		take(journal.Record{Kind: journal.Decided, Unit: all, About: journal.Elements, Count: 10_000})
		for i := range 10_000 {
			attempt := all.WithElement(i).WithAttempt(1)
			take(journal.Record{Kind: journal.Began, Unit: attempt})
			take(journal.Record{Kind: journal.Said, Unit: attempt, Spent: journal.Amount{Tokens: 5}})
			take(journal.Record{Kind: journal.Ended, Unit: all.WithElement(i), Status: journal.Succeeded})
			if len(p.Due()) == 0 {
				b.Fatal("internal error: no step can run, and the run has not ended:")
			}
		}
	}
}

package plan

import (
	"slices"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// A decoder makes records of bytes, the possible ones among them.
type decoder struct {
	bytes []byte
}

func (d *decoder) next(n int) int {
	if len(d.bytes) == 0 || n == 0 {
		return 0
	}
	b := int(d.bytes[0])
	d.bytes = d.bytes[1:]
	return b % n
}

var (
	allKinds = []journal.Kind{
		journal.Run, journal.Decided, journal.Began, journal.Said, journal.Called, journal.Answer, journal.Again, journal.Asked,
		journal.Answered, journal.Ended, journal.Ended, journal.Resumed, journal.Resumed, journal.End, "went",
	}
	allAbouts   = []journal.About{"", journal.If, journal.Elements, journal.Until, journal.Rested, journal.Stop, journal.Keep}
	allStatuses = []journal.Status{"", journal.Succeeded, journal.Failed, journal.Stopped, journal.Cancelled, journal.Skipped, journal.Waiting, "lost"}
	allUnits    = []string{"", "lint", "pages", "pages[3]", "strict[1]", "loop", "loop/a#1", "loop/b#2", "nested[1]/b[2]", "used/x", "tidy", "last", "none", "lint/x"}
)

// record is any record, mostly of what there is.
func (d *decoder) record(p *Plan) journal.Record {
	r := journal.Record{
		Kind: allKinds[d.next(len(allKinds))], About: allAbouts[d.next(len(allAbouts))], Status: allStatuses[d.next(len(allStatuses))],
		Holds: d.next(2) == 1, Count: d.next(5), Parallel: d.next(4), Forgiven: d.next(2) == 1, Fatal: d.next(4) == 3,
		Once: d.next(4) == 3, Changed: d.next(8) == 7, Base: d.next(3),
	}
	u, err := journal.ParseUnit(allUnits[d.next(len(allUnits))])
	if due := p.Due(); d.next(3) > 0 && len(due) > 0 {
		u, err = due[d.next(len(due))].Unit, nil
	}
	if err == nil {
		r.Unit = u.WithAttempt(max(u.Attempt(), d.next(3)))
	}
	if d.next(3) == 0 && !u.IsZero() {
		r.From = []journal.Unit{u}
	}
	return r
}

func FuzzTake(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 3})
	for seed := range uint64(20) {
		random, bytes := seeded(seed), make([]byte, 400)
		for i := range bytes {
			bytes[i] = byte(random.IntN(256))
		}
		f.Add(bytes)
	}
	workflow := parseEverything(f)
	f.Fuzz(func(t *testing.T, bytes []byte) {
		if len(bytes) > 5000 {
			return
		}
		d := &decoder{bytes}
		w := newWorld(t, workflow, 2)
		w.begin()
		for len(d.bytes) > 0 {
			if due := w.plan.Due(); d.next(2) == 0 && len(due) > 0 {
				w.do(due[d.next(len(due))])
				continue
			}
			before := w.plan.Due()
			r := d.record(w.plan)
			r.Seq = int64(len(w.log) + 1)
			if err := w.plan.Take(r); err != nil {
				if after := w.plan.Due(); !slices.Equal(before, after) {
					t.Fatalf("%+v is refused, and changes what is due:\n%v\n%v", r, before, after)
				}
				continue
			}
			w.log = append(w.log, r)
			w.inFlight = nil
		}
		if busy := w.plan.busy; busy < 0 || busy > w.plan.slots || w.plan.working < 0 || w.plan.asking < 0 {
			t.Fatalf("%d of %d slots are taken; %d work, %d ask", busy, w.plan.slots, w.plan.working, w.plan.asking)
		}
	})
}

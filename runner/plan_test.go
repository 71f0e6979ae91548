package runner

import (
	"slices"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// chart makes a list of steps from what each needs.
func chart(needs ...[]int) listPlan {
	list := make(listPlan, len(needs))
	for i, n := range needs {
		list[i] = &workflows.Step{Needs: n}
	}
	return list
}

// A play is what happens to a plan: tasks that end well (+n) or badly (-n),
// counted from 1, each followed by what the plan starts then.
type play struct {
	end  int
	want []int
}

func outcomeOf(well bool) outcome {
	if well {
		return good
	}
	return bad
}

func perform(t *testing.T, p plan, n int, first []int, plays []play) {
	t.Helper()
	past := newPast(n)
	step := func(what string, want []int) {
		t.Helper()
		got := p.next(past)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: starts %v, want %v", what, got, want)
		}
		if again := p.next(past); !slices.Equal(got, again) {
			t.Fatalf("%s: asked again, the plan says %v after %v", what, again, got)
		}
		for _, i := range got {
			past.start(i)
		}
	}
	step("at first", first)
	for _, play := range plays {
		unit := max(play.end, -play.end) - 1
		past.end(unit, outcomeOf(play.end > 0))
		step("after a unit ended", play.want)
	}
	if past.running != 0 {
		t.Errorf("%d tasks still run at the end", past.running)
	}
}

func TestListPlan(t *testing.T) {
	tests := []struct {
		name  string
		list  listPlan
		first []int
		plays []play
	}{
		{"in sequence", chart(nil, []int{0}, []int{1}), []int{0}, []play{{1, []int{1}}, {2, []int{2}}, {3, nil}}},
		{"all at once", chart(nil, nil, nil), []int{0, 1, 2}, []play{{2, nil}, {1, nil}, {3, nil}}},
		{"a join waits for both", chart(nil, nil, []int{0, 1}), []int{0, 1}, []play{{2, nil}, {1, []int{2}}, {3, nil}}},
		{"a step after a failure is due: its condition decides", chart(nil, []int{0}), []int{0}, []play{{-1, []int{1}}, {2, nil}}},
		{"nothing to do", chart(), nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { perform(t, test.list, len(test.list), test.first, test.plays) })
	}
}

func TestFanPlan(t *testing.T) {
	tests := []struct {
		name  string
		plan  fanPlan
		n     int
		first []int
		plays []play
	}{
		{"two at a time, in order", fanPlan{parallel: 2}, 4, []int{0, 1}, []play{{2, []int{2}}, {1, []int{3}}, {3, nil}, {4, nil}}},
		{"nothing more after a failure", fanPlan{parallel: 2}, 4, []int{0, 1}, []play{{-1, nil}, {2, nil}}},
		{"failures are collected", fanPlan{parallel: 2, goOn: true}, 3, []int{0, 1}, []play{{-1, []int{2}}, {-2, nil}, {3, nil}}},
		{"fewer elements than slots", fanPlan{parallel: 8}, 2, []int{0, 1}, []play{{1, nil}, {2, nil}}},
		{"no elements", fanPlan{parallel: 8}, 0, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { perform(t, test.plan, test.n, test.first, test.plays) })
	}
}

func TestRepeatPlan(t *testing.T) {
	tests := []struct {
		name  string
		most  int
		ends  []outcome
		count int // of the goes that are started
	}{
		{"well at once", 3, []outcome{good}, 1},
		{"badly, for good", 3, []outcome{bad}, 1},
		{"until it goes well", 3, []outcome{again, good}, 2},
		{"until there are none left", 3, []outcome{again, again, again}, 3},
		{"only once", 1, []outcome{again}, 1},
		{"none at all", 0, nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			plan, past := repeatPlan{test.most}, newPast(0)
			for _, end := range test.ends {
				due := plan.next(past)
				if !slices.Equal(due, []int{past.started}) {
					t.Fatalf("after %d goes the plan starts %v", past.started, due)
				}
				past.start(due[0])
				if more := plan.next(past); len(more) > 0 {
					t.Fatalf("two goes at once: %v", more)
				}
				past.end(due[0], end)
			}
			if due := plan.next(past); len(due) > 0 || past.started != test.count {
				t.Errorf("%d goes, then %v; want %d and no more", past.started, due, test.count)
			}
			if want := test.count > 0 && test.ends[len(test.ends)-1] == again; past.wanting() != want {
				t.Errorf("another go is wanted: %v", past.wanting())
			}
		})
	}
}

func TestStands(t *testing.T) {
	list := chart(nil, []int{0}, nil, []int{1, 2})
	past := newPast(4)
	for _, i := range []int{0, 1, 2} {
		past.start(i)
		past.end(i, outcomeOf(i != 0))
	}
	want := []bool{true, false, true, false}
	for i, stands := range want {
		if got := list.stands(i, past); got != stands {
			t.Errorf("step %d stands: %v, want %v", i, got, stands)
		}
	}
}

func BenchmarkListPlan(b *testing.B) {
	const n = 1000
	needs := make([][]int, n)
	for i := 1; i < n; i++ {
		needs[i] = []int{i - 1}
	}
	list := chart(needs...)
	for b.Loop() {
		past := newPast(n)
		for range n {
			for _, i := range list.next(past) {
				past.start(i)
				past.end(i, good)
			}
		}
	}
}

// The events of a run are all that the plan needs: read again, they give the
// same past, in which each step that started was due.
func TestEventsFoldIntoThePast(t *testing.T) {
	tr := newTrial(t)
	const source = `
name: t
steps:
  - {id: a, run: "true"}
  - {id: b, needs: [], run: "true"}
  - {id: c, needs: [a, b], if: "1 > 2", run: "true"}
  - {id: d, foreach: "${{ 1..3 }}", run: "true"}
  - {id: e, needs: [b], run: "exit 1", on_error: continue}
  - {id: f, run: "true"}
`
	tr.run(source)
	list := listPlan{{Name: "a"}, {Name: "b"}, {Name: "c", Needs: []int{0, 1}}, {Name: "d", Needs: []int{2}}, {Name: "e", Needs: []int{1}}, {Name: "f", Needs: []int{4}}}
	places := map[string]int{}
	for i, step := range list {
		places[step.Name] = i
	}
	past := newPast(len(list))
	for _, e := range tr.events {
		i, mine := places[e.Step]
		if !mine || e.Index != nil {
			continue
		}
		if !past.tasks[i].started && (e.Type == StepStarted || e.Type == StepFinished) {
			if due := list.next(past); !slices.Contains(due, i) {
				t.Fatalf("%s began when only %v were due", e.Step, due)
			}
			past.start(i)
		}
		if e.Type == StepFinished {
			past.end(i, outcomeOf(e.Status == steps.Succeeded || e.Status == steps.Skipped || e.Step == "e"))
		}
	}
	if due := list.next(past); past.running != 0 || len(due) != 0 || past.failures > 0 {
		t.Errorf("after all events %d run, %v are due, %d failed", past.running, due, past.failures)
	}
}

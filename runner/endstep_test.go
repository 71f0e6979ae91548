package runner

import (
	"strings"
	"testing"
)

// Once a list is ended only steps with always() run: a condition that calls success() or failure()
// is not evaluated, and what runs with one is cancelled.
func TestAfterAnEndOnlyAlwaysRuns(t *testing.T) {
	for source, want := range map[string]string{
		"- {id: a, run: echo a}\n- {id: stop, end: succeeded}\n- {id: b, if: success(), run: echo b}\n- {id: c, if: success() || failure(), run: echo c}\n- {id: d, if: always(), run: echo d}": "a=succeeded stop=succeeded b=skipped c=skipped d=succeeded",
		"- {id: a, run: until test -e began; do sleep 0.01; done}\n- {id: stop, end: succeeded}\n- {id: b, needs: [], if: success(), run: echo x > began; sleep 60}":                            "a=succeeded stop=succeeded b=cancelled",
	} {
		tr := newTrial(t)
		r := tr.run("name: t\nsteps:\n" + source + "\n")
		if got := statuses(r); got != want || r.Err() != nil || strings.Contains(tr.file("run/journal.jsonl"), `"about":"if","unit":"c"`) {
			t.Errorf("got %s, %v, want %s", got, r.Err(), want)
		}
	}
}

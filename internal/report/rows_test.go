package report

import (
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/view"
)

// A change that the words of both sides do not show is none.
func TestNoChangeBetweenEqualWords(t *testing.T) {
	for _, r := range numbers("", &view.Measured{TookMS: 13_100}, &view.Measured{TookMS: 13_000}) {
		if r.name == "time" && (r.before != "13s" || r.change != "") {
			t.Errorf("%+v", r)
		}
	}
}

package runner

import (
	"path/filepath"
	"testing"
)

// What a step said is the text of a run, unless its checks or its schema have refused
// it: nobody is to take that for a result, also not of the journal.
func TestTextThatWasRefused(t *testing.T) {
	for _, test := range []struct{ name, step, want string }{
		{"held", `checks: [{expr: "1 == 1"}]`, "said: hi"},
		{"refused by a check", `checks: [{expr: "1 == 2"}], max_fixes: 0`, ""},
		{"refused by a schema", `output: {type: object}`, ""},
		{"refused, and gone on from", `checks: [{expr: "1 == 2"}], max_fixes: 0, on_error: continue`, ""},
	} {
		tr := newTrial(t)
		r := tr.run("name: t\nmodel: fake/one\nsteps: [{id: a, prompt: hi, " + test.step + "}]\n")
		if got := r.Text(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
		again, err := ReadResult(filepath.Join(tr.dir, "run"))
		if err != nil {
			t.Fatal(err)
		}
		if got := again.Text(); got != test.want {
			t.Errorf("%s, from the journal: got %q, want %q", test.name, got, test.want)
		}
	}
}

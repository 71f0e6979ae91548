package runner

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
)

// Errors say which option would mend them; what that is called is for the program
// to say.
func TestErrorsNameOptions(t *testing.T) {
	for _, test := range []struct {
		name, source string
		folder       bool // can be made
		hint, option string
	}{
		{"a folder", "steps: [{run: echo}]", false, "", OptionDir},
		{"a model", "steps: [{prompt: Hi.}]", true, "name one with model: in the workflow", OptionModel},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := newTrial(t)
			if !test.folder {
				tr.change = func(o *Options) { o.Dir = filepath.Join(tr.dir, "file", "run") }
			}
			if err := os.WriteFile(filepath.Join(tr.dir, "file"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := tr.try("name: t\n" + test.source + "\n")
			var failed *steps.Error
			if !errors.As(err, &failed) || failed.Hint != test.hint || failed.Option != test.option {
				t.Errorf("got %v (%+v), want the hint %q and the option %q", err, failed, test.hint, test.option)
			}
		})
	}
}

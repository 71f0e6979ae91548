package runner

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/a-seed-11b9befa/flow/steps"
)

// Hints name options as whoever reads them knows them.
func TestHintsNameOptions(t *testing.T) {
	flags := OptionNames{Dir: "--run-dir", Model: "--model", BudgetUSD: "--budget-usd"}
	tests := []struct {
		name, source string
		names        OptionNames
		folder       bool // can be made
		want         string
	}{
		{"a folder", "steps: [{run: echo}]", OptionNames{}, false, "name another folder with Options.Dir"},
		{"a folder, as a flag", "steps: [{run: echo}]", flags, false, "name another folder with --run-dir"},
		{"a model", "steps: [{prompt: Hi.}]", OptionNames{}, true, "name one with model: in the workflow, or with Options.Model"},
		{"a model, as a flag", "steps: [{prompt: Hi.}]", flags, true, "name one with model: in the workflow, or with --model"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := newTrial(t)
			tr.change = func(o *Options) {
				o.Names = test.names
				if !test.folder {
					o.Dir = filepath.Join(tr.dir, "file", "run")
				}
			}
			if err := os.WriteFile(filepath.Join(tr.dir, "file"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := tr.try("name: t\n" + test.source + "\n")
			var told *steps.Error
			if !errors.As(err, &told) || told.Hint != test.want {
				t.Errorf("got %v (%+v), want the hint %q", err, told, test.want)
			}
		})
	}
}

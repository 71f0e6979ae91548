package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// A Resumption says that a run is gone on with, in its folder. What had ended is
// kept, but for what did not succeed of a run that had come to its end; what was in
// flight goes on.
type Resumption struct {
	From []unit.Unit // what is taken up anew, with all that depends on it
}

// A Beginning is how a run began, as its journal has it.
type Beginning struct {
	RunID     string
	File      string            // of the workflow, as it was given
	Files     map[string]string // that it was made of, with the SHA-256 of each
	Inputs    map[string]any
	Workspace string
	Options   Recorded
	Status    record.Status // how the run has ended; "" where it has not
}

// ReadBeginning reads the journal of a run for how it began.
func ReadBeginning(dir string) (*Beginning, error) {
	reader, err := journal.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	b := &Beginning{}
	for r, err := range reader.Records() {
		if err == nil && r.Kind == record.Run {
			err = b.take(reader, r)
		}
		if err != nil {
			return nil, err
		}
		if b.Status = ""; r.Kind == record.End {
			b.Status = r.Status
		}
	}
	if b.RunID == "" {
		return nil, errors.New("the journal is empty: the run had not begun")
	}
	return b, nil
}

func (b *Beginning) take(reader *journal.Reader, r record.Record) error {
	data, err := reader.Data(r)
	if err != nil {
		return err
	}
	var s record.Start
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("record 1: %w", err)
	}
	b.RunID, b.File, b.Files, b.Workspace = s.RunID, s.Workflow.File, s.Files, s.Workspace
	if err := json.Unmarshal(s.Options, &b.Options); err != nil {
		return fmt.Errorf("record 1: %w", err)
	}
	return decode(s.Inputs, &b.Inputs)
}

// openAgain opens the folder of a run that is gone on with.
func (f *folder) openAgain() error {
	return ignoreMissing(f.root.Remove("run.json"))
}

// hidden reports whether a result has what stands in the place of secrets.
func hidden(r *StepResult) bool {
	output, _ := r.Output.(string)
	return strings.Contains(r.Text, "***") || strings.Contains(output, "***") || strings.Contains(r.Stdout, "***")
}

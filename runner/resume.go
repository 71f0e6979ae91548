package runner

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// A Resumption says that a run is gone on with, in its folder. What had ended is
// kept, but for what did not succeed of a run that had come to its end; what was in
// flight goes on.
type Resumption struct {
	From []unit.Unit // what is taken up anew, with all that depends on it

	// Failed takes up again what did not succeed, also where the run did, or was cut off.
	// With Changed it does that anyway.
	Failed bool

	// Changed says that the files of the workflow are others than those of the run, in
	// what they say of its steps: what succeeded with the same work is kept, and
	// everything else begins anew.
	Changed bool

	// Answers to what the run waits for: where one of them is refused nothing is done.
	Answers []GivenAnswer
}

// A Beginning is how a run began, as its journal has it.
type Beginning struct {
	RunID     string
	File      string            // of the workflow, as it was given
	Files     map[string]string // that it was made of, with the SHA-256 of each
	Inputs    map[string]any
	Workspace string
	Options   Recorded      // the last ones
	Status    record.Status // how the run has ended; "" where it has not
	Steps     []record.Step

	dir  string
	at   int64             // where the record is that says this
	sums map[string]string // of what the workflow says beside its steps; none of an older flow
}

// ReadBeginning reads the journal of a run for how it began.
func ReadBeginning(dir string) (*Beginning, error) {
	reader, err := journal.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	b := &Beginning{dir: dir}
	for r, err := range reader.Marks() {
		if err == nil && (r.Kind == record.Run || r.Kind == record.Resumed) {
			err = b.take(reader, r)
		}
		if err != nil {
			return nil, err
		}
		switch r.Kind {
		case record.Resumed:
			b.Status = ""
		case record.End:
			b.Status = r.Status
		}
	}
	if b.RunID == "" {
		_, err = reader.First()
	}
	return b, err
}

func (b *Beginning) take(reader *journal.Reader, r record.Record) (err error) {
	if r.Kind == record.Resumed && r.Data.IsZero() {
		return nil // it says nothing new
	}
	if b.Options, _, err = optionsIn(reader, r); err != nil || r.Kind == record.Resumed && !r.Changed {
		return err
	}
	s, err := reader.Start(r)
	if err != nil {
		return err
	}
	b.at = r.At
	b.RunID, b.File, b.Files, b.Workspace, b.Steps, b.sums = s.RunID, s.Workflow.File, s.Files, s.Workspace, s.Steps, s.Sums
	b.Inputs = nil
	return decode(s.Inputs, &b.Inputs)
}

// Reveal puts secrets back into the inputs, the values of variables by their names. It
// returns the names of the inputs in which others are hidden.
func (b *Beginning) Reveal(secrets map[string]string) (hidden []string, err error) {
	reader, err := journal.OpenReaderWith(b.dir, journal.Secrets{Values: secrets, Salt: b.RunID})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	r, err := reader.At(b.at)
	if err != nil {
		return nil, err
	}
	s, err := reader.Start(r)
	if err != nil {
		return nil, err
	}
	var inputs map[string]json.RawMessage
	if err := json.Unmarshal(s.Inputs, &inputs); err != nil {
		return nil, err
	}
	for name, value := range inputs {
		if journal.Hidden(value) {
			hidden = append(hidden, name)
		}
	}
	slices.Sort(hidden)
	b.Inputs = nil
	return hidden, decode(s.Inputs, &b.Inputs)
}

// optionsIn are those that a record says the run is gone on with; commit is that of the
// workspace then.
func optionsIn(reader *journal.Reader, r record.Record) (o Recorded, commit string, err error) {
	var with record.Resumption
	if err = reader.Decode(r, &with); err == nil && with.Options != nil {
		err = json.Unmarshal(with.Options, &o)
	}
	if err != nil {
		err = fmt.Errorf("record %d: options: %w", r.Seq, err)
	}
	return o, with.Commit, err
}

// openAgain opens the folder of a run that is gone on with.
func (f *folder) openAgain() error {
	return ignoreMissing(f.root.Remove("run.json"))
}

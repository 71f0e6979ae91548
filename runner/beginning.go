package runner

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A Resumption says how a run is resumed in its folder. Units that had ended are kept; only if
// the run had ended, too, those that did not succeed run again. What was in flight continues.
type Resumption struct {
	From []journal.Address // units that run again, with everything that depends on them

	// Failed runs again everything that did not succeed, also if the run succeeded or was
	// cut off. With Changed that is so anyway, and units that succeeded are kept although their
	// work has changed.
	Failed bool

	// Changed says that steps in the workflow's files have changed: units that succeeded
	// with the same work are kept, and everything else starts over.
	Changed bool

	// Answers to what the run waits for. If one of them is refused, nothing runs.
	Answers []Answer
}

// A Beginning is how a run began, according to its journal, or was last resumed with changed files.
type Beginning struct {
	journal.Start                 // its Inputs have the names of secrets in place of their values
	Dir           string          // the folder of the run
	Options       RecordedOptions // the last ones
	Status        steps.Status    // of the run's end; "" if it has not ended

	lastCommit string // of the workspace, at the run's end, or when it began or was resumed last
}

// ReadBeginning reads from the journal of a run how it began.
func ReadBeginning(dir string) (*Beginning, error) {
	reader, err := journal.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	b := &Beginning{Dir: dir}
	for r, err := range reader.Records(journal.Run, journal.Resumed, journal.End) {
		if err == nil {
			err = b.take(r)
		}
		if err != nil {
			return nil, err
		}
	}
	if b.RunID == "" {
		_, err = reader.First()
	}
	return b, err
}

// take takes in a record with which a process began to work in the run, or ended it.
func (b *Beginning) take(r journal.Record) (err error) {
	var with journal.Resumption
	err = json.Unmarshal(r.Data, &with)
	if b.Status, b.lastCommit = r.Status, with.Commit; r.Kind == journal.End {
		return nil // what is lost of the end is not needed
	}
	if err == nil && r.Kind == journal.Run {
		err = json.Unmarshal(r.Data, &with.Start)
	}
	if err == nil {
		b.Options = RecordedOptions{}
		err = json.Unmarshal(with.Options, &b.Options)
	}
	if err != nil {
		return fmt.Errorf("record %d: %w", r.Seq, err)
	}
	if with.Start != nil {
		b.Start = *with.Start
	}
	return nil
}

// Reveal returns the inputs with secrets, the values of variables by name, put back, and the names of
// the inputs in which other secrets are hidden.
func (b *Beginning) Reveal(secrets map[string]string) (inputs map[string]any, hidden []string, err error) {
	data := journal.Secrets{Values: secrets, Salt: b.RunID}.Reveal(b.Inputs)
	var texts map[string]json.RawMessage
	if err := json.Unmarshal(data, &texts); err != nil {
		return nil, nil, err
	}
	for name, text := range texts {
		if journal.Hidden(text) {
			hidden = append(hidden, name)
		}
	}
	slices.Sort(hidden)
	err = jsonline.Decode(data, &inputs)
	return inputs, hidden, err
}

package runner

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// A Resumption says how a run is resumed in its folder. Units that had ended are kept; only if
// the run had ended, too, those that did not succeed run again. What was in flight continues.
type Resumption struct {
	From []journal.Unit // units that run again, with everything that depends on them

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

// A Beginning is how a run began, according to its journal.
type Beginning struct {
	Dir       string // the folder of the run
	RunID     string
	File      string            // the path of the workflow, as it was given
	Files     map[string]string // the SHA-256 of each of its files
	Workspace string
	Options   Recorded       // the last ones
	Status    journal.Status // of the run's end; "" if it has not ended
	Steps     []journal.Step

	inputs json.RawMessage   // as they are recorded: the names of secrets stand for their values
	sums   map[string]string // the digests of the workflow's keys beside its steps
}

// ReadBeginning reads from the journal of a run how it began.
func ReadBeginning(dir string) (*Beginning, error) {
	reader, err := journal.OpenReaderWith(dir, journal.Secrets{}) // puts no secret back
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	b := &Beginning{Dir: dir}
	for r, err := range reader.Records(journal.Run, journal.Resumed, journal.End) {
		if err == nil && (r.Kind == journal.Run || r.Kind == journal.Resumed) {
			err = b.take(reader, r)
		}
		if err != nil {
			return nil, err
		}
		switch r.Kind {
		case journal.Resumed:
			b.Status = ""
		case journal.End:
			b.Status = r.Status
		}
	}
	if b.RunID == "" {
		_, err = reader.First()
	}
	return b, err
}

func (b *Beginning) take(reader *journal.Reader, r journal.Record) (err error) {
	if r.Kind == journal.Resumed && r.Data == nil {
		return nil // it has nothing new
	}
	if b.Options, _, err = optionsIn(reader, r); err != nil || r.Kind == journal.Resumed && !r.Changed {
		return err
	}
	s, err := reader.Start(r)
	if err != nil {
		return err
	}
	b.RunID, b.File, b.Files, b.Workspace, b.Steps, b.sums = s.RunID, s.Workflow.File, s.Files, s.Workspace, s.Steps, s.Sums
	b.inputs = s.Inputs
	return nil
}

// Reveal returns the inputs with secrets, the values of variables by name, put back, and the names of
// the inputs in which other secrets are hidden.
func (b *Beginning) Reveal(secrets map[string]string) (inputs map[string]any, hidden []string, err error) {
	data := journal.Secrets{Values: secrets, Salt: b.RunID}.Reveal(b.inputs)
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

// optionsIn returns the options in a record, and the commit of the workspace at that time.
func optionsIn(reader *journal.Reader, r journal.Record) (o Recorded, commit string, err error) {
	var with journal.Resumption
	if err = reader.Decode(r, &with); err == nil && with.Options != nil {
		err = json.Unmarshal(with.Options, &o)
	}
	if err != nil {
		err = fmt.Errorf("record %d: options: %w", r.Seq, err)
	}
	return o, with.Commit, err
}

package runner

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// ReadResult reads what a run came to out of its folder. What each element of
// a foreach came to is not held in memory, but read when [StepResult.Elements]
// asks for it.
//
// A run that was killed, or still runs, has no run.json: what its events tell
// is the result then, which has no Finished, and says whether it is Running. Steps without a status had not
// ended, and of their elements are there those that had failed.
func ReadResult(dir string) (*Result, error) {
	name := filepath.Join(dir, "run.json")
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return replayResult(dir)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := readRun(json.NewDecoder(bufio.NewReaderSize(file, 64<<10)), name)
	if err != nil {
		return nil, fmt.Errorf("run.json: %w", err)
	}
	return r, nil
}

func readRun(d *json.Decoder, file string) (*Result, error) {
	r := &Result{}
	var rest bytes.Buffer
	err := readObject(d, func(field string, d *json.Decoder) error {
		if field != "steps" {
			return keepField(&rest, field, d)
		}
		return readObject(d, func(path string, d *json.Decoder) error {
			step, err := readStep(d, file)
			if err != nil {
				return err
			}
			step.path = path
			r.Steps = append(r.Steps, step)
			if step.Status != steps.Skipped && !strings.Contains(path, "/") {
				r.last = step
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	type fields Result // without the methods
	err = decodeFields(&rest, (*fields)(r))
	tools.ExactNumbers(r.Inputs)
	return r, err
}

// readStep reads a step's result, and of its elements only where they stand.
func readStep(d *json.Decoder, file string) (*StepResult, error) {
	var rest bytes.Buffer
	var found *fileShelf
	err := readObject(d, func(field string, d *json.Decoder) (err error) {
		if field != "results" {
			return keepField(&rest, field, d)
		}
		found, err = findElements(d, file)
		return err
	})
	r := &StepResult{}
	if err == nil {
		err = decodeFields(&rest, r)
	}
	if found != nil {
		r.elements = &elements{shelf: found, count: len(found.spans)}
	}
	return r, err
}

// keepField copies a field to be decoded with the others.
func keepField(rest *bytes.Buffer, name string, d *json.Decoder) error {
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		return err
	}
	key, err := json.Marshal(name)
	fmt.Fprintf(rest, ",%s:%s", key, value)
	return err
}

// decodeFields decodes what [keepField] has kept.
func decodeFields(rest *bytes.Buffer, into any) error {
	object := bytes.TrimPrefix(rest.Bytes(), []byte(","))
	return decode(fmt.Appendf(nil, "{%s}", object), into)
}

// A fileShelf has elements by where they stand in a file.
type fileShelf struct {
	file  string
	spans []span
}

// A span is a part of a file, in bytes.
type span struct{ from, to int64 }

// findElements reads a list, and notes where each element of it is.
func findElements(d *json.Decoder, file string) (*fileShelf, error) {
	if err := expect(d, '['); err != nil {
		return nil, err
	}
	s := &fileShelf{file: file}
	for d.More() {
		from := d.InputOffset()
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return nil, err
		}
		s.spans = append(s.spans, span{from, d.InputOffset()})
	}
	return s, expect(d, ']')
}

func (s *fileShelf) written(i int) ([]byte, error) {
	file, err := os.Open(s.file)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	at := s.spans[i]
	data := make([]byte, at.to-at.from)
	if _, err := file.ReadAt(data, at.from); err != nil {
		return nil, err
	}
	return bytes.TrimLeft(data, ", \t\r\n"), nil
}

func (s *fileShelf) element(i int) (*ElementResult, error) {
	data, err := s.written(i)
	if err != nil {
		return nil, err
	}
	var element ElementResult
	return &element, element.UnmarshalJSON(data)
}

// mostEventBytes bounds one line of events.
const mostEventBytes = 64 << 20

// ReadEvents reads the events of a run out of its folder, in order, one at a
// time, whether the run has ended or not. A last line that is not whole yet is
// left out. An error without an event stands for the line that it names, and
// the lines after it still come, unless it is the file that can't be read.
func ReadEvents(dir string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		file, err := os.Open(filepath.Join(dir, "events.jsonl"))
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer file.Close()
		lines := bufio.NewReaderSize(file, 64<<10)
		for number := 1; ; number++ {
			line, err := readLine(lines, mostEventBytes)
			var e Event
			switch {
			case errors.Is(err, io.EOF): // what is there of a line has no end
				return
			case errors.Is(err, errLongLine):
				err = fmt.Errorf("events.jsonl:%d: %w", number, err)
			case err != nil:
				yield(Event{}, err)
				return
			default:
				if err = e.UnmarshalJSON(line); err != nil {
					e, err = Event{}, fmt.Errorf("events.jsonl:%d: %w", number, err)
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

var errLongLine = errors.New("longer than 64 MiB")

// readLine reads a line with its newline. One that is longer than most is read
// over.
func readLine(r *bufio.Reader, most int) (line []byte, err error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > most; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, err
		case long:
			return nil, errLongLine
		default:
			return line, nil
		}
	}
}

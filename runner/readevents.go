package runner

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

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

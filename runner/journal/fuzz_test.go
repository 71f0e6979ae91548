package journal

import (
	"bytes"
	"errors"
	"testing"
)

// Whatever a journal holds, it is read to its end, or to an error with a line. Half
// of the time its lines have the right sums, so that what is in them is read too.
func FuzzRead(f *testing.F) {
	const first = `{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"run","version":1` + "\n"
	f.Add([]byte(first), true)
	f.Add([]byte(first+`{"seq":2,"time":"2026-01-02T03:04:05Z","kind":"ended","unit":"a","status":"failed"`+"\n"), true)
	f.Add([]byte(first+`{"seq":2,"kind":"said","unit":"a~1","data":{"file":"outputs/x"}`+"\n"), true)
	f.Add([]byte(`{"seq":1,"kind":"run","version":1,"sum":"9b1f5b3a"}`+"\n"), false)
	f.Fuzz(func(t *testing.T, text []byte, sums bool) {
		if sums {
			text = summed(text)
		}
		l := readLines(bytes.NewReader(text), 100)
		var read int64
		var wrong *Error
		for _, err := range l.records("journal.jsonl", nil) {
			if err == nil {
				read++
			} else if !errors.As(err, &wrong) || wrong.Line != read+1 {
				t.Fatalf("after %d lines: %v", read, err)
			}
		}
		if whole := int64(bytes.LastIndexByte(text, '\n') + 1); l.size > whole || wrong == nil && l.size != whole {
			t.Errorf("%d of %d bytes are whole lines", l.size, len(text))
		}
	})
}

// summed ends each line with its sum.
func summed(text []byte) (out []byte) {
	var sum uint32
	for line := range bytes.Lines(text) {
		body, whole := bytes.CutSuffix(line, []byte("\n"))
		if sum = sumOf(sum, body); !whole {
			return append(out, body...)
		}
		out = appendSum(append(out, body...), sum)
	}
	return out
}

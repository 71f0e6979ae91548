package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

var (
	dataStart = []byte(`,"data":`)
	blobStart = []byte(`{"$blob":`)
)

// ParseRecord reads a record from its line, from { to }. Data is copied and not looked
// at: whether it is JSON shows when it is decoded.
func ParseRecord(line []byte) (Record, error) {
	// In a string a quote stands behind a backslash, never behind a comma: this
	// is where the member begins.
	head, data, found := bytes.Cut(line, dataStart)
	var r Record
	if found {
		data, closed := bytes.CutSuffix(data, []byte("}"))
		if !closed || len(data) == 0 {
			return r, fmt.Errorf("the record is not an object")
		}
		r.Data = bytes.Clone(data)
		head = append(head[:len(head):len(head)], '}')
	}
	if err := json.Unmarshal(head, &r); err != nil {
		return Record{}, err
	}
	if r.About == Elements {
		if err := r.readLeftOut(); err != nil {
			return Record{}, err
		}
	}
	return r, r.check()
}

// dataIn returns the data in a record's line, which it shares memory with; nil where there is none.
func dataIn(line []byte) []byte {
	_, data, _ := bytes.Cut(line, dataStart)
	return bytes.TrimSuffix(data, []byte("}"))
}

// kinds and abouts are all that there are.
var (
	kinds  = []Kind{Run, Decided, Began, Said, Called, Answer, Warned, Again, Asked, Answered, Ended, Resumed, End}
	abouts = []About{If, Elements, Until, Inner, Keep, "rested", "stop"} // versions before 0.1.0 wrote the last two
)

// check reports what no record can be, whatever came before it.
func (r *Record) check() error {
	switch {
	case !slices.Contains(kinds, r.Kind):
		return fmt.Errorf("there are no records of the kind %.40q", r.Kind)
	case (r.Kind == Decided) != (r.About != "") || r.About != "" && !slices.Contains(abouts, r.About):
		return fmt.Errorf("a record %q about %.40q", r.Kind, r.About)
	case bytes.HasPrefix(r.Data, blobStart):
		return errors.New("the journal has blobs, which versions before 0.1.0 wrote: this one can't read it")
	case min(r.Count, r.Parallel) < 0 || r.Spent.Tokens < 0 || r.Spent.CostUSD < 0:
		return fmt.Errorf("a record %q with a negative number", r.Kind)
	}
	return nil
}

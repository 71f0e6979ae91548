package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A List is the data of Decided about Elements.
type List struct {
	LeftOut []Range `json:"left_out,omitempty"` // of the indexes of elements that never begin, in order
	Items   []any   `json:"items"`
}

// A Range is the first and the last of some indexes.
type Range [2]int

// Ranges returns the ranges of sorted indexes.
func Ranges(indexes []int) (all []Range) {
	for _, i := range indexes {
		if last := len(all) - 1; last >= 0 && all[last][1] == i-1 {
			all[last][1] = i
		} else {
			all = append(all, Range{i, i})
		}
	}
	return all
}

// In the data of a list what is left out comes first.
var (
	leftOutStart = []byte(`{"left_out":`)
	itemsStart   = []byte(`,"items":`)
)

// readLeftOut sets LeftOut from the data, without reading the items.
func (r *Record) readLeftOut() error {
	ranges, found := bytes.CutPrefix(r.Data, leftOutStart)
	if !found {
		return nil
	}
	ranges, _, _ = bytes.Cut(ranges, itemsStart)
	var all []Range
	if err := json.Unmarshal(ranges, &all); err != nil {
		return fmt.Errorf("left_out: %w", err)
	}
	for _, of := range all {
		if of[0] < 0 || of[1] >= MaxElements {
			return fmt.Errorf("left_out: there are no elements %d to %d", of[0], of[1])
		}
		for i := of[0]; i <= of[1]; i++ {
			if len(r.LeftOut) == MaxElements {
				return fmt.Errorf("left_out: more than %d elements", MaxElements)
			}
			r.LeftOut = append(r.LeftOut, i)
		}
	}
	return nil
}

package view

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Elements are how far a foreach is.
type Elements struct {
	Of     int // how many it has
	Ended  int
	Failed int // of those that ended: all that did not succeed
}

// end counts an element that has ended.
func (n *Elements) end(status steps.Status) {
	n.Ended++
	if status != steps.Succeeded && status != steps.Skipped {
		n.Failed++
	}
}

// ended says how many have ended, and of how many where that is not all of them.
func (n *Elements) ended() string {
	text := tools.Count(n.Ended, "element")
	if n.Ended < n.Of {
		text = fmt.Sprintf("%s of %s", tools.Thousands(n.Ended), tools.Count(n.Of, "element"))
	}
	if n.Failed > 0 {
		text += fmt.Sprintf(", %d of them not succeeded", n.Failed)
	}
	return text
}

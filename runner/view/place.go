package view

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Place names the step, or the element of one, in which an event happened, as a
// person reads it: pages[3]. All attempts of a step are in one place. It is "" for
// an event of the whole run.
func Place(e runner.Event) string {
	place, plain := e.Place, e.Step
	if announced := e.Type == steps.Retry && e.Turn == 0; e.StepAttempt > 0 && !announced {
		place = strings.TrimSuffix(place, fmt.Sprintf("@attempt-%d", e.StepAttempt))
	}
	if e.Index != nil {
		plain += "/" + strconv.Itoa(*e.Index)
	}
	switch {
	case place != "" && place != plain:
		return place
	case e.Index != nil:
		return e.Step + "[" + strconv.Itoa(*e.Index) + "]"
	}
	return e.Step
}

// around is the place of the foreach that an element would be one of; "" where
// the place is no element's.
func around(place string, e runner.Event) string {
	if e.Index == nil {
		return ""
	}
	index := strconv.Itoa(*e.Index)
	if step, ok := strings.CutSuffix(place, "["+index+"]"); ok {
		return step
	}
	where, tries, again := strings.Cut(place, "@")
	if path.Base(where) != index {
		return ""
	}
	if again {
		tries = "@" + tries
	}
	return path.Dir(where) + tries
}

package runner

import (
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// A where is the address of a unit, and what is made of it: the fields of events
// that say the same by parts, the folder, and the name of a conversation.
type where struct {
	unit unit.Unit
	path string // of the step: group/inner

	folder       string // the path with the index of every element: pages/3/review
	conversation string // the same with rounds and attempts but for first ones: pages/3/review@round-2

	index   *int   // of the nearest element around
	round   int    // of the nearest group with rounds around
	attempt int    // of the step itself, from 2; 0 in the first
	place   string // the conversation, where path and index could mean several
}

func whereIs(u unit.Unit) where {
	w := where{unit: u}
	var names, folder, goes []string
	elements := 0
	for p := range u.Parts() {
		names, folder = append(names, p.Name), append(folder, p.Name)
		w.attempt = 0
		if p.Round > 0 {
			w.round = p.Round
		}
		goes = append(goes, later("round", p.Round))
		if p.Element >= 0 {
			index := p.Element
			w.index = &index
			elements++
			folder = append(folder, strconv.Itoa(p.Element))
		}
		if p.Attempt > 1 {
			w.attempt = p.Attempt
		}
		goes = append(goes, later("attempt", p.Attempt))
	}
	w.path, w.folder = path.Join(names...), path.Join(folder...)
	tries := strings.Join(goes, "")
	w.conversation = w.folder + tries
	if elements > 1 || tries != "" {
		w.place = w.conversation
	}
	return w
}

// later marks one of several goes at the same work, but for the first. Names of
// steps hold no @.
func later(what string, n int) string {
	if n <= 1 {
		return ""
	}
	return "@" + what + "-" + strconv.Itoa(n)
}

// A Caller is who makes a call of a tool.
type Caller struct {
	Unit   unit.Unit // the zero Unit where that is not known
	Recipe string    // the reference of the one whose step makes it; "" where that is of none
}

type callerKey struct{}

// CallerOf returns who makes the call that a context is of, as that of [Options.Ask].
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

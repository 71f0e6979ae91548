package runner

import (
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// A where is the address of a unit in its parts, as events have them.
type where struct {
	unit  journal.Unit
	path  string // of the step: group/inner
	index *int   // of the nearest element around
	round int    // of the nearest group with rounds around
	place string // if path and index are ambiguous: the path with the index of every element, and with the rounds and attempts from the second on: pages/3/review@round-2
}

func whereIs(u journal.Unit) where {
	w := where{unit: u}
	var names, folder, goes []string
	elements := 0
	for p := range u.Parts() {
		names, folder = append(names, p.Name), append(folder, p.Name)
		if p.Round > 0 {
			w.round = p.Round
		}
		goes = append(goes, later("round", p.Round))
		if p.Element >= 0 {
			w.index = new(p.Element)
			elements++
			folder = append(folder, strconv.Itoa(p.Element))
		}
		goes = append(goes, later("attempt", p.Attempt))
	}
	tries := strings.Join(goes, "")
	w.path = path.Join(names...)
	if elements > 1 || tries != "" {
		w.place = path.Join(folder...) + tries
	}
	return w
}

// later returns the mark of a later round or attempt. Names of steps contain no @.
func later(what string, n int) string {
	if n <= 1 {
		return ""
	}
	return "@" + what + "-" + strconv.Itoa(n)
}

// A Caller identifies who calls a tool.
type Caller struct {
	Unit   journal.Unit // the zero Unit if it is not known
	Recipe string       // the reference of the recipe whose step calls it; "" if it is of none
}

type callerKey struct{}

// WithCaller returns a context for the calls of c.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns who makes the call of a context, such as that of [Options.Ask].
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

package view

import (
	"cmp"
	"fmt"
	"maps"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Unit is what is known of a step or an element, while it runs or afterwards.
type Unit struct {
	Place     string         `json:"unit"`                // as [Place] names it
	Label     string         `json:"label,omitempty"`     // the name of the element that it is, or is in; "" if it has none
	Status    steps.Status   `json:"status,omitempty"`    // "" where it has not ended
	Reason    string         `json:"reason,omitempty"`    // the kind of its error
	Continued bool           `json:"continued,omitempty"` // it failed, or was stopped at a limit, and that counts as success, or the failure of a step around it does
	Kind      workflows.Kind `json:"-"`                   // "" before it began
	Agent     string         `json:"-"`                   // the agent whose settings it takes; "": none
	Part      bool           `json:"-"`                   // it is an element, or inside one
	Began     time.Time      `json:"-"`                   // zero before it began
	Took      time.Duration  `json:"-"`                   // of one that has used much
	Turn      int            `json:"-"`                   // of the conversation, from 1; 0 outside of one
	Counts    `json:"-"`

	// Elements are those of a foreach; nil for any other unit. The counts of the unit include
	// theirs.
	Elements *Elements `json:"-"`

	// Of a step of a [Past] that is outside of elements.
	Result   *runner.StepResult `json:"-"` // without its elements; nil if it has not ended
	Troubles []Trouble          `json:"-"` // of its elements and inside them, each with different words
	Untold   int                `json:"-"` // how many failures of elements, and of steps in them, are in no trouble

	last *steps.Event // the call that runs
	wait wait
	said int // bytes of the answer that is coming in, if its pieces are observed
}

// begin resets the unit to one that begins.
func (u *Unit) begin(e runner.Event) {
	*u = Unit{Place: u.Place, Kind: workflows.Kind(e.StepKind), Began: e.Time, Label: cmp.Or(e.Label, u.Label), Part: e.Index != nil}
	if e.Items != nil {
		u.Elements = &Elements{Of: *e.Items, began: e.Time, Ended: e.Earlier.Succeeded, Reasons: maps.Clone(e.Earlier.Reasons)}
		for _, n := range e.Earlier.Reasons {
			u.Elements.Failed += n
		}
		u.Elements.Ended += u.Elements.Failed
		u.Elements.earlier = u.Elements.Ended
	}
}

// follow notes what the unit does now.
func (u *Unit) follow(e runner.Event) {
	switch e.Type {
	case steps.Held:
		u.wait = wait{holds[e.HeldBy], e.Until}
	case steps.Retry:
		u.wait, u.last, u.said = wait{aRetry, e.Time.Add(e.Wait)}, nil, 0
	case runner.Asked:
		u.wait = wait{what: "a person"}
	case steps.Released:
		u.wait = wait{}
	case steps.TurnStarted:
		u.Turn, u.wait, u.last, u.said = e.Turn, wait{}, nil, 0
	case steps.BlockDelta:
		u.said, u.wait, u.last = u.said+len(e.Delta), wait{}, nil
	case steps.TurnFinished:
		u.wait, u.said = wait{}, 0
	case steps.CallRunning:
		last := e.Event
		u.wait, u.last, u.said = wait{}, &last, 0
	case steps.CallFinished:
		if u.last != nil && u.last.CallID == e.CallID {
			u.last = nil
		}
	}
}

// Name returns the place and, for an element, its label: pages[3] (src/a.go).
func (u *Unit) Name() string {
	if u.Label == "" {
		return term.Visible(u.Place)
	}
	return term.Visible(u.Place) + " (" + term.Shorten(Brief(u.Label), longestLabel) + ")"
}

const (
	longestLabel  = 60 // characters
	bytesPerToken = 4  // about, in English and in code
)

// Doing says what the unit does now, such as "turn 2, bash ls", or how far it is; "" if that is
// not known.
func (u *Unit) Doing(now time.Time) string {
	if u.Elements != nil {
		return listed(u.Elements.Progress(now)...)
	}
	var turn, last string
	if u.Turn > 0 {
		turn = fmt.Sprintf("turn %d", u.Turn)
	}
	if waits := u.wait.at(now); waits != "" {
		last = "waits for " + waits
	} else if u.last != nil {
		last = Call(u.last.Tool, u.last.Input)
	} else if u.said >= bytesPerToken {
		last = "about " + quantity.Count(int64(u.said/bytesPerToken), "token")
	}
	return listed(turn, last)
}

// soFar is Doing with the cost, and with what that may become.
func (u *Unit) soFar(now time.Time) string {
	cost, all := "", ""
	if u.CostUSD > 0 && !u.Unpriced {
		cost = quantity.Dollars(u.CostUSD)
	}
	if u.Elements == nil {
		return listed(u.Doing(now), cost)
	}
	if rest := u.Elements.projected(u.CostUSD); cost != "" && rest > 0 {
		all = "about " + quantity.Dollars(u.CostUSD+rest) + " in all"
	}
	parts := u.Elements.Progress(now)
	return listed(parts[0], parts[1], cost, parts[4], all)
}

package runner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/runner/history"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A GivenAnswer is an answer, given when a run is resumed, to something that it waits for. With an
// Address alone it denies a call.
type GivenAnswer struct {
	Address string  // UNIT, or UNIT:call_id, as [Wait.Address] returns it; or [AllCalls]
	Value   *string // the answer to a question as a person types it; nil: it is about a call
	Allowed bool    // whether the call may run
}

// A matched answer is one that belongs to something that waits.
type matched struct {
	history.Wait
	reply journal.Reply
}

// match finds what each of the answers is for, before anything is recorded. A question whose
// time is up can't be answered any more.
func (e *exec) match(given []GivenAnswer) (all []matched, err error) {
	if len(given) == 0 {
		return nil, nil
	}
	var open []Wait
	waits := e.earlier.Waits
	for _, w := range waits {
		is, err := e.readWait(w)
		if err != nil {
			return nil, err
		}
		open = append(open, is)
	}
	var meant []meaning
	for _, g := range given {
		m, err := meaningOf(open, g)
		if err != nil {
			return nil, err
		}
		if len(m.indexes) == 0 {
			sortWaits(open, stepsOf(e.top.Steps, "", nil))
			return nil, e.unknownWait(g, open)
		}
		meant = append(meant, m)
	}
	slices.SortStableFunc(meant, func(a, b meaning) int { return a.width - b.width })
	answered := map[int]meaning{}
	for _, m := range meant {
		for _, i := range m.indexes {
			other, is := answered[i]
			switch {
			case is && other.width == m.width:
				return nil, invalidAnswer(fmt.Sprintf("%s is answered twice (also as %s)", m.Address, other.Address), "")
			case is:
				continue
			}
			answered[i] = m
			reply, err := e.replyTo(&open[i], m.GivenAnswer)
			if err != nil {
				return nil, err
			}
			all = append(all, matched{waits[i], reply})
		}
	}
	return all, nil
}

// A meaning is what an answer is for. If it is for several calls, an answer that names fewer
// of them takes precedence.
type meaning struct {
	GivenAnswer
	indexes []int // indexes in what waits
	width   int
}

// AllCalls is the address of all calls that wait: "all".
const AllCalls = "all"

// meaningOf returns what an address means: one thing that waits or, for a decision about
// calls, those in a unit, or all of them.
func meaningOf(open []Wait, g GivenAnswer) (m meaning, err error) {
	m = meaning{g, nil, 1}
	if i := findWait(open, g.Address); i >= 0 {
		m.indexes, m.width = []int{i}, 0
	}
	u, err := journal.ParseUnit(g.Address)
	if g.Value != nil || err != nil {
		return m, nil
	}
	var calls, inside []int
	for i := range open {
		if open[i].IsCall() {
			calls = append(calls, i)
		}
		if open[i].IsCall() && u.WithAttempt(0).Contains(open[i].Unit) {
			inside = append(inside, i)
		}
	}
	switch {
	case g.Address == AllCalls && len(inside) > 0 && len(inside) < len(calls):
		return m, invalidAnswer("all is the name of a step that waits, and also means all waiting calls", "write all~1 for the step")
	case g.Address == AllCalls:
		m.indexes, m.width = calls, 2
	case m.indexes == nil:
		m.indexes = inside
	}
	return m, nil
}

// findWait returns the index of what an address means; -1 if that is nothing, or more than
// one. Rounds and attempts can be left out.
func findWait(open []Wait, address string) int {
	found := -1
	for i := range open {
		if address == open[i].Address() {
			return i
		}
		name, call, _ := strings.Cut(address, ":")
		u, err := journal.ParseUnit(name)
		if err != nil || call != open[i].Call || !sameSteps(u, open[i].Unit) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// sameSteps reports whether u is v, except for rounds and attempts that it leaves out.
func sameSteps(u, v journal.Unit) bool {
	index, element := u.Element()
	other, elementToo := v.Element()
	return u.WithAttempt(0).Contains(v) && u.Path() == v.Path() && element == elementToo && index == other
}

// replyTo returns an answer in the form in which it is recorded.
func (e *exec) replyTo(w *Wait, g GivenAnswer) (reply journal.Reply, err error) {
	switch {
	case w.Until != nil && !time.Now().Before(*w.Until):
		return reply, invalidAnswer(fmt.Sprintf("%s: the time for an answer ended at %s", w.Address(), w.Until.Format(time.RFC3339)), "resume without an answer: the default is used, or the step fails")
	case w.IsCall() && g.Value != nil:
		return reply, invalidAnswer(w.Address()+" is a call, not a question", "use --approve or --deny")
	case w.IsCall():
		return journal.Reply{Allowed: g.Allowed}, nil
	case g.Value == nil:
		return reply, invalidAnswer(w.Address()+" is a question, not a call", "use --answer")
	}
	value, err := stepOf(e.top.Steps, w.Unit).Question.Parse(*g.Value)
	if err != nil {
		return reply, invalidAnswer(w.Address()+": "+err.Error(), "")
	}
	reply.Value, err = jsonline.Encode(value)
	return reply, err
}

// maxNamedWaits is the most things that wait which a message names.
const maxNamedWaits = 20

// unknownWait returns the error for an answer to something that does not wait, or no longer,
// with a list of what does.
func (e *exec) unknownWait(g GivenAnswer, open []Wait) error {
	before, err := e.answered(g.Address)
	if err != nil {
		return err
	}
	if before != "" {
		before += "; "
	}
	if len(open) == 0 {
		return invalidAnswer(before+"the run is not waiting for an answer", "")
	}
	names := make([]string, len(open))
	for i := range open {
		names[i] = open[i].Address()
	}
	near := ""
	if before == "" { // else it is no misspelling, and another one is another decision
		near = nearest.Of(g.Address, names)
	}
	for i := range open {
		if open[i].Call != "" {
			names[i] += " (a call to approve)"
		}
	}
	if len(names) > maxNamedWaits {
		names = append(names[:maxNamedWaits], fmt.Sprintf("and %d more", len(open)-maxNamedWaits))
	}
	if before == "" {
		before = fmt.Sprintf("nothing called %.200q waits for an answer; ", g.Address)
	}
	message := before + "waiting: " + strings.Join(names, ", ")
	if near != "" && near != g.Address {
		return invalidAnswer(message, fmt.Sprintf("did you mean %s?", near))
	}
	return invalidAnswer(message, "")
}

// answered returns how something that no longer waits was answered; "" if it was not.
func (e *exec) answered(address string) (said string, err error) {
	for r, err := range e.journal.Records() {
		if err != nil {
			return "", err
		}
		is := Wait{Unit: r.Unit.WithAttempt(0), Call: r.Call}
		if r.Kind != journal.Answered || findWait([]Wait{is}, address) < 0 {
			continue
		}
		var reply journal.Reply
		if err := e.journal.Decode(r, &reply); err != nil {
			return "", err
		}
		how := "denied"
		switch {
		case reply.By == journal.ByTime:
			how = "not answered in time"
		case reply.Value != nil:
			how = "answered"
		case reply.Allowed:
			how = "approved"
		}
		said = fmt.Sprintf("%s was already %s, at %s", is.Address(), how, r.Time.Format(time.RFC3339))
	}
	return said, nil
}

func invalidAnswer(message, hint string) error {
	return &steps.Error{Kind: steps.KindInvalidInput, Message: message, Hint: hint, Option: OptionAnswers}
}

// stepOf returns the step of a unit.
func stepOf(list []*workflows.Step, u journal.Unit) (step *workflows.Step) {
	for part := range u.Parts() {
		i := slices.IndexFunc(list, func(s *workflows.Step) bool { return s.Name == part.Name })
		step = list[i]
		list = step.Inside()
	}
	return step
}

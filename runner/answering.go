package runner

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An Answer is one to something that a run waits for, given when it is resumed. With an Address
// alone it denies a call.
type Answer struct {
	Address string  // UNIT, or UNIT:call_id, as [Wait.Address] returns it; or [AllCalls]
	Value   *string // the answer to a question as a person types it; nil: it is about a call
	Allowed bool    // whether the call may run

	// Comment comes with the answer to a question that asks for one, or is the reason of a denial,
	// which the model is told.
	Comment string
}

// AllCalls is the address of all calls that wait.
const AllCalls = "all"

// How much an answer is for. One that is for less takes precedence.
const (
	forOne = iota
	forUnit
	forAll
	forNothing
)

// width returns how much an answer is for, if it is for something that waits. Rounds and attempts
// can be left out of its address.
func (a *Answer) width(w *Wait) int {
	name, call, _ := strings.Cut(a.Address, ":")
	u, err := journal.ParseAddress(name)
	isCall := a.Value == nil && w.IsCall()
	switch {
	case isCall && a.Address == AllCalls:
		return forAll
	case err != nil || !u.WithAttempt(0).Contains(w.Unit):
		return forNothing
	case call == w.Call && isSameStep(u, w.Unit):
		return forOne
	case isCall && call == "":
		return forUnit
	}
	return forNothing
}

// isSameStep reports whether u, in which v is, is the same step or element.
func isSameStep(u, v journal.Address) bool {
	index, element := u.Element()
	other, otherElement := v.Element()
	return u.Path() == v.Path() && element == otherElement && index == other
}

// match sets the replies to what waits: the answers that are given, and for what has waited too
// long that its time is up. An answer that is for nothing, or does not fit, is an error.
func (e *exec) match(open []Wait, given []Answer) error {
	for i := range given {
		if !slices.ContainsFunc(open, func(w Wait) bool { return given[i].width(&w) != forNothing }) {
			return e.unknownWait(&given[i], open)
		}
	}
	for i := range open {
		w := &open[i]
		a, err := answerTo(w, given)
		switch {
		case a != nil && err == nil:
			w.reply, err = e.replyTo(w, a)
		case w.isOver():
			w.reply = &journal.Reply{Value: w.Default, By: journal.ByTime}
		}
		if err != nil {
			return invalidAnswer(fmt.Sprintf("%q%v", w.Address(), err))
		}
	}
	return nil
}

// answerTo returns the answer to something that waits; nil if there is none.
func answerTo(w *Wait, given []Answer) (found *Answer, err error) {
	narrowest := forNothing
	for i := range given {
		a := &given[i]
		width := a.width(w)
		switch {
		case width < narrowest:
			found, narrowest, err = a, width, nil
		case found != nil && width == narrowest:
			err = fmt.Errorf(" is answered twice, by %q and by %q", found.Address, a.Address)
		}
	}
	return found, err
}

// replyTo returns an answer in the form in which it is recorded.
func (e *exec) replyTo(w *Wait, a *Answer) (*journal.Reply, error) {
	switch {
	case w.isOver():
		return nil, fmt.Errorf(": the time for an answer ended at %s; resume without one: the default is used, or the step fails", w.Until.Format(time.RFC3339))
	case w.IsCall() && a.Value != nil:
		return nil, errors.New(" is a call, not a question: use --approve or --deny")
	case w.IsCall() && a.Allowed:
		return &journal.Reply{Allowed: true}, nil
	case w.IsCall():
		return &journal.Reply{Reason: e.Mask.String(a.Comment)}, nil
	case a.Value == nil:
		return nil, errors.New(" is a question, not a call: use --answer")
	case a.Comment != "" && !w.Comment:
		return nil, errors.New(" takes no comment, because its step does not set comment: true")
	}
	value, err := stepOf(e.top.Steps, w.Unit).Question.Parse(*a.Value)
	if err != nil {
		return nil, fmt.Errorf(": %w", err)
	}
	data, err := jsonline.Encode(value)
	return &journal.Reply{Value: data, Comment: e.Mask.String(a.Comment)}, err
}

// unknownWait returns the error for an answer to something that does not wait, with a list of what
// does.
func (e *exec) unknownWait(a *Answer, open []Wait) error {
	const maxNamed = 20
	switch {
	case len(e.Resume.From) > 0:
		return invalidAnswer(fmt.Sprintf("%q can't be answered yet, because the run does not wait for it: resume with --from first, which asks again, and then with the answer", a.Address))
	case len(open) == 0:
		return invalidAnswer("the run is not waiting for an answer")
	}
	var names []string
	for i := range open[:min(len(open), maxNamed)] {
		name := strconv.Quote(open[i].Address())
		if open[i].IsCall() {
			name += " (a call)"
		}
		names = append(names, name)
	}
	if more := len(open) - maxNamed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return invalidAnswer(fmt.Sprintf("nothing named %.200q waits for an answer, but these do: %s", a.Address, strings.Join(names, ", ")))
}

func invalidAnswer(message string) error {
	return &steps.Error{Kind: steps.KindInvalidInput, Message: message, Option: OptionAnswers}
}

// stepOf returns the step of a unit.
func stepOf(list []*workflows.Step, u journal.Address) (step *workflows.Step) {
	for part := range u.Parts() {
		i := slices.IndexFunc(list, func(s *workflows.Step) bool { return s.Name == part.Name })
		step = list[i]
		list = step.Inside()
	}
	return step
}

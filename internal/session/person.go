package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sync/semaphore"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Terminal opens the terminal that flow was started from. It is nil if there is none, or in a CI
// system. The caller closes it.
func Terminal(env func(name string) string) *os.File {
	if env("CI") != "" {
		return nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	return tty
}

// Confirm asks for yes or no. Anything but yes is no, also the end of the input.
func Confirm(ctx context.Context, tty *os.File, question string) (yes bool, err error) {
	term.DiscardTyped(tty)
	line, err := term.Ask(ctx, tty, question)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return isYes(line), err
}

func isYes(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}

// A person is asked at a terminal, one question at a time.
type person struct {
	tty      term.TTY
	workflow string
	pause    func(ask func())    // runs what needs the terminal to itself
	turn     *semaphore.Weighted // taken while a question is asked
	allowed  map[scope]bool      // what further calls are allowed; who has the turn uses it
}

// A scope is the calls of a step that one rule asks about.
type scope struct{ step, rule string }

// scopeOf returns the scope of a call. It is the zero scope if the step or the rule is not known.
func scopeOf(ctx context.Context, d tools.Decision) scope {
	step := runner.CallerOf(ctx).Unit.Path()
	if step == "" || d.Rule == "" {
		return scope{}
	}
	return scope{step, d.Rule}
}

// newPerson returns the person at a terminal, who answers for a workflow. Pause runs a function that
// needs the terminal to itself.
func newPerson(terminal term.TTY, workflow string, pause func(ask func())) *person {
	return &person{tty: terminal, workflow: workflow, pause: pause, turn: semaphore.NewWeighted(1), allowed: map[scope]bool{}}
}

// maxTries is how many invalid answers the question of a step takes.
const maxTries = 20

// Denied says in the rule of a denied call who denied it.
const Denied = "denied by the person at the terminal"

const who = "the person at the terminal"

// Ask waits for its turn and for the answer until ctx ends. The end of the input (Ctrl-D) is a
// denial. The answer can also allow the further calls of the step that the same rule asks about;
// these are shown, and nobody is asked.
func (a *person) Ask(ctx context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
	decided, err := a.Again(ctx, tool, arguments, d)
	switch {
	case errors.Is(err, errUnseen):
		return d.Deny(view.Unseen, ""), nil
	case errors.Is(err, io.EOF):
		return d.Deny(view.WhyDenied(who, ""), Denied), nil
	case err == nil && decided.Verdict == tools.Deny:
		return d.Deny(view.WhyDenied(who, decided.Reason), Denied), nil
	}
	return decided, err
}

// errUnseen is the error for a call that can't be shown whole. Nobody is asked about it.
var errUnseen = errors.New(view.Unseen)

// Again asks about a call that may have waited before. The reason of a denial is what the person says. It is an error, and the call waits on, if
// the call can't be shown whole or the input ends.
func (a *person) Again(ctx context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
	question := view.Question(ctx, a.workflow, tool, arguments, d.Rule)
	if question == "" {
		return d, errUnseen
	}
	yes, reason := false, ""
	err := a.inTurn(ctx, func() (err error) {
		if yes, err = a.answer(ctx, question, scopeOf(ctx, d)); err == nil && !yes {
			reason, err = a.reason(ctx)
		}
		return err
	})
	switch {
	case err != nil:
		return d, err
	case yes:
		d.Verdict = tools.Allow
		return d, nil
	}
	return tools.Decision{Verdict: tools.Deny, Rule: d.Rule, Reason: reason}, nil
}

// reason asks why a call is denied. An empty line, and the end of the input, are no reason.
func (a *person) reason(ctx context.Context) (string, error) {
	line, err := term.Ask(ctx, a.tty, "Reason, for the model (may be empty): ")
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSpace(typed(line)), err
}

// inTurn asks when no other question is open.
func (a *person) inTurn(ctx context.Context, ask func() error) (err error) {
	if a.turn.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	defer a.turn.Release(1)
	a.pause(func() {
		term.DiscardTyped(a.tty)
		err = ask()
	})
	return err
}

// Question asks the question of a step until there is a valid answer. The question waits on if
// the input ends (Ctrl-D), or after too many invalid answers.
func (a *person) Question(ctx context.Context, q *runner.Question) (value any, err error) {
	err = a.inTurn(ctx, func() error {
		if value, err = a.valueOf(ctx, q); err == nil && q.Comment {
			err = a.comment(ctx, q)
		}
		return err
	})
	return value, err
}

// comment asks for the comment beside an answer. An empty line is none, and if the input ends the
// question waits on.
func (a *person) comment(ctx context.Context, q *runner.Question) error {
	line, err := term.Ask(ctx, a.tty, "Comment (may be empty): ")
	if errors.Is(err, io.EOF) {
		return runner.ErrUnanswered
	}
	q.SetComment(typed(line))
	return err
}

// typed returns a line as text.
func typed(line string) string {
	return strings.ToValidUTF8(strings.TrimRight(line, "\r"), "\uFFFD")
}

func (a *person) valueOf(ctx context.Context, q *runner.Question) (any, error) {
	prompt := view.StepQuestion(q)
	for range maxTries {
		line, err := term.Ask(ctx, a.tty, prompt)
		if errors.Is(err, io.EOF) {
			return nil, runner.ErrUnanswered
		}
		if err != nil {
			return nil, err
		}
		line = typed(line)
		if strings.TrimSpace(line) == "" && len(q.Default) > 0 {
			return q.ParseDefault()
		}
		value, err := q.Parse(line)
		if err == nil && strings.TrimSpace(line) != "" {
			return value, nil
		}
		if err == nil {
			err = errors.New("the answer is empty")
		}
		prompt = fmt.Sprintf("%s\n%s", term.Visible(err.Error()), view.AnswerPrompt(q))
	}
	return nil, runner.ErrUnanswered
}

// answer asks, unless an earlier answer allows all calls of the scope. Anything but yes or all is no.
func (a *person) answer(ctx context.Context, question string, calls scope) (yes bool, err error) {
	if a.allowed[calls] {
		_, err := a.tty.Write([]byte(question + "  allowed: you allowed all calls for this rule in this step\n"))
		return err == nil, err
	}
	prompt, known := "Allow it? [y/N] ", calls != (scope{})
	if known {
		prompt = "Allow it? [y]es, [a]ll calls for this rule in this step, [N]o: "
	}
	line, err := term.Ask(ctx, a.tty, question+prompt)
	if err == nil && known && strings.EqualFold(strings.TrimSpace(line), "a") {
		a.allowed[calls] = true
	}
	return isYes(line) || a.allowed[calls], err
}

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
)

// What --on-ask can say.
const (
	askDeny  = "deny"
	askAllow = "allow"
	askFail  = "fail"
)

// asker returns who is asked about a call: a person at the terminal, unless
// the command line answers already or there is no terminal.
func (p *program) asker(answer string, given bool, show progress) (tools.Asker, func()) {
	if !given && p.live() {
		if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
			a := &person{tty: tty, show: show, free: make(chan struct{}, 1)}
			return a.ask, func() { tty.Close() }
		}
	}
	return standing(answer), func() {}
}

// standing gives the same answer to every question.
func standing(answer string) tools.Asker {
	return func(_ context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
		switch answer {
		case askAllow:
			d.Verdict = tools.Allow
			return d, nil
		case askFail:
			d.Verdict = tools.Deny
			return d, &steps.Error{
				Kind: steps.KindDenied, Message: fmt.Sprintf("%s has to be asked for, and --on-ask is fail", describeCall(tool, arguments)),
				Hint: "allow it by a rule, or run on a terminal",
			}
		}
		d.Verdict = tools.Deny
		d.Reason = strings.TrimSuffix(d.Reason, ".") + "; nobody is there to be asked"
		return d, nil
	}
}

// A tty is a terminal that somebody types on.
type tty interface {
	io.ReadWriter
	SetReadDeadline(t time.Time) error
}

// A person is asked at a terminal, one question at a time.
type person struct {
	tty  tty
	show progress
	free chan struct{} // holds a value while a question is asked
}

// ask waits for its turn, and for the answer, as long as ctx lasts.
func (a *person) ask(ctx context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
	select {
	case a.free <- struct{}{}:
		defer func() { <-a.free }()
	case <-ctx.Done():
		return d, context.Cause(ctx)
	}
	var yes bool
	var err error
	a.show.aside(func() { yes, err = a.question(ctx, tool, arguments, d) })
	if err != nil {
		return d, err
	}
	d.Verdict = tools.Deny
	if yes {
		d.Verdict = tools.Allow
		return d, nil
	}
	d.Reason = "the user did not allow it"
	return d, nil
}

// longestQuestion bounds, in characters, what is shown of a call.
const longestQuestion = 4000

// question shows the call's own arguments, on one line, for what is not seen is
// not agreed to.
func (a *person) question(ctx context.Context, tool string, arguments json.RawMessage, d tools.Decision) (bool, error) {
	stop := context.AfterFunc(ctx, func() { a.tty.SetReadDeadline(time.Now()) })
	defer stop()
	text := fmt.Sprintf("%s %s\n", visible(tool), shorten(visible(string(arguments)), longestQuestion))
	if d.Rule != "" {
		text += "  asked for by the rule " + visible(d.Rule) + "\n"
	}
	if _, err := fmt.Fprintf(a.tty, "%sAllow it this once? [y/N] ", text); err != nil {
		return false, nil
	}
	line, err := bufio.NewReader(io.LimitReader(a.tty, 1024)).ReadString('\n')
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case err != nil && !errors.Is(err, io.EOF):
		return false, nil
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}

package session

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/runner/view"
	"github.com/a-seed-11b9befa/flow/tools"
)

// TestUnseenIsDenied: a call that is too long for a question is not asked.
func TestUnseenIsDenied(t *testing.T) {
	a := &person{} // has no terminal: a question would not get far
	input, err := json.Marshal(map[string]string{"command": strings.Repeat("x", 4000) + "; rm -rf /"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := a.Ask(context.Background(), "bash", input, tools.Decision{Verdict: tools.Ask})
	if err != nil || d.Verdict != tools.Deny || d.Reason != view.Unseen {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestPersonIsAskedOneQuestionAtATime: who waits for their turn also watches
// the context.
func TestPersonIsAskedOneQuestionAtATime(t *testing.T) {
	a := at(nil)
	a.turn.TryAcquire(1) // for another question
	cause := errors.New("interrupted")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(cause)
	d, err := a.Ask(ctx, "write", nil, tools.Decision{Verdict: tools.Ask})
	if !errors.Is(err, cause) || d.Verdict == tools.Allow {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestPersonAnswers plays the terminal with a pipe.
func TestPersonAnswers(t *testing.T) {
	for typed, want := range map[string]tools.Verdict{
		"y\n": tools.Allow, "YES\n": tools.Allow, "n\n": tools.Deny, "\n": tools.Deny, "yup\n": tools.Deny, "": tools.Deny,
		"yup\ny\n": tools.Deny, "a\n": tools.Deny, strings.Repeat("y", 5000): tools.Deny,
	} {
		read, feed, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		feed.WriteString(typed)
		feed.Close()
		var shown strings.Builder
		a := at(pipe{read, &shown})
		d, err := a.Ask(t.Context(), "write", json.RawMessage(`{"filePath": "a\u001b[2J"}`), tools.Decision{Verdict: tools.Ask, Rule: "write: *"})
		if err != nil || d.Verdict != want {
			t.Errorf("%q: %s, %v, want %s", typed, d.Verdict, err, want)
		}
		if strings.ContainsRune(shown.String(), '\x1b') || !strings.Contains(shown.String(), "rule: write: *") {
			t.Errorf("shown: %q", shown.String())
		}
		if !strings.HasPrefix(shown.String(), "docs wants to call\n  write {") {
			t.Errorf("who asks is not told: %q", shown.String())
		}
		if told := strings.HasPrefix(d.Reason, who+" denied the call") && strings.HasSuffix(d.Rule, Denied); told == (want == tools.Allow) {
			t.Errorf("%q: told as %+v", typed, d)
		}
		read.Close()
	}
}

// TestFurtherCalls: an answer can allow the calls of the same step that the same rule asks about.
// Each of them is shown; others are asked about.
func TestFurtherCalls(t *testing.T) {
	read, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	feed.WriteString("a\n")
	feed.Close()
	var shown strings.Builder
	a := at(pipe{read, &shown})
	for _, call := range []struct {
		unit, rule string
		want       tools.Verdict
	}{
		{"pages[0]~1", "bash: git *", tools.Allow},
		{"pages[7]~2", "bash: git *", tools.Allow},
		{"pages[7]~2", "bash: go *", tools.Deny},
		{"other", "bash: git *", tools.Deny},
		{"", "bash: git *", tools.Deny},
	} {
		ctx := t.Context()
		if call.unit != "" {
			u, err := journal.ParseAddress(call.unit)
			if err != nil {
				t.Fatal(err)
			}
			ctx = runner.WithCaller(ctx, runner.Caller{Unit: u})
		}
		d, err := a.Ask(ctx, "bash", json.RawMessage(`{"command": "git push `+call.unit+`"}`), tools.Decision{Verdict: tools.Ask, Rule: call.rule})
		if err != nil || d.Verdict != call.want {
			t.Errorf("%+v: %s, %v", call, d.Verdict, err)
		}
		if !strings.Contains(shown.String(), "git push "+call.unit) {
			t.Errorf("the call of %s is not shown", call.unit)
		}
	}
}

// TestPersonIsNotWaitedFor: an interrupt ends the question.
func TestPersonIsNotWaitedFor(t *testing.T) {
	read, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer feed.Close()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	a := at(pipe{read, &strings.Builder{}})
	d, err := a.Ask(ctx, "write", nil, tools.Decision{Verdict: tools.Ask})
	if !errors.Is(err, context.DeadlineExceeded) || d.Verdict == tools.Allow {
		t.Errorf("%+v, %v", d, err)
	}
}

// A pipe stands for a terminal that somebody types on.
type pipe struct {
	*os.File
	shown *strings.Builder
}

func (t pipe) Write(p []byte) (int, error) { return t.shown.Write(p) }

// at is a person at a terminal on which nothing was typed before.
func at(t term.TTY) *person { return newPerson(t, "docs", func(ask func()) { ask() }) }

package steps

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools"
)

// passes returns a check that holds from its nth judgement on.
func passes(n int) Check {
	judged := 0
	return Check{Name: "test -s x", Run: func(context.Context, any, string) (Judgement, error) {
		judged++
		return Judgement{Good: judged >= n, Problem: "exit status 1"}, nil
	}}
}

func TestChecks(t *testing.T) {
	broken := Check{Name: "broken", Run: func(context.Context, any, string) (Judgement, error) {
		return Judgement{}, errors.New("no shell")
	}}
	tests := []struct {
		name   string
		agent  Agent
		turns  []play
		status Status
		reason Reason
		made   int
		told   string // in the error
	}{
		{name: "holds", agent: Agent{Checks: []Check{passes(1)}}, turns: []play{says("done")}, status: Succeeded, reason: ReasonCompleted, made: 1},
		{name: "sent back until it holds", agent: Agent{Checks: []Check{passes(3)}, MaxFixes: 3}, turns: []play{says("1"), calls(`echo {}`), says("2"), says("3")}, status: Succeeded, reason: ReasonCompleted, made: 4},
		{name: "no rounds left", agent: Agent{Checks: []Check{passes(9)}, MaxFixes: 1}, turns: []play{says("1"), says("2")}, status: Failed, reason: ReasonCheckFailed, made: 2, told: `check "test -s x": exit status 1`},
		{name: "no rounds at all", agent: Agent{Checks: []Check{passes(9)}}, turns: []play{says("1")}, status: Failed, reason: ReasonCheckFailed, made: 1, told: "exit status 1"},
		{name: "can't be judged", agent: Agent{Checks: []Check{broken}, MaxFixes: 3}, turns: []play{says("1")}, status: Failed, reason: ReasonError, made: 1, told: `check "broken": no shell`},
		{name: "with quotes of its own", agent: Agent{Checks: []Check{{Name: `text != "\n"`, Run: broken.Run}}, MaxFixes: 3}, turns: []play{says("1")}, status: Failed, reason: ReasonError, made: 1, told: "check `text != \"\\n\"`: no shell"},
		{name: "a condition is checked, too", agent: Agent{Checks: []Check{passes(9)}, Stop: Stop{OnTool: []string{"echo"}}}, turns: []play{calls(`echo {}`)}, status: Failed, reason: ReasonCheckFailed, made: 1, told: "exit status 1"},
		{name: "max_turns in a round", agent: Agent{Checks: []Check{passes(9)}, MaxFixes: 3, Stop: Stop{MaxTurns: 1}}, turns: []play{says("1"), says("so far")}, status: Stopped, reason: ReasonMaxTurns, made: 1, told: "max_turns"},
		{name: "an accepted limit is checked", agent: Agent{Checks: []Check{passes(9)}, MaxFixes: 3, Stop: Stop{MaxTurns: 1, AcceptLimit: true}}, turns: []play{says("1"), says("so far")}, status: Stopped, reason: ReasonMaxTurns, made: 1, told: "exit status 1"},
		{name: "an accepted limit that is good", agent: Agent{Checks: []Check{passes(2)}, MaxFixes: 3, Stop: Stop{MaxTurns: 1, AcceptLimit: true}}, turns: []play{says("1"), says("so far")}, status: Succeeded, reason: ReasonMaxTurns, made: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := tt.agent
			a.Model, a.Prompt, a.Tools = playing(tt.turns...), "write", toolbox(t)
			r := a.Run(t.Context())
			if r.Status != tt.status || r.StopReason != tt.reason || r.Turns != tt.made {
				t.Errorf("%s, %s, %d turns; want %s, %s, %d", r.Status, r.StopReason, r.Turns, tt.status, tt.reason, tt.made)
			}
			if tt.told != "" && (r.Error == nil || !strings.Contains(r.Error.Message, tt.told)) {
				t.Errorf("error %v, want one with %q", r.Error, tt.told)
			}
		})
	}
}

func TestAllProblemsGoBackAtOnce(t *testing.T) {
	bad := func(name string) Check {
		return Check{Name: name, Run: func(_ context.Context, output any, text string) (Judgement, error) {
			return Judgement{Good: text == "good" && output == "good", Problem: strings.Repeat(name, 20<<10)}, nil
		}}
	}
	model := playing(says("bad"), says("good"))
	a := Agent{Model: model, Prompt: "go", Checks: []Check{bad("a"), bad("b")}, MaxFixes: 1}
	if r := a.Run(t.Context()); r.Status != Succeeded {
		t.Fatalf("%s: %v", r.Status, r.Error)
	}
	said := lastSaid(model.asked[1])
	if !strings.Contains(said, `2 checks failed: "a", "b"`) || !strings.Contains(said, `check "a"`) || !strings.Contains(said, `check "b"`) || len(said) > 40<<10 {
		t.Errorf("told %d bytes: %.200s", len(said), said)
	}
}

// A model that had to be made to hand its result in is free to work once that was
// refused.
func TestNoCallIsForcedAfterACheck(t *testing.T) {
	model := playing(says("Four."), calls(`final_result {"score":4}`), says("Again."), calls(`final_result {"score":4}`))
	model.info.StructuredOutput = false
	a := Agent{Model: model, Prompt: "rate", Output: schema(t, scoreSchema), Checks: []Check{passes(2)}, MaxFixes: 1}
	if r := a.Run(t.Context()); r.Status != Succeeded {
		t.Fatalf("%s: %v", r.Status, r.Error)
	}
	for i, want := range []string{"", "final_result", "", "final_result"} {
		if got := model.asked[i].Force; got != want {
			t.Errorf("request %d forces %q, want %q", i+1, got, want)
		}
	}
}

// What a check says is real where a program reads it, and masked for a model.
func TestCheckIsMaskedForTheModel(t *testing.T) {
	set, err := tools.NewSet(nil, tools.SetOptions{Mask: tools.NewMask([]string{"token-1234"})})
	if err != nil {
		t.Fatal(err)
	}
	model := playing(says("done"), says("done"))
	bad := Check{Name: "login", Run: func(context.Context, any, string) (Judgement, error) {
		return Judgement{Problem: "token-1234 was refused", Name: "curl -H token-1234"}, nil
	}}
	a := Agent{Model: model, Prompt: "go", Tools: set, Checks: []Check{bad}, MaxFixes: 1}
	a.Run(t.Context())
	if said := lastSaid(model.asked[1]); !strings.Contains(said, `check "curl -H ***": *** was refused`) || strings.Contains(said, "token-1234") {
		t.Errorf("the model was told %q", said)
	}
}

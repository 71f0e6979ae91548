package plan

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// A story is what happens to a run, in lines of two forms: what is due, and what
// happens.
//
//	> began a~1 | began b~1       happens; one record after the other
//	begin a~1, decide if c good   is what is due then, in order; - is nothing
func story(t *testing.T, source string, slots int, text string) {
	t.Helper()
	p := New(parse(t, source), Options{})
	tell(t, p, text, slots, 0)
}

func tell(t *testing.T, p *Plan, text string, slots int, seq int64) int64 {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		happens, is := strings.CutPrefix(line, "> ")
		switch {
		case line == "":
		case is:
			for words := range strings.SplitSeq(happens, " | ") {
				r := readRecord(t, words, slots)
				seq++
				r.Seq = seq
				err := p.Take(r)
				if _, wrong := strings.CutPrefix(words, "no "); wrong != (err != nil) {
					t.Fatalf("%s: %v", words, err)
				}
				if err != nil {
					seq--
				}
			}
		default:
			if got := dueText(p); got != line {
				t.Fatalf("due is\n%s\nwant\n%s", got, line)
			}
		}
	}
	return seq
}

// readRecord reads a record: its kind, its unit, and words that say the rest.
func readRecord(t *testing.T, text string, slots int) journal.Record {
	t.Helper()
	words := strings.Fields(strings.TrimPrefix(text, "no "))
	r := journal.Record{Kind: journal.Kind(words[0])}
	if r.Kind == journal.Run {
		r.Parallel = slots
	}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "if", "elements", "until", "rested", "stop", "keep":
			r.About = journal.About(name)
			_, _ = fmt.Sscan(value, &r.Count)
		case "left":
			for i := range strings.SplitSeq(value, ",") {
				n, err := strconv.Atoi(i)
				if err != nil {
					t.Fatal(err)
				}
				r.LeftOut = append(r.LeftOut, n)
			}
		case "holds":
			r.Holds = true
		case "forgiven":
			r.Forgiven = true
		case "fatal":
			r.Fatal = true
		case "once":
			r.Once = true
		case "changed":
			r.Changed, r.Parallel = true, slots
		case "base":
			_, _ = fmt.Sscan(value, &r.Base)
		case "wait":
			d, err := time.ParseDuration(value)
			if err != nil {
				t.Fatal(err)
			}
			r.Until = time.UnixMilli(d.Milliseconds())
		case "call":
			r.Call = value
		case "tokens":
			_, _ = fmt.Sscan(value, &r.Spent.Tokens)
		case "from":
			u, err := journal.ParseUnit(value)
			if err != nil {
				t.Fatal(err)
			}
			r.From = append(r.From, u)
		case "lacking":
			r.Failed = true
		case "succeeded", "failed", "stopped", "cancelled", "skipped", "waiting":
			r.Status = journal.Status(name)
		default:
			u, err := journal.ParseUnit(word)
			if err != nil {
				t.Fatal(err)
			}
			r.Unit = u
		}
	}
	return r
}

// dueText is what is due, as stories have it.
func dueText(p *Plan) string {
	var all []string
	for _, task := range p.Due() {
		text := strings.TrimSpace(string(task.Do) + " " + string(task.About) + " " + task.Unit.String())
		text = strings.ReplaceAll(text, "  ", " ")
		if task.About == journal.If && !task.Stands {
			text += " after a failure"
		}
		if task.Do == Close {
			text += " " + string(task.Status)
		}
		if task.Do == Rest {
			text += " " + (time.Duration(task.UntilMilli) * time.Millisecond).String()
		}
		all = append(all, text)
	}
	if all == nil {
		return "-"
	}
	return strings.Join(all, ", ")
}

func file(rest ...string) string { return "name: t\nsteps:\n" + strings.Join(rest, "\n") + "\n" }

func TestStories(t *testing.T) {
	tests := []struct {
		name, workflow string
		slots          int
		text           string
	}{
		{"one after the other", file("- {id: a, run: x}", "- {id: b, run: x}"), 4, `
			> run
			begin a~1
			> began a~1
			-
			> said a~1 tokens=5 | call a~1 call=1 | answer a~1 call=1 | ended a succeeded
			begin b~1
			> began b~1 | ended b succeeded
			conclude
			> end succeeded
			-`},
		{"what has not failed, or was stopped, is not tried again", file("- {id: a, retry: {max_attempts: 2}, run: x}"), 1, `
			> run | began a~1 | no again a~1 skipped | no again a~1 succeeded | decided stop | no again a~1 failed`},
		{"a call is asked about once", file("- {id: a, tools: [read], model: x/y, prompt: x}"), 1, `
			> run | began a~1 | asked a~1 call=1 | no asked a~1 call=1 | asked a~1 call=2`},
		{"a foreach has no more elements than it may", file("- {id: a, foreach: [1], run: x}"), 1, fmt.Sprintf(`
			> run | no decided a elements=%d | decided a elements=%d`, journal.MaxElements+1, journal.MaxElements)},
		{"a join, and the bound on what works", file("- {id: a, run: x}", "- {id: b, needs: [], run: x}", "- {id: c, needs: [], run: x}", "- {id: d, needs: [a, c], run: x}"), 2, `
			> run
			begin a~1, begin b~1
			> began b~1 | began a~1 | ended a succeeded
			begin c~1
			> ended b succeeded | began c~1 | ended c succeeded
			begin d~1`},
		{"after a failure others are cancelled, those to come skipped, and one that tidies up runs",
			file("- {id: a, run: x}", "- {id: b, needs: [], run: x}", "- {id: c, needs: [], run: x}", "- {id: d, needs: [b], run: x}", "- {id: e, needs: [a], if: always(), run: x}", "- {id: f, needs: [], if: failure(), run: x}"), 3, `
			> run
			decide if f, begin a~1, begin b~1, begin c~1
			> decided f if
			begin a~1, begin b~1, begin c~1, close f skipped
			> ended f skipped | began a~1 | began b~1 | ended a failed
			cancel b~1, close c cancelled, decide if e after a failure
			> ended b cancelled
			close c cancelled, decide if e after a failure, close d skipped
			> decided e if holds | ended c cancelled | ended d skipped
			begin e~1
			> began e~1 | ended e succeeded
			conclude
			> end failed`},
		{"a failure that is continued", file("- {id: a, run: x, on_error: continue}", "- {id: b, run: x}"), 1, `
			> run | began a~1 | ended a failed forgiven
			begin b~1`},
		{"a failure of the run itself is not continued", file("- {id: a, run: x, on_error: continue}", "- {id: b, run: x}"), 1, `
			> run | began a~1 | ended a failed forgiven fatal
			close b skipped`},
		{"a condition that can't be evaluated", file("- {id: a, if: 1 > 2, run: x}", "- {id: b, run: x}"), 1, `
			> run
			decide if a
			> no ended a succeeded | ended a failed
			close b skipped`},
		{"elements, two at a time, in order", file("- {id: a, foreach: [1], max_parallel: 2, run: x}"), 9, `
			> run
			decide elements a
			> decided a elements=4
			begin a[0]~1, begin a[1]~1
			> began a[0]~1 | began a[1]~1 | ended a[1] succeeded
			begin a[2]~1
			> no ended a succeeded | began a[2]~1 | ended a[0] succeeded | ended a[2] succeeded | began a[3]~1 | ended a[3] succeeded
			conclude a
			> ended a succeeded`},
		{"no elements", file("- {id: a, foreach: [1], run: x}"), 1, `
			> run | decided a elements=0
			conclude a`},
		{"after an element failed no other begins", file("- {id: a, foreach: [1], max_parallel: 2, run: x}"), 9, `
			> run | decided a elements=4 | began a[0]~1 | began a[1]~1 | ended a[0] failed
			cancel a[1]~1
			> ended a[1] cancelled
			conclude a`},
		{"failures of elements are collected, so many as may be", file("- {id: a, foreach: [1], max_parallel: 1, on_error: finish, max_failures: 1, run: x}"), 9, `
			> run | decided a elements=4 | began a[0]~1 | ended a[0] failed
			begin a[1]~1
			> began a[1]~1 | ended a[1] failed
			conclude a`},
		{"so many as may be of those that are not left out", file("- {id: a, foreach: [1], max_parallel: 1, on_error: continue, max_failures: 50%, run: x}"), 9, `
			> run | no decided a elements=3 left=1,1 | no decided a elements=3 left=3 | decided a elements=6 left=1,4,5 | began a[0]~1 | ended a[0] failed
			begin a[2]~1
			> began a[2]~1 | ended a[2] failed
			conclude a`},
		{"an interrupt leaves what asks always() its time, and nothing else", file("- {id: a, run: x}", "- {id: b, if: always(), run: x}", "- {id: c, needs: [b], if: always(), run: x}", "- {id: d, needs: [b], if: failure(), run: x}", "- {id: e, needs: [], if: always(), run: x}"), 9, `
			> run | decided e if holds | began e~1 | began a~1 | decided stop holds
			cancel a~1
			> ended a cancelled
			decide if b after a failure
			> decided b if holds | began b~1 | ended b succeeded
			decide if c after a failure, close d skipped
			> decided stop
			close d skipped, close c skipped, cancel e~1`},
		{"a failure of the run itself ends all elements", file("- {id: a, foreach: [1], max_parallel: 2, on_error: continue, run: x}"), 9, `
			> run | decided a elements=4 | began a[0]~1 | began a[1]~1 | ended a[0] failed fatal
			cancel a[1]~1`},
		{"an element that waits for a person leaves its place, and waits for one again", file("- {id: a, foreach: [1], max_parallel: 1, run: x}"), 9, `
			> run | decided a elements=3 | began a[0]~1 | asked a[0]~1
			begin a[1]~1
			> began a[1]~1
			-
			> answered a[0]~1
			-
			> ended a[1] succeeded
			go on a[0]~1
			> began a[0]~1
			-
			> ended a[0] succeeded
			begin a[2]~1
			> began a[2]~1 | asked a[2]~1
			-
			> end waiting | resumed | answered a[2]~1
			go on a[2]~1
			> began a[2]~1 | ended a[2] succeeded
			conclude a`},
		{"so does one of a group, once nothing in it goes on", file("- id: a", "  foreach: [1]", "  max_parallel: 1", "  steps: [{id: q, run: x}, {id: w, needs: [], run: x}, {id: z, needs: [q, w], run: x}]"), 9, `
			> run | decided a elements=2
			begin a[0]~1
			> began a[0]~1 | began a[0]/q~1 | began a[0]/w~1 | asked a[0]/q~1
			-
			> ended a[0]/w succeeded
			begin a[1]~1
			> began a[1]~1 | answered a[0]/q~1
			begin a[1]/q~1, begin a[1]/w~1
			> began a[1]/q~1 | began a[1]/w~1 | ended a[1]/w succeeded | asked a[1]/q~1
			go on a[0]/q~1
			> began a[0]/q~1 | ended a[0]/q succeeded
			begin a[0]/z~1
			> answered a[1]/q~1
			begin a[0]/z~1
			> began a[0]/z~1 | ended a[0]/z succeeded
			conclude a[0]~1
			> ended a[0] succeeded
			go on a[1]/q~1`},
		{"what is stopped and asks at that moment is closed", file("- id: g", "  steps: [{id: a, run: x}]"), 1, `
			> run | began g~1 | began g/a~1 | decided g stop
			cancel g/a~1
			> asked g/a~1
			close g/a cancelled`},
		{"attempts wait without a slot", file("- {id: a, retry: {max_attempts: 2, backoff: 1s}, run: x}", "- {id: b, needs: [], run: x}"), 1, `
			> run | began a~1
			-
			> again a~1 failed wait=3s
			rest a~2 3s, begin b~1
			> began b~1 | decided a~2 rested
			-
			> ended b succeeded
			begin a~2
			> began a~2 | no again a~2 failed | ended a failed
			conclude`},
		{"a group goes round until its condition holds", file("- id: g", "  until: 1 > 2", "  max_rounds: 3", "  steps: [{id: a, run: x}]"), 1, `
			> run
			begin g~1
			> began g~1
			begin g/a#1~1
			> began g/a#1~1 | ended g/a#1 succeeded
			decide until g~1
			> no decided g~1 until=2 holds | decided g~1 until=1 | no began g/a#1~2 | began g/a#2~1 | ended g/a#2 succeeded | decided g~1 until=2 holds
			conclude g~1
			> ended g succeeded`},
		{"a group that fails is tried again", file("- id: g", "  until: 1 > 2", "  retry: {max_attempts: 2}", "  steps: [{id: a, run: x}]"), 1, `
			> run | began g~1 | began g/a#1~1 | ended g/a#1 failed
			conclude g~1
			> again g~1 failed wait=1s | decided g~2 rested
			begin g~2
			> began g~2
			begin g~2/a#1~1`},
		{"a stop ends what is inside", file("- id: g", "  steps: [{id: a, run: x}, {id: b, run: x}]", "- {id: z, if: always(), run: x}"), 1, `
			> run | began g~1 | began g/a~1 | decided g stop
			cancel g/a~1
			> ended g/a cancelled
			close g/b skipped
			> ended g/b skipped
			conclude g~1
			> ended g stopped
			decide if z after a failure`},
		{"a question holds no slot, and its answer waits for one", file("- {id: a, run: x}", "- {id: b, needs: [], run: x}"), 1, `
			> run | began a~1 | asked a~1 call=1 | asked a~1 call=2
			begin b~1
			> began b~1 | answered a~1 call=2 | no answered a~1 call=2 | answered a~1 call=1
			-
			> ended b succeeded
			go on a~1
			> began a~1 | ended a succeeded
			conclude`},
		{"a question outlives the failure of another step", file("- {id: a, run: x}", "- {id: b, needs: [], run: x}"), 2, `
			> run | began a~1 | asked a~1 | began b~1 | ended b failed
			-
			> no end succeeded | end failed | resumed
			begin b~2
			> answered a~1
			begin b~2, go on a~1`},
		{"a question outlives an interruption, and not its own time", file("- {id: g, steps: [{id: a, run: x}]}"), 2, `
			> run | began g~1 | began g/a~1 | asked g/a~1 | decided stop
			-
			> end cancelled | resumed
			-
			> decided g stop
			close g/a cancelled`},
		{"a run that waits ends, and is gone on with", file("- {id: a, run: x}", "- {id: b, needs: [], run: x}"), 2, `
			> run | began a~1 | asked a~1 | no end waiting | began b~1 | ended b succeeded | end waiting | no answered a~1 | resumed | answered a~1
			go on a~1`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { story(t, test.workflow, test.slots, test.text) })
	}
}

func TestResumed(t *testing.T) {
	tests := []struct {
		name, workflow string
		text           string
	}{
		{"what was in flight goes on, what was to begin begins, what had ended is kept",
			file("- {id: a, run: x}", "- {id: b, needs: [], run: x}", "- {id: c, needs: [], run: x}"), `
			> run | began a~1 | ended a succeeded | began b~1 | resumed
			go on b~1, begin c~1`},
		{"what may not be begun twice fails", file("- {id: a, run: x}"), `
			> run | began a~1 once | resumed
			close a failed
			> resumed
			close a failed
			> ended a failed
			conclude
			> end failed | resumed
			conclude
			> end failed | resumed from=a
			begin a~2`},
		{"what may not be begun twice, and was interrupted, fails", file("- {id: a, run: x}", "- {id: b, foreach: [1], needs: [], run: x}"), `
			> run | decided b elements=1 | began a~1 once | began b[0]~1 once | decided stop | ended a cancelled | ended b[0] cancelled | ended b cancelled | end cancelled | resumed
			close a failed, close b[0] failed`},
		{"what had failed when the run was killed stays so", file("- {id: a, run: x}", "- {id: b, needs: [], run: x}"), `
			> run | began a~1 | began b~1 | ended a failed | resumed
			close b cancelled`},
		{"a wait goes on", file("- {id: a, retry: {max_attempts: 2}, run: x}"), `
			> run | began a~1 | again a~1 failed wait=5s | resumed
			rest a~2 5s`},
		{"an interrupted run goes on where it was", file("- {id: a, run: x}", "- {id: b, run: x}"), `
			> run | began a~1 | decided stop
			cancel a~1
			> ended a cancelled | ended b skipped | end cancelled | resumed
			go on a~1
			> began a~1 | ended a succeeded
			begin b~1`},
		{"of a failed run, what did not succeed begins again, and what depends on it",
			file("- {id: a, run: x, on_error: continue}", "- {id: b, run: x}", "- {id: c, run: 'echo ${{ steps.a.status }}'}", "- {id: d, run: x}", "- {id: e, run: x}"), `
			> run | began a~1 | ended a failed forgiven | began b~1 | ended b succeeded | began c~1 | ended c succeeded
			> began d~1 | ended d failed | ended e skipped | end failed | resumed
			begin a~2
			> began a~2 | ended a succeeded
			begin c~2
			> began c~2 | ended c succeeded
			begin d~2
			> began d~2 | ended d succeeded
			begin e~1`},
		{"of a failed group, what is inside of it failed",
			file("- id: g", "  until: 1 > 2", "  steps: [{id: a, run: x}, {id: b, run: x}]"), `
			> run | began g~1 | began g/a#1~1 | ended g/a#1 succeeded | began g/b#1~1 | ended g/b#1 failed | ended g failed | end failed | resumed
			begin g/b#1~2
			> began g/b#1~2 | ended g/b#1 succeeded
			decide until g~1`},
		{"a group that went as often as it may goes on", file("- id: g", "  until: 1 > 2", "  max_rounds: 1", "  steps: [{id: a, run: x}]"), `
			> run | began g~1 | began g/a#1~1 | ended g/a#1 succeeded | decided g~1 until=1
			conclude g~1
			> ended g stopped | end stopped | resumed
			begin g/a#2~1`},
		{"a group whose last round had a failure that was continued goes on, too",
			file("- id: g", "  until: 1 > 2", "  max_rounds: 2", "  steps: [{id: a, run: x}, {id: b, run: x, on_error: continue}]"), `
			> run | began g~1 | began g/a#1~1 | ended g/a#1 succeeded | began g/b#1~1 | ended g/b#1 failed forgiven | decided g~1 until=1
			> began g/a#2~1 | ended g/a#2 succeeded | began g/b#2~1 | ended g/b#2 failed forgiven | decided g~1 until=2 | ended g stopped | end stopped | resumed
			begin g/b#2~2
			> began g/b#2~2 | ended g/b#2 failed forgiven
			decide until g~1
			> decided g~1 until=2
			begin g/a#3~1
			> began g/a#3~1 | ended g/a#3 succeeded | began g/b#3~1 | ended g/b#3 succeeded | decided g~1 until=3
			begin g/a#4~1
			> began g/a#4~1 | ended g/a#4 succeeded | began g/b#4~1 | ended g/b#4 succeeded | decided g~1 until=4
			conclude g~1`},
		{"a condition that did not hold is kept", file("- {id: a, if: 1 > 2, run: x}", "- {id: b, run: x}"), `
			> run | decided a if | ended a skipped | began b~1 | ended b failed | end failed | resumed
			begin b~2`},
		{"failed elements, and those that never began", file("- {id: a, foreach: [1], max_parallel: 1, run: x}"), `
			> run | decided a elements=3 | began a[0]~1 | ended a[0] succeeded | began a[1]~1 | ended a[1] failed
			conclude a
			> ended a failed | end failed | resumed
			begin a[1]~2
			> began a[1]~2 | ended a[1] succeeded
			begin a[2]~1`},
		{"a succeeded run, from a step", file("- {id: a, run: x}", "- {id: b, run: x}", "- {id: c, run: 'echo ${{ steps.a.text }}'}"), `
			> run | began a~1 | ended a succeeded | began b~1 | ended b succeeded | began c~1 | ended c succeeded | end succeeded
			> no resumed from=none | no resumed from=a[1] | resumed from=a
			begin a~2
			> began a~2 | ended a succeeded
			begin c~2
			> began c~2 | ended c succeeded
			conclude`},
		{"attempts of elements that run anew have numbers that none had", file("- {id: a, foreach: [1], retry: {max_attempts: 2}, run: x}"), `
			> run | decided a elements=1 | began a[0]~1 | again a[0]~1 failed | decided a[0]~2 rested | began a[0]~2 | ended a[0] succeeded | ended a succeeded | end succeeded
			> no resumed from=a~7 | resumed from=a
			decide elements a
			> decided a elements=1
			begin a[0]~3`},
		{"an element that failed for good keeps the others from beginning", file("- {id: a, foreach: [1], max_parallel: 1, on_error: continue, run: x}"), `
			> run | decided a elements=3 | began a[0]~1 | ended a[0] failed | began a[1]~1 | ended a[1] failed fatal | resumed
			conclude a`},
		{"an element that asked and runs anew takes the place of another one", file("- {id: a, foreach: [1], max_parallel: 1, ask: Go?}"), `
			> run | decided a elements=2 | began a[0]~1 | asked a[0]~1 | began a[1]~1 | asked a[1]~1 | resumed from=a[0] from=a[1]
			begin a[0]~2`},
		{"changed files: each unit is kept or begins", file("- {id: a, run: x}", "- {id: b, run: x}"), `
			> run | began a~1 | no decided a keep succeeded | ended a succeeded | began b~1 | ended b failed | end failed | resumed changed base=1
			begin a~2
			> decided a keep succeeded
			begin b~2`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { story(t, test.workflow, 3, test.text) })
	}
}

// What is inside of units that succeeded can be taken up anew where the plan was
// told to remember it.
func TestFromInsideOfWhatSucceeded(t *testing.T) {
	const workflow = "name: t\nsteps:\n- id: g\n  foreach: [1]\n  steps: [{id: a, run: x}, {id: b, run: x}]\n- {id: c, run: 'echo ${{ steps.g.status }}'}\n"
	const past = `
		> run | decided g elements=2
		begin g[0]~1, begin g[1]~1
		> began g[0]~1 | began g[1]~1 | began g[0]/a~1 | ended g[0]/a succeeded | began g[0]/b~1 | ended g[0]/b succeeded | ended g[0] succeeded
		> began g[1]/a~1 | ended g[1]/a succeeded | began g[1]/b~1 | ended g[1]/b succeeded | ended g[1] succeeded
		> ended g succeeded | began c~1 | ended c succeeded | end succeeded`
	inner, err := journal.ParseUnit("g[1]/b")
	if err != nil {
		t.Fatal(err)
	}
	p := New(parse(t, workflow), Options{})
	tell(t, p, past+"\n> no resumed from=g[1]/b", 4, 0)
	p = New(parse(t, workflow), Options{Retain: []journal.Unit{inner}})
	tell(t, p, past+`
		> resumed from=g[1]/b
		begin g[1]/b~2
		> began g[1]/b~2 | ended g[1]/b succeeded
		conclude g[1]~1
		> ended g[1] succeeded
		conclude g
		> ended g succeeded
		begin c~2`, 4, 0)
}

// All that did not succeed begins again wherever it is; what may begin only once does not,
// and nothing around it or after it either.
func TestAllThatDidNotSucceed(t *testing.T) {
	for _, test := range []struct{ name, once, due string }{
		{"may begin again", "", "begin g/a~2"},
		{"may begin only once", "once: true, ", "conclude"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := file("- id: g", "  steps: [{id: a, "+test.once+"on_error: continue, run: x}, {id: b, run: x}]", "- {id: c, run: 'echo ${{ steps.g.status }}'}")
			began := strings.TrimSpace("> began g/a~1 " + strings.TrimSuffix(test.once, ": true, "))
			tell(t, New(parse(t, w), Options{Failed: true}), "> run | began g~1\n"+began+`
				> ended g/a failed forgiven | began g/b~1 | ended g/b succeeded | ended g succeeded | began c~1 | ended c succeeded | end succeeded | resumed lacking
				`+test.due, 1, 0)
		})
	}
}

func mustUnit(t *testing.T, text string) journal.Unit {
	t.Helper()
	u, err := journal.ParseUnit(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestAnother(t *testing.T) {
	p := New(parse(t, file("- {id: a, retry: {max_attempts: 4, backoff: 2s, max_backoff: 5s}, run: x}")), Options{})
	a := journal.Unit{}.Child("a")
	seq := tell(t, p, "> run", 1, 0)
	for n, want := range []time.Duration{2 * time.Second, 4 * time.Second, 5 * time.Second} {
		attempt := a.WithAttempt(n + 1).String()
		seq = tell(t, p, "> began "+attempt, 1, seq)
		if wait, may := p.Another(mustUnit(t, attempt)); !may || time.Duration(wait) != want {
			t.Errorf("after attempt %d: %v, %v; want %v", n+1, time.Duration(wait), may, want)
		}
		seq = tell(t, p, fmt.Sprintf("> again %s failed | decided a~%d rested", attempt, n+2), 1, seq)
	}
	tell(t, p, "> began a~4", 1, seq)
	if _, may := p.Another(a.WithAttempt(4)); may {
		t.Error("a fifth attempt")
	}
}

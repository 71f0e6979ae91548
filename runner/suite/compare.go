package suite

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A comparison compares what was seen of a case with its expectations.
type comparison struct {
	*Outcome
	seen   *sighting
	update bool // golden files are rewritten
}

// differs follows the name of a text or a value whose difference is shown.
const differs = " differs from what was expected (- expected, + actual)"

// all compares all expectations.
func (c *comparison) all(e *workflows.Expectations) {
	if e.Exit != nil {
		c.equal("exit", e.Exit, c.seen.exit, c.ending())
	}
	if c.seen.result == nil {
		if e.Exit == nil || e.Status != nil {
			c.fail(Failure{Pos: c.Pos, What: "nothing ran", Notes: c.seen.why()})
		}
		return
	}
	r := c.seen.result
	c.unanswered(e)
	switch {
	case e.Status != nil:
		c.equal("status", e.Status, string(r.Status), c.ending())
	case !e.OtherEnd() && r.Status != steps.Succeeded && len(c.Failures) == 0:
		c.fail(Failure{Pos: c.Pos, What: fmt.Sprintf("status is %s; expected succeeded (the default)", r.Status), Notes: c.ending()})
	}
	if e.StopReason != nil {
		c.equal("stop_reason", e.StopReason, stopReason(r), c.ending())
	}
	c.cost(e.Cost)
	c.outputs(e)
	c.calls(e)
	for _, f := range e.Files {
		c.file(f)
	}
	if e.Text != nil {
		c.text("text", e.Text, strings.TrimSuffix(r.Text(), "\n"), true)
	}
}

// ending describes the end of a run that did not succeed.
func (c *comparison) ending() []string {
	r := c.seen.result
	switch {
	case r == nil:
		return c.seen.why()
	case r.Error == nil:
		return nil
	}
	where := "the run: "
	if step := cmp.Or(r.Error.Unit.String(), r.Error.Step); step != "" {
		where = fmt.Sprintf("step %q: ", step)
	}
	notes := strings.Split(strings.TrimRight(where+string(r.Error.Kind)+": "+r.Error.Message, "\n"), "\n")
	if r.Error.Hint != "" {
		notes = append(notes, "hint: "+r.Error.Hint)
	}
	return notes
}

// stopReason is the stop reason of the step that ended the run or, if the run succeeded, of the last
// one that ran.
func stopReason(r *runner.Result) string {
	last := ""
	for _, step := range r.Steps {
		switch {
		case r.Error != nil && step.Path() == r.Error.Step:
			return string(step.StopReason)
		case step.Status != steps.Skipped && !strings.Contains(step.Path(), "/"):
			last = string(step.StopReason)
		}
	}
	return last
}

// equal compares one value.
func (c *comparison) equal(what string, want *workflows.Expected, got any, notes []string) {
	if !same(want.Value, got) {
		f := Failure{Pos: want.Pos, What: fmt.Sprintf("%s is %s; expected %s", what, short(got), short(want.Value)), Notes: notes, Diff: valueDiff(want.Value, got)}
		if f.Diff != "" {
			f.What = what + differs
		}
		c.fail(f)
	}
}

// cost compares the cost of the run.
func (c *comparison) cost(want *workflows.ExpectedCost) {
	if want == nil {
		return
	}
	got := c.seen.result.Cost
	switch {
	case !got.Known:
		c.fail(Failure{Pos: want.Pos, What: "cost_usd is not known", Notes: []string{"no price for " + strings.Join(c.seen.result.Unpriced, ", ")}})
	case want.Least != nil && got.USD < *want.Least:
		c.fail(Failure{Pos: want.Pos, What: fmt.Sprintf("cost_usd is %v, which is less than %v", got.USD, *want.Least)})
	case want.Most != nil && got.USD > *want.Most:
		c.fail(Failure{Pos: want.Pos, What: fmt.Sprintf("cost_usd is %v, which is more than %v", got.USD, *want.Most)})
	}
}

// outputs compares outputs by name, or evaluates the expression of the case.
func (c *comparison) outputs(e *workflows.Expectations) {
	for i := range e.Outputs {
		want := &e.Outputs[i]
		at := slices.IndexFunc(c.seen.result.Outputs, func(v runner.NamedValue) bool { return v.Name == want.Name })
		if at < 0 {
			c.fail(Failure{Pos: want.Pos, What: fmt.Sprintf("output %q could not be computed", want.Name), Notes: c.ending()})
			continue
		}
		c.equal("output "+want.Name, &want.Expected, plainValue(c.seen.result.Outputs[at].Value), nil)
	}
	if e.Condition == nil {
		return
	}
	env, err := c.env(e.Condition.Source())
	holds := false
	if err == nil {
		holds, err = e.Condition.Holds(env)
	}
	if holds {
		return
	}
	f := Failure{Pos: e.Condition.Position(), What: "outputs: this is false: " + strings.Join(strings.Fields(e.Condition.Source()), " ")}
	if err != nil {
		f.What, f.Notes = "outputs: "+err.Error(), nil
	}
	for _, part := range e.Condition.Why(env) {
		f.Notes = append(f.Notes, fmt.Sprintf("%s is %s", part.Source, long(part.Value)))
	}
	c.fail(f)
}

// env is the environment of an expression. The workspace is read only if the expression names files.
func (c *comparison) env(source string) (workflows.Env, error) {
	env := workflows.Env{"outputs": map[string]any{}, "steps": map[string]any{}, "files": map[string]any{}}
	data, err := json.Marshal(c.seen.result)
	if err != nil {
		return env, err
	}
	if all, is := plain(data).(map[string]any); is {
		env["outputs"], env["steps"] = all["outputs"], all["steps"]
	}
	calls := make([]any, 0, len(c.seen.calls))
	for _, call := range c.seen.calls {
		calls = append(calls, map[string]any{
			"step": call.step, "unit": call.unit, "tool": call.tool, "status": call.status, "arguments": call.arguments, "rule": call.rule, "error": call.why,
		})
	}
	env["calls"] = calls
	if strings.Contains(source, "files") {
		files, err := allSeen(c.seen.workspace)
		env["files"] = files
		return env, err
	}
	return env, nil
}

// calls compares the calls of tools, and the number of denials.
func (c *comparison) calls(e *workflows.Expectations) {
	for _, want := range e.Calls {
		count := 0
		for _, call := range c.seen.calls {
			if call.fits(want) {
				count++
			}
		}
		what := "the number of calls " + kindOf(want)
		switch {
		case want.Count != nil:
			c.equal(what, want.Count, count, c.made())
		case count == 0:
			c.fail(Failure{Pos: want.Pos, What: "no call " + kindOf(want), Notes: c.made()})
		}
	}
	if e.Denied == nil {
		return
	}
	var denied []string
	count := 0
	for _, call := range c.seen.calls {
		if call.status == string(tools.Denied) {
			count++
			denied = append(denied, fmt.Sprintf("denied: %s: %s", call, call.reason()))
		}
	}
	if len(denied) == 0 {
		denied = c.made()
	}
	c.equal("denied", e.Denied, count, denied)
}

// fits reports whether a call matches an expectation.
func (c call) fits(want *workflows.ExpectedCalls) bool {
	if want.Step != "" && want.Step != c.step || want.Tool != "" && want.Tool != c.tool || want.Status != "" && want.Status != c.status {
		return false
	}
	arguments, _ := c.arguments.(map[string]any)
	for name, value := range want.Arguments {
		if !same(value, arguments[name]) {
			return false
		}
	}
	return true
}

// String is the call in one line.
func (c call) String() string {
	return fmt.Sprintf("%s: %s %s", c.unit, c.tool, long(c.arguments))
}

// reason is the reason of a denial: the rule, or the answer to the call.
func (c call) reason() string {
	if c.rule != "" {
		return "by the rule " + c.rule
	}
	return strings.TrimPrefix(c.why, "Denied: ")
}

// kindOf describes the expected calls.
func kindOf(want *workflows.ExpectedCalls) string {
	var words []string
	if want.Tool != "" {
		words = append(words, "of "+want.Tool)
	}
	if want.Step != "" {
		words = append(words, "in step "+want.Step)
	}
	if want.Arguments != nil {
		words = append(words, "with "+short(want.Arguments))
	}
	if want.Status != "" {
		words = append(words, "that "+map[string]string{"succeeded": "succeeded", "failed": "failed", "denied": "were denied", "cancelled": "were cancelled"}[want.Status])
	}
	return strings.Join(words, " ")
}

// made lists the calls of the run.
func (c *comparison) made() []string {
	const most = 20
	if len(c.seen.calls) == 0 {
		return []string{"no call was made"}
	}
	var lines []string
	for i, call := range c.seen.calls {
		if i == most {
			lines = append(lines, fmt.Sprintf("… and %d more", len(c.seen.calls)-most))
			break
		}
		lines = append(lines, fmt.Sprintf("%s %s", call.status, call))
	}
	return lines
}

// file compares a file of the workspace.
func (c *comparison) file(want *workflows.ExpectedFile) {
	text, err := readSeen(c.seen.workspace, want.Path)
	there := err == nil
	switch {
	case want.Absent && there:
		c.fail(Failure{Pos: want.Pos, What: want.Path + " exists; expected no such file"})
	case want.Absent && errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, fs.ErrNotExist):
		c.fail(Failure{Pos: want.Pos, What: want.Path + " does not exist", Notes: c.near(want.Path)})
	case err != nil:
		c.fail(Failure{Pos: want.Pos, What: fmt.Sprintf("%s: %v", want.Path, err)})
	default:
		c.text(want.Path, &want.ExpectedText, text, false)
	}
}

// near names the file that was probably meant, or those that exist.
func (c *comparison) near(path string) []string {
	all, err := allSeen(c.seen.workspace)
	if err != nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(all))
	const most = 10
	has := "the workspace has " + strings.Join(names[:min(len(names), most)], ", ")
	switch {
	case len(names) == 0:
		has = "the workspace is empty"
	case len(names) > most:
		has += fmt.Sprintf(", and %d more", len(names)-most)
	}
	return []string{nearest.Hint(path, names, has)}
}

// text compares a text. The line break at the end of a printed one does not count.
func (c *comparison) text(what string, want *workflows.ExpectedText, got string, printed bool) {
	ends := func(text string) string {
		if printed {
			return strings.TrimSuffix(text, "\n")
		}
		return text
	}
	if e := want.Equals; e != nil && ends(fmt.Sprint(e.Value)) != got {
		c.fail(Failure{Pos: e.Pos, What: what + differs, Diff: lineDiff(ends(fmt.Sprint(e.Value)), got)})
	}
	if want.EqualsFile != nil {
		c.golden(what, want.EqualsFile, got, ends)
	}
	for _, part := range want.Contains {
		if text := fmt.Sprint(part.Value); !strings.Contains(got, text) {
			c.fail(Failure{Pos: part.Pos, What: fmt.Sprintf("%s does not contain %s; it is", what, short(text)), Notes: excerpt(got)})
		}
	}
	for _, part := range want.Lacks {
		if text := fmt.Sprint(part.Value); strings.Contains(got, text) {
			c.fail(Failure{Pos: part.Pos, What: fmt.Sprintf("%s contains %s, which it must not; it is", what, short(text)), Notes: excerpt(got)})
		}
	}
	if want.Matches != nil && !want.Matches.MatchString(got) {
		c.fail(Failure{Pos: want.Pos, What: fmt.Sprintf("%s does not match %s; it is", what, want.Matches), Notes: excerpt(got)})
	}
}

// golden compares a text with a file beside the test.
func (c *comparison) golden(what string, want *workflows.Golden, got string, ends func(string) string) {
	data, err := host.ReadSource(want.Path)
	if err == nil && ends(string(data)) == got {
		return
	}
	if c.update {
		if ends("\n") == "" && got != "" {
			got += "\n" // as it is printed
		}
		c.goldens = append(c.goldens, golden{want.Path, c.mask.String(got)})
		return
	}
	if err != nil {
		c.fail(Failure{Pos: want.Pos, What: fmt.Sprintf("the golden file %s: %v", want.Path, err), Notes: []string{"to write it: flow test --update"}})
		return
	}
	c.fail(Failure{
		Pos: want.Pos, What: fmt.Sprintf("%s differs from %s (- expected, + actual)", what, filepath.ToSlash(want.Path)), Diff: lineDiff(ends(string(data)), got),
	})
}

// same compares plain data; 2 and 2.0 are equal.
func same(a, b any) bool {
	x, xErr := jsonline.Encode(a)
	y, yErr := jsonline.Encode(b)
	return xErr == nil && yErr == nil && bytes.Equal(x, y)
}

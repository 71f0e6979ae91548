package suite

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A comparison compares what was observed of a case with its expectations.
type comparison struct {
	*Outcome
	seen   *observed
	update bool // golden files are rewritten
}

// fail adds a failure with notes.
func (c *comparison) fail(pos workflows.Position, notes []string, format string, args ...any) {
	c.Outcome.fail(Failure{Pos: pos, What: fmt.Sprintf(format, args...), Notes: notes})
}

// all compares all expectations.
func (c *comparison) all(e *expectations) {
	if e.Exit != nil {
		c.equal("the exit code", e.Exit, c.seen.exit, c.ending())
	}
	if c.seen.result == nil {
		if e.Exit == nil || e.Status != nil {
			c.fail(c.Pos, c.seen.why(), "nothing ran, so that nothing of what is expected can be compared")
		}
		return
	}
	r := c.seen.result
	c.unanswered(e)
	switch {
	case e.Status != nil:
		c.word("the status", e.Status, string(r.Status))
	case !e.otherEnd() && r.Status != steps.Succeeded && len(c.Failures) == 0:
		c.fail(c.Pos, c.ending(), "the status is %s, but a case without a status expects succeeded", r.Status)
	}
	if e.StopReason != nil {
		c.word("the stop reason", e.StopReason, stopReason(r))
	}
	c.cost(e.Cost)
	c.outputs(e)
	c.condition(e.Condition)
	c.calls(e)
	for _, f := range e.Files {
		c.file(f)
	}
	if e.Text != nil {
		c.text("the text of the result", e.Text, strings.TrimSuffix(r.Text(), "\n"), "\n")
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
	who := "the run"
	if step := cmp.Or(r.Error.Unit.String(), r.Error.Step); step != "" {
		who = fmt.Sprintf("step %q", step)
	}
	notes := strings.Split(strings.TrimRight(fmt.Sprintf("%s failed (%s): %s", who, r.Error.Kind.Words(), r.Error.Message), "\n"), "\n")
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

// word compares a word of flow's own, such as a status, which needs no quotes.
func (c *comparison) word(what string, want *expectedValue, got string) {
	if want.Value != got {
		c.fail(want.Pos, c.ending(), "%s is %s, but the case expects %v", what, cmp.Or(got, "none"), want.Value)
	}
}

// equal compares a value or a text with what is expected. The failure shows the difference of long ones.
func (c *comparison) equal(what string, want *expectedValue, got any, notes []string) {
	if same(want.Value, got) {
		return
	}
	f := Failure{Pos: want.Pos, What: fmt.Sprintf("%s is %s, but the case expects %s", what, short(got), short(want.Value)), Notes: notes}
	before, after := jsonline.Indented(want.Value), jsonline.Indented(got)
	const maxShort = 60
	if max(len(before), len(after)) > maxShort || strings.Contains(before+after, "\n") {
		f.What, f.Diff = what+" differs from what the case expects (- expected, + actual)", lineDiff(before, after, maxDiff)
	}
	c.Outcome.fail(f)
}

// same compares plain data; 2 and 2.0 are equal.
func same(a, b any) bool {
	x, xErr := jsonline.Encode(a)
	y, yErr := jsonline.Encode(b)
	return xErr == nil && yErr == nil && bytes.Equal(x, y)
}

// cost compares the cost of the run.
func (c *comparison) cost(want *expectedCost) {
	if want == nil {
		return
	}
	got := c.seen.result.Cost
	switch {
	case !got.Known:
		c.fail(want.Pos, []string{"no price for " + strings.Join(c.seen.result.Unpriced, ", ")}, "the cost is not known, but cost_usd is expected")
	case want.Least != nil && got.USD < *want.Least:
		c.fail(want.Pos, nil, "the cost is %v USD, but the case expects at least %v", got.USD, *want.Least)
	case want.Most != nil && got.USD > *want.Most:
		c.fail(want.Pos, nil, "the cost is %v USD, but the case expects at most %v", got.USD, *want.Most)
	}
}

// outputs compares outputs by name.
func (c *comparison) outputs(e *expectations) {
	for i := range e.Outputs {
		name, want := e.Outputs[i].Name.Text, &e.Outputs[i].Value
		at := slices.IndexFunc(c.seen.result.Outputs, func(v runner.NamedValue) bool { return v.Name == name })
		if at < 0 {
			c.fail(want.Pos, c.ending(), "output %q could not be computed", name)
			continue
		}
		c.equal(fmt.Sprintf("output %q", name), want, c.seen.result.Outputs[at].Value, nil)
	}
}

// condition evaluates the expression of the case.
func (c *comparison) condition(want *workflows.Condition) {
	if want == nil {
		return
	}
	env, err := c.env(want.Source())
	holds := false
	if err == nil {
		holds, err = want.Holds(env)
	}
	if holds {
		return
	}
	what := "the expression is false: " + strings.Join(strings.Fields(want.Source()), " ")
	if err != nil {
		what = err.Error()
	}
	var notes []string
	for _, part := range want.Why(env) {
		notes = append(notes, part.Line(nil))
	}
	c.fail(want.Position(), notes, "outputs: %s", what)
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

// file compares a file of the workspace.
func (c *comparison) file(want expectedFile) {
	text, err := readSeen(c.seen.workspace, want.Path)
	switch {
	case want.Absent && err == nil:
		c.fail(want.Pos, nil, "the file %q exists, but the case expects that it does not", want.Path)
	case want.Absent && errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, fs.ErrNotExist):
		c.fail(want.Pos, c.near(want.Path), "the file %q does not exist", want.Path)
	case err != nil:
		c.fail(want.Pos, nil, "the file %q can't be read: %v", want.Path, err)
	default:
		c.text(fmt.Sprintf("the file %q", want.Path), want.expectedText, text, "")
	}
}

// near names the file that was probably meant, or those that exist.
func (c *comparison) near(path string) []string {
	all, err := allSeen(c.seen.workspace)
	if err != nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(all))
	return []string{nearest.Hint(path, names, "the workspace has "+cmp.Or(strings.Join(first(10, names), ", "), "no files"))}
}

// text compares a text. Its end, such as the line break after a printed one, does not count, and got
// lacks it.
func (c *comparison) text(what string, want *expectedText, got, end string) {
	if e := want.Equals; e != nil {
		c.equal(what, &expectedValue{Pos: e.Pos, Value: strings.TrimSuffix(fmt.Sprint(e.Value), end)}, got, nil)
	}
	if golden := want.EqualsFile; golden != nil {
		c.golden(what, golden, got, end)
	}
	for _, part := range want.Contains {
		if text := fmt.Sprint(part.Value); !strings.Contains(got, text) {
			c.fail(part.Pos, excerpt(got), "%s does not contain %s. It is:", what, short(text))
		}
	}
	for _, part := range want.Lacks {
		if text := fmt.Sprint(part.Value); strings.Contains(got, text) {
			c.fail(part.Pos, excerpt(got), "%s contains %s, which it must not. It is:", what, short(text))
		}
	}
	if want.Matches != nil && !want.Matches.MatchString(got) {
		c.fail(want.Pos, excerpt(got), "%s does not match %s. It is:", what, want.Matches)
	}
}

// golden compares a text with a file beside the test.
func (c *comparison) golden(what string, want *format.Word, got, end string) {
	data, err := host.ReadSource(want.Text)
	expected := strings.TrimSuffix(string(data), end)
	switch {
	case err == nil && expected == got:
	case c.update:
		if got != "" {
			got += end
		}
		err := os.MkdirAll(filepath.Dir(want.Text), 0o777)
		if err = errors.Join(err, os.WriteFile(want.Text, []byte(c.mask.String(got)), 0o666)); err != nil {
			c.fail(want.Node.Position(), nil, "the golden file: %v", err)
			return
		}
		c.Written = append(c.Written, want.Text)
	case err != nil:
		c.fail(want.Node.Position(), []string{"to write it: flow test --update"}, "the golden file %s: %v", want.Text, err)
	default:
		c.Outcome.fail(Failure{
			Pos: want.Node.Position(), What: fmt.Sprintf("%s differs from %s (- expected, + actual)", what, filepath.ToSlash(want.Text)), Diff: lineDiff(expected, got, maxDiff),
		})
	}
}

package suite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/runner/journal"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Coverage records which parts of the workflows the cases have reached: steps, both results of their
// conditions, and rules. It is safe for concurrent use.
type Coverage struct {
	mu     sync.Mutex
	points map[string]*Point
}

// A Point is a part of a workflow that a case may reach.
type Point struct {
	Pos     workflows.Position
	What    string // what is so while nothing reaches it: `step "index" never ran`
	Reached bool
}

// Points returns all points, sorted by position.
func (c *Coverage) Points() []Point {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Point
	for _, p := range c.points {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b Point) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column), strings.Compare(a.What, b.What))
	})
	return all
}

// point adds a point, or marks it as reached.
func (c *Coverage) point(pos workflows.Position, reached bool, what string) {
	key := pos.String() + " " + what
	if c.points[key] == nil {
		c.points[key] = &Point{Pos: pos, What: what}
	}
	c.points[key].Reached = c.points[key].Reached || reached
}

// An aspect is a part of a step that a case may reach. Rules have points of their own.
type aspect struct {
	pos  workflows.Position
	says string                    // what is so while nothing reaches it
	by   func(journal.Record) bool // reports whether a record of the step reaches it
}

// aspectsOf are those of a step.
func aspectsOf(step *workflows.Step) (all []aspect) {
	add := func(pos workflows.Position, by func(journal.Record) bool, format string, args ...any) {
		all = append(all, aspect{pos, fmt.Sprintf(format, append(args, step.Path)...), by})
	}
	add(step.Pos, func(r journal.Record) bool {
		return r.Kind == journal.Began || r.Kind == journal.Ended && r.Status != steps.Skipped
	}, "no test runs the step %q")
	if c := step.If; c != nil {
		add(c.Position(), decided(journal.If, true), "no test makes the if of %q true")
		add(c.Position(), decided(journal.If, false), "no test makes the if of %q false")
	}
	if c := step.When; c != nil {
		add(c.Position(), func(r journal.Record) bool { return len(r.LeftOut) > 0 }, "no test makes the when of %q leave an element out")
	}
	if g := step.Group; g != nil && g.Until != nil {
		add(g.Until.Position(), decided(journal.Until, true), "no test makes the until of %q true")
		add(g.Until.Position(), decided(journal.Until, false), "no test makes the until of %q false, for a second round")
	}
	if step.OnError.GoesOn() {
		add(step.Pos, func(r journal.Record) bool {
			return r.Kind == journal.Ended && (r.Status == steps.Failed || r.Status == steps.Stopped)
		}, "no test makes the step %q fail, for its on_error")
	}
	if step.Retry.MaxAttempts > 1 {
		add(step.Pos, func(r journal.Record) bool { return r.Kind == journal.Again }, "no test makes an attempt of %q fail, for its retry")
	}
	if step.Agent == nil {
		return all
	}
	for i, check := range step.Agent.Checks {
		source := term.Shorten(strings.Join(strings.Fields(check.Source), " "), 80)
		add(check.Pos, failed(i), "no test makes the check %#q of %q fail", source)
	}
	return all
}

// decided returns a function that reports whether a record has this result of a condition.
func decided(about journal.About, holds bool) func(journal.Record) bool {
	return func(r journal.Record) bool { return r.About == about && r.Holds == holds }
}

// failed returns a function that reports whether a record says that a check of an agent failed.
func failed(check int) func(journal.Record) bool {
	return func(r journal.Record) bool {
		var fact steps.Fact
		return r.About == journal.Inner && json.Unmarshal(r.Data, &fact) == nil && fact.Check != nil && slices.Contains(fact.Check.Failed, check)
	}
}

// expect adds the points of a workflow, and of those that it uses.
func (c *Coverage) expect(w *workflows.Workflow) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.points == nil {
		c.points = map[string]*Point{}
	}
	for _, step := range w.Paths() {
		for _, a := range aspectsOf(step) {
			c.point(a.pos, false, a.says)
		}
	}
	c.allRules(w, nil)
}

// allRules adds the points of all rules, and marks those that decisions name.
func (c *Coverage) allRules(w *workflows.Workflow, by map[string]bool) {
	for _, one := range w.Used() {
		c.rules(one.Permissions, by)
	}
	for _, step := range w.Paths() {
		for _, rules := range step.RuleSets() {
			c.rules(rules, by)
		}
	}
}

func (c *Coverage) rules(all workflows.Permissions, by map[string]bool) {
	for key, rules := range all {
		for _, r := range rules {
			reached := by[key+": "+r.Pattern] || r.Pattern == "*" && (by[key] || by[key+": "+r.Decision])
			c.point(r.Pos, reached, fmt.Sprintf("no call of a test is decided by the rule %q (%s)", key+": "+r.Pattern, r.Decision))
		}
	}
}

// mark marks the points that a run has reached, by its journal and by the rules of its calls.
func (c *Coverage) mark(w *host.Loaded, seen *observed) error {
	c.expect(w.Workflow)
	from, err := journal.OpenReader(seen.run)
	if err != nil {
		return err
	}
	defer from.Close()
	aspects := map[string][]aspect{}
	for path, step := range w.Paths() {
		aspects[path] = aspectsOf(step)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for r, err := range from.Records() {
		if err != nil {
			return err
		}
		for _, a := range aspects[r.Unit.Path()] {
			if a.by(r) {
				c.point(a.pos, true, a.says)
			}
		}
	}
	by := map[string]bool{} // the rules that events name, such as of changes of commands
	for _, call := range seen.calls {
		by[call.rule] = call.rule != ""
		c.call(w, seen.workspace, call)
	}
	c.allRules(w.Workflow, by)
	return nil
}

// call marks the rules that decide a call, or a part of its command, among those of each workflow
// around the step: all of them have to allow a call, and the decision names only one.
func (c *Coverage) call(w *host.Loaded, workspace string, one call) {
	arguments, err := json.Marshal(one.arguments)
	if err != nil {
		return
	}
	judged, err := w.Judge(host.StepCall{Step: one.step, Tool: one.tool, Argument: string(arguments), Workspace: workspace})
	if err != nil {
		return // the step lists no such tool
	}
	for _, layer := range judged.Layers {
		by := map[string]bool{layer.Rule: true}
		for _, part := range layer.Parts {
			by[part.Rule] = true
		}
		delete(by, "")
		c.rules(layer.Workflow.Permissions, by)
		c.rules(layer.Step, by)
	}
}

// Files returns the workflows of the points, with the numbers of their reached and of all points.
func (c *Coverage) Files() (files []string, reached, all map[string]int) {
	reached, all = map[string]int{}, map[string]int{}
	for _, p := range c.Points() {
		all[p.Pos.File]++
		if p.Reached {
			reached[p.Pos.File]++
		}
	}
	return slices.Sorted(maps.Keys(all)), reached, all
}

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
	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Coverage is what of the workflows the cases have reached: steps, the ways that
// their conditions can go, and rules. It is safe for concurrent use.
type Coverage struct {
	mu     sync.Mutex
	points map[string]*Point
}

// A Point is one thing that a case may reach.
type Point struct {
	Pos     workflows.Position
	What    string // what is so while nothing reaches it: `step "index" never ran`
	Reached bool
}

// Points are all of them, by file and place.
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

// point makes a point, or marks it as reached.
func (c *Coverage) point(pos workflows.Position, reached bool, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	key := pos.String() + " " + what
	if c.points[key] == nil {
		c.points[key] = &Point{Pos: pos, What: what}
	}
	c.points[key].Reached = c.points[key].Reached || reached
}

// What is said of points that nothing reaches.
const (
	neverRan      = `step %q never ran`
	neverHeld     = `if of %q never held`
	neverFailed   = `if of %q held each time`
	leftNoneOut   = `when of %q left nothing out`
	neverDone     = `until of %q never held`
	doneAtOnce    = `until of %q held after the first round each time`
	neverForgiven = `on_error of %q: it never failed`
	neverAgain    = `retry of %q: no attempt failed`
	alwaysGood    = `check %#q of %q held each time`
	neverDecided  = "rule %s never decided"
)

// expect makes the points of a workflow, and of those that it uses.
func (c *Coverage) expect(w *workflows.Workflow) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.points == nil {
		c.points = map[string]*Point{}
	}
	for _, one := range w.Used() {
		c.rules(one.Permissions)
	}
	for _, step := range w.StepsByPath() {
		c.stepPoints(step)
		for _, rules := range step.RuleSets() {
			c.rules(rules)
		}
	}
}

// stepPoints makes the points of a step.
func (c *Coverage) stepPoints(step *workflows.Step) {
	c.point(step.Pos, false, neverRan, step.Path)
	if step.If != nil {
		c.point(step.If.Position(), false, neverHeld, step.Path)
		c.point(step.If.Position(), false, neverFailed, step.Path)
	}
	if step.When != nil {
		c.point(step.When.Position(), false, leftNoneOut, step.Path)
	}
	if step.Group != nil && step.Group.Until != nil {
		c.point(step.Group.Until.Position(), false, neverDone, step.Path)
		c.point(step.Group.Until.Position(), false, doneAtOnce, step.Path)
	}
	if step.OnError.GoesOn() {
		c.point(step.Pos, false, neverForgiven, step.Path)
	}
	if step.Retry.MaxAttempts > 1 {
		c.point(step.Pos, false, neverAgain, step.Path)
	}
	if step.Agent != nil {
		for _, check := range step.Agent.Checks {
			c.check(step, check, false)
		}
	}
}

// check makes the point of one check.
func (c *Coverage) check(step *workflows.Step, check workflows.Check, reached bool) {
	c.point(check.Pos, reached, alwaysGood, term.Shorten(strings.Join(strings.Fields(check.Source), " "), 80), step.Path)
}

// rules makes the points of rules.
func (c *Coverage) rules(all workflows.Permissions) {
	for key, rules := range all {
		for _, r := range rules {
			c.point(r.Pos, false, neverDecided, ruleName(key, r))
		}
	}
}

// ruleName is a rule as it is told, with its decision.
func ruleName(key string, r workflows.Rule) string {
	return fmt.Sprintf("%s: %s (%s)", key, r.Pattern, r.Decision)
}

// take marks what a run has reached: as its journal has it, and by which rules its
// calls were decided.
func (c *Coverage) take(w *host.Loaded, seen *sighting) error {
	c.expect(w.Workflow)
	from, err := journal.OpenReader(seen.run)
	if err != nil {
		return err
	}
	defer from.Close()
	byPath := w.StepsByPath()
	c.mu.Lock()
	defer c.mu.Unlock()
	for r, err := range from.Records() {
		if err != nil {
			return err
		}
		if step := byPath[r.Unit.Path()]; step != nil {
			c.record(step, r)
		}
	}
	decided := map[string]bool{}
	for _, call := range seen.calls {
		for _, rule := range rulesOf(w, seen.workspace, call) {
			decided[rule] = true
		}
	}
	for _, one := range w.Used() {
		c.decided(one.Permissions, decided)
	}
	for _, step := range byPath {
		for _, rules := range step.RuleSets() {
			c.decided(rules, decided)
		}
	}
	return nil
}

// record marks what one record says of a step.
func (c *Coverage) record(step *workflows.Step, r record.Record) {
	switch {
	case r.Kind == record.Began, r.Kind == record.Ended && r.Status != record.Skipped:
		c.point(step.Pos, true, neverRan, step.Path)
	case r.Kind == record.Again && step.Retry.MaxAttempts > 1:
		c.point(step.Pos, true, neverAgain, step.Path)
	case r.Kind == record.Decided && r.About == record.If && step.If != nil:
		c.point(step.If.Position(), true, map[bool]string{true: neverHeld, false: neverFailed}[r.Holds], step.Path)
	case r.Kind == record.Decided && r.About == record.Elements && len(r.LeftOut) > 0 && step.When != nil:
		c.point(step.When.Position(), true, leftNoneOut, step.Path)
	case r.Kind == record.Decided && r.About == record.Until && step.Group != nil && step.Group.Until != nil:
		c.point(step.Group.Until.Position(), true, map[bool]string{true: neverDone, false: doneAtOnce}[r.Holds], step.Path)
	case r.Kind == record.Decided && r.About == record.Inner && step.Agent != nil:
		c.judged(step, r.Data.Raw())
	}
	if r.Kind == record.Ended && step.OnError.GoesOn() && (r.Status == record.Failed || r.Status == record.Stopped) {
		c.point(step.Pos, true, neverForgiven, step.Path)
	}
}

// judged marks the checks that did not hold, where that is what a fact says.
func (c *Coverage) judged(step *workflows.Step, data []byte) {
	var fact steps.Fact
	if json.Unmarshal(data, &fact) != nil || fact.Check == nil {
		return
	}
	for _, i := range fact.Check.Failed {
		if i >= 0 && i < len(step.Agent.Checks) {
			c.check(step, step.Agent.Checks[i], true)
		}
	}
}

// decided marks the rules that were named by decisions.
func (c *Coverage) decided(all workflows.Permissions, decided map[string]bool) {
	for key, rules := range all {
		for _, r := range rules {
			if decided[key+": "+r.Pattern] || r.Pattern == "*" && (decided[key] || decided[key+": "+r.Decision]) {
				c.point(r.Pos, true, neverDecided, ruleName(key, r))
			}
		}
	}
}

// rulesOf are the rules by which a call was decided: that of the call as it is told,
// and those of the parts of a command.
func rulesOf(w *host.Loaded, workspace string, c call) []string {
	rules := []string{c.rule}
	arguments, err := json.Marshal(c.arguments)
	if err != nil {
		return rules
	}
	judged, err := w.Judge(host.Question{Step: c.step, Tool: c.tool, Argument: string(arguments), Workspace: workspace})
	if err != nil {
		return rules
	}
	rules = append(rules, judged.Rule)
	for _, part := range judged.Parts {
		rules = append(rules, part.Rule)
	}
	return rules
}

// Files are the workflows that the points are of, each with how many of its points
// were reached, of how many.
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

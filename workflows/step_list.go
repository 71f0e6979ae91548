package workflows

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/checker/nature"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// A stepList is one list of steps. Its slices have an element for each.
type stepList struct {
	steps   []*Step
	outer   *stepScope     // of the group that the list is in; nil at the top
	indexes map[string]int // in steps, by id
	needs   [][]int        // the steps that each waits for
	order   []int          // each after those that it waits for
	before  []*big.Int     // of each, a bit for every step that has ended when it starts
	natures []nature.Nature
}

// unnamed returns the step without an id to which a name was assigned; nil for none.
func (l *stepList) unnamed(name string) *Step {
	digits, numbered := strings.CutPrefix(name, "step-")
	number, err := strconv.Atoi(digits)
	if !numbered || err != nil || number < 1 || number > len(l.steps) || unnamedStep(number-1) != name {
		return nil
	}
	if s := l.steps[number-1]; s.ID == "" {
		return s
	}
	return nil
}

// ids lists the ids in the list, sorted, without that of one step.
func (l *stepList) ids(but int) []string {
	ids := make([]string, 0, len(l.indexes))
	for id, i := range l.indexes {
		if i != but {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// sort orders the steps, each after those that it waits for, and computes for each all that it
// waits for, directly or indirectly. Where steps wait for each other it returns these: each waits
// for the next, and the last for the first.
func (l *stepList) sort() (cycle []int) {
	l.order, l.before = nil, make([]*big.Int, len(l.steps))
	open := make([]bool, len(l.steps)) // those on the way
	var way []int
	var visit func(i int) bool
	visit = func(i int) bool {
		if way = append(way, i); open[i] {
			cycle = way[slices.Index(way, i) : len(way)-1]
			return false
		}
		open[i] = true
		all := new(big.Int)
		for _, need := range l.needs[i] {
			if l.before[need] == nil && !visit(need) {
				return false
			}
			all.SetBit(all.Or(all, l.before[need]), need, 1)
		}
		l.before[i], l.order = all, append(l.order, i)
		way, open[i] = way[:len(way)-1], false
		return true
	}
	for i := range l.steps {
		if l.before[i] == nil && !visit(i) {
			return cycle
		}
	}
	return nil
}

// A stepScope is the steps that can be referred to from one step, or from behind a list. It
// implements [expression.Steps].
type stepScope struct {
	list *stepList
	step int // its index in the list; -1 behind all of them

	behind []int // the steps that were referred to from behind the list
}

// find looks an id up from the inside out, and returns the scope, in the list that has it,
// of the reference, with the place of the step.
func (s *stepScope) find(id string) (*stepScope, int) {
	for scope := s; scope != nil; scope = scope.list.outer {
		if i, known := scope.list.indexes[id]; known {
			return scope, i
		}
	}
	return nil, 0
}

// Problem returns why a step can't be referred to; "" when it can.
func (s *stepScope) Problem(id string) (problem, hint string) {
	scope, i := s.find(id)
	switch {
	case scope == nil:
		return fmt.Sprintf("there is no step %q", id), s.hint(id)
	case scope.step < 0 || scope.list.before[scope.step].Bit(i) == 1:
		return "", ""
	case scope.step == i && scope == s:
		return fmt.Sprintf("the step %q refers to itself", id), "a step can refer to those that have ended before it starts; its own checks see what it made as output"
	case scope.step == i:
		return fmt.Sprintf("the group %q has not ended inside of itself", id), "its own steps are named here by their ids alone"
	}
	from := scope.list.steps[scope.step]
	given := from.node.Get("needs") != nil
	if given && slices.ContainsFunc(from.needs, func(n word) bool { return n.Text == id }) {
		return "", "" // the two wait for each other, which is reported
	} else if given {
		return fmt.Sprintf("the step %q need not have ended by then", id), fmt.Sprintf("add %q to the needs of %s", id, from.described())
	}
	if i > scope.step {
		return fmt.Sprintf("the step %q comes later", id), "a step can refer to those that have ended before it starts"
	}
	return fmt.Sprintf("the step %q need not have ended by then", id), fmt.Sprintf("give %s needs: [%s]", from.described(), id)
}

// Refer records that the step refers to another one.
func (s *stepScope) Refer(id string) {
	scope, i := s.find(id)
	if scope.step < 0 {
		if !slices.Contains(scope.behind, i) {
			scope.behind = append(scope.behind, i)
		}
		return
	}
	if step := scope.list.steps[scope.step]; !slices.Contains(step.Depends, i) {
		step.Depends = append(step.Depends, i)
	}
}

// groupHint says which group of the list has a step with an id inside; "" for none.
func (l *stepList) groupHint(id string) string {
	for _, s := range l.steps {
		if s.ID != "" && s.Group != nil && slices.ContainsFunc(s.Group.Steps, func(inner *Step) bool { return inner.ID == id }) {
			return fmt.Sprintf("it is inside the group %q; outside only the group is seen", s.ID)
		}
	}
	return ""
}

// hint suggests the nearest id, or says that the id is inside a group.
func (s *stepScope) hint(id string) string {
	var ids []string
	for scope := s; scope != nil; scope = scope.list.outer {
		ids = append(ids, scope.list.ids(-1)...)
		if inside := scope.list.groupHint(id); inside != "" {
			return inside
		}
	}
	if dashed := tree.WithDash(id, ids); dashed != "" {
		return fmt.Sprintf("an id with a dash is written steps[%q]", dashed)
	}
	if near := nearest.Of(id, ids); strings.Contains(near, "-") {
		return fmt.Sprintf("did you mean steps[%q]?", near)
	}
	return tree.DidYouMean(id, ids)
}

// FieldProblem returns what is wrong with steps.<id>.<field>; "" for nothing.
func (s *stepScope) FieldProblem(id, field string) (problem, hint string) {
	if field == "" {
		return "", ""
	}
	n := s.Nature(id)
	if n.TypeData == nil {
		return "", ""
	}
	if _, known := n.Fields[field]; known {
		return "", ""
	}
	problem = fmt.Sprintf("steps.%s has no field %q", id, field)
	return problem, cmp.Or(format.Foreign("fields")[field], tree.DidYouMean(field, slices.Sorted(maps.Keys(n.Fields))))
}

// Choices returns the values that a field of a step can have; nil for any.
func (s *stepScope) Choices(id string, path []string) []string {
	scope, i := s.find(id)
	if scope == nil || len(path) == 0 || scope.list.steps[i].Foreach != nil {
		return nil
	}
	step := scope.list.steps[i]
	switch {
	case len(path) == 1 && (path[0] == "output" || path[0] == "text") && step.Question != nil && len(step.Question.Choices) > 0:
		return step.Question.Choices
	case path[0] == "output":
		return expression.SchemaChoices(step.Output.keywords, path[1:])
	}
	return nil
}

// Nature returns the type of a step; any for one that can't be referred to.
func (s *stepScope) Nature(id string) nature.Nature {
	if problem, _ := s.Problem(id); problem != "" {
		return nature.Nature{}
	}
	scope, i := s.find(id)
	return scope.list.natures[i]
}

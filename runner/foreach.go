package runner

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/runner/record"
	"github.com/a-seed-11b9befa/flow/steps"
)

// mostElements bounds a foreach. An expression can't make more values either.
const mostElements = 1_000_000

// fan runs the step once for each element of its foreach. The results keep the
// order of the elements.
func (t *site) fan(ctx context.Context) *StepResult {
	items, leftOut, failure := t.elementsOnce(ctx)
	if failure != nil {
		return t.neverBegan(ctx, failure)
	}
	began, n := time.Now(), len(items)
	t.tell(Event{StepKind: string(t.step.Kind), Items: &n, LeftOut: leftOut}, steps.Event{Type: StepStarted})

	shelf, ends := newFolderShelf(t, items), make([]*StepResult, n)
	during, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begin := func(i int) func() outcome {
		site := t.element(during, i, shelf)
		line := site.queue()
		told := line.ready()
		if told { // here, so that elements start in their order
			site.tellStart()
		}
		return func() outcome {
			defer line.leave()
			element := site.guarded(func() *StepResult { return site.once(during, line, told) })
			ends[i] = element
			return element.elementOutcome()
		}
	}
	var sum elementSum
	past := newPast(n)
	t.keepEnded(ctx, shelf, past, &sum)
	plan := fanPlan{parallel: t.step.MaxParallel, goOn: t.step.OnError.GoesOn(), most: t.step.MaxFailures}
	drive(during, plan, past, begin, func(i int) {
		sum.end(i, items[i].index, ends[i])
		if o := ends[i].elementOutcome(); o == over || o == bad && !plan.goOn {
			cancel(errSibling)
		}
		ends[i] = nil
	})
	if sum.next < n {
		shelf.never = neverBegun(during)
		sum.rest(items, shelf.never)
	}
	sum.counts.LeftOut = leftOut
	result := t.result()
	result.elements = &elements{shelf: shelf, count: n}
	sum.conclude(result, t.step)
	return t.finish(result, &began)
}

// elementsOnce decides what the step goes over, and how many it leaves out, unless
// that was done before.
func (t *site) elementsOnce(ctx context.Context) (items []fanned, leftOut int, failure error) {
	if past := t.run.history.of(t.unit); past.elements != nil {
		items, err := t.items(past)
		return items, past.elements.Count - len(items), err
	}
	all, err := t.elements(ctx)
	if err != nil {
		return nil, 0, mistake("foreach", err)
	}
	if items, err = t.keep(ctx, all); err != nil {
		return nil, 0, mistake("when", err)
	}
	t.decided(record.Record{About: record.Elements, Count: len(all), LeftOut: missing(items, len(all))}, all)
	return items, len(all) - len(items), nil
}

// keepEnded takes elements that had ended before for what they came to.
func (t *site) keepEnded(ctx context.Context, shelf *folderShelf, past *past, sum *elementSum) {
	if t.run.history == nil {
		return
	}
	for i := range shelf.items {
		if element := t.element(ctx, i, shelf).before(); element != nil {
			shelf.keep(i, element)
			past.start(i)
			past.end(i, element.elementOutcome())
			sum.end(i, shelf.items[i].index, element)
		}
	}
}

// elements evaluates the step's foreach: an array, or a map as its entries,
// sorted by key.
func (t *site) elements(ctx context.Context) ([]any, error) {
	value, err := t.step.Foreach.Eval(t.names(ctx, nil))
	if err != nil {
		return nil, err
	}
	list := reflect.ValueOf(value)
	switch list.Kind() {
	case reflect.Slice, reflect.Array:
		if list.Len() > mostElements {
			return nil, fmt.Errorf("%d elements, of which there may be 1,000,000", list.Len())
		}
		items := make([]any, list.Len())
		for i := range items {
			items[i] = list.Index(i).Interface()
		}
		return items, nil
	case reflect.Map:
		return entries(list), nil
	}
	return nil, fmt.Errorf("expected an array or a map, got %s", describe(value))
}

// keep leaves out the elements for which the step's when does not hold.
func (t *site) keep(ctx context.Context, all []any) ([]fanned, error) {
	kept := make([]fanned, 0, len(all))
	names := t.names(ctx, nil)
	for i, item := range all {
		if t.step.When != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			names[t.step.As], names["index"] = item, i
			holds, err := t.step.When.Holds(names)
			if err != nil {
				return nil, fmt.Errorf("element %d: %w", i, err)
			}
			if !holds {
				continue
			}
		}
		kept = append(kept, fanned{i, item})
	}
	return kept, nil
}

// missing are the places of the elements that are left out, of so many.
func missing(kept []fanned, of int) (left []int) {
	next := 0
	for _, element := range append(kept[:len(kept):len(kept)], fanned{index: of}) {
		for ; next < element.index; next++ {
			left = append(left, next)
		}
		next++
	}
	return left
}

// entries are the entries of a map, whose keys may be of any type (groupBy
// makes such maps), sorted by what a person reads.
func entries(m reflect.Value) []any {
	items := make([]any, 0, m.Len())
	for key, value := range m.Seq2() {
		items = append(items, map[string]any{"key": Text(key.Interface()), "value": value.Interface()})
	}
	slices.SortFunc(items, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["key"].(string), b.(map[string]any)["key"].(string))
	})
	return items
}

func describe(value any) string {
	switch value := value.(type) {
	case nil:
		return "nothing"
	case string:
		return fmt.Sprintf("the text %.60q", value)
	}
	return fmt.Sprintf("%.60s", Text(value))
}

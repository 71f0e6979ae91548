package runner

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/steps"
)

// mostElements bounds a foreach. An expression can't make more values either.
const mostElements = 1_000_000

// fan runs the step once for each element of its foreach. The results keep the
// order of the elements.
func (t *site) fan(ctx context.Context) *StepResult {
	items, err := t.elements()
	if err != nil {
		return t.fail(&steps.Error{Kind: steps.KindInvalidWorkflow, Message: fmt.Sprintf("foreach: %v", err), Err: err})
	}
	began, n := time.Now(), len(items)
	t.tell(Event{StepKind: string(t.step.Kind), Items: &n}, steps.Event{Type: StepStarted})

	result := t.result()
	result.fan = true
	result.Results = make([]*ElementResult, n)
	during, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begin := func(i int) func() outcome {
		site := t.element(i, items[i])
		line := site.queue()
		told := line.ready()
		if told { // here, so that elements start in their order
			site.tellStart()
		}
		return func() outcome {
			defer line.leave()
			element := site.guarded(func() *StepResult { return site.once(during, line, told) })
			result.Results[i] = &ElementResult{Index: i, Item: items[i], StepResult: *element}
			if element.Status != steps.Succeeded {
				return bad
			}
			return good
		}
	}
	drive(during, fanPlan{parallel: t.step.MaxParallel, goOn: t.step.ContinueOnError}, newPast(n), begin, func(i int) {
		if result.Results[i].Status != steps.Succeeded && !t.step.ContinueOnError {
			cancel(errSibling)
		}
	})
	t.gather(result, items, context.Cause(during))
	return t.finish(result, &began)
}

// gather makes of the elements' results that of the step: the first one that
// failed speaks for it.
func (t *site) gather(r *StepResult, items []any, cause error) {
	r.Status, r.StopReason = steps.Succeeded, steps.ReasonCompleted
	var spent spending
	var failed []*ElementResult
	for i, element := range r.Results {
		if element == nil {
			element = &ElementResult{Index: i, Item: items[i], StepResult: StepResult{Kind: t.step.Kind, Result: *ended(cause)}}
			r.Results[i] = element
		}
		spent = spent.and(&element.Result)
		if element.Status != steps.Succeeded {
			failed = append(failed, element)
		}
	}
	r.spent(spent)
	if len(failed) == 0 {
		return
	}
	first := failed[0]
	if i := slices.IndexFunc(failed, func(e *ElementResult) bool { return e.Status != steps.Cancelled }); i >= 0 {
		first = failed[i]
	}
	r.Status, r.StopReason = first.Status, first.StopReason
	failure := *first.Error
	failure.Message = fmt.Sprintf("element %d: %s", first.Index, failure.Message)
	if len(failed) > 1 {
		failure.Message += fmt.Sprintf(" (and %d more that did not succeed)", len(failed)-1)
	}
	r.Error = &failure
}

// elements evaluates the step's foreach: an array, or a map as its entries,
// sorted by key.
func (t *site) elements() ([]any, error) {
	value, err := t.step.Foreach.Eval(t.names(nil))
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

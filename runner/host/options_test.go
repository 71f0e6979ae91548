package host

import (
	"reflect"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner"
)

// What a program's options have in common with those of a run reaches the run, field by field.
func TestOptionsReachTheRun(t *testing.T) {
	w, _ := loaded(t)
	o := Options{}
	given := reflect.ValueOf(&o).Elem()
	var common []string
	for i := range given.NumField() {
		field := given.Type().Field(i)
		if into, found := reflect.TypeFor[runner.Options]().FieldByName(field.Name); found && into.Type == field.Type {
			common = append(common, field.Name)
			given.Field(i).Set(some(field.Type))
		}
	}
	if len(common) < 15 {
		t.Errorf("only %q are compared", common)
	}
	got := reflect.ValueOf(w.runnerOptions(o, newToolboxes(w, o)))
	for _, name := range common {
		if got.FieldByName(name).IsZero() {
			t.Errorf("%s is lost", name)
		}
	}
}

// some returns a value that is not zero.
func some(of reflect.Type) reflect.Value {
	value := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.String:
		value.SetString("x")
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Int64:
		value.SetInt(1)
	case reflect.Pointer:
		value.Set(reflect.New(of.Elem()))
	case reflect.Map:
		value.Set(reflect.MakeMap(of))
	case reflect.Func:
		value.Set(reflect.MakeFunc(of, func([]reflect.Value) []reflect.Value { return nil }))
	}
	return value
}

package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
	"github.com/a-seed-11b9befa/flow/internal/known"
)

// Parallel says which other calls of a turn may run at the same time as a call.
type Parallel string

// The choices. The zero value is [ParallelAuto].
const (
	ParallelAuto   Parallel = "auto"   // those that don't conflict with its effects
	ParallelNever  Parallel = "never"  // those that touch nothing
	ParallelAlways Parallel = "always" // all
)

// Entry is a tool as one step offers it.
type Entry struct {
	Tool     Tool
	Pinned   map[string]any // arguments that the model neither sees nor sets
	MaxCalls int            // more calls are refused; 0 is no limit
	Parallel Parallel
	Limits   *Limits // override those of the set, unless nil
}

// SetOptions apply to all calls of a set.
type SetOptions struct {
	Guard  Guard // nil denies everything
	Ask    Asker // nil denies calls about which somebody would have to be asked
	Later  bool  // such calls wait for a person: [Call.Decide] returns Ask, and nobody is asked
	Limits Limits
	Mask   *Mask // masks all answers to a model

	Outputs Outputs
}

// Outputs say where the whole outputs of calls are kept. The zero value keeps none.
type Outputs struct {
	// Spill creates the file for the whole output of a call, as [Spill] does. call is the
	// [Call.Number].
	Spill func(call int, tool string) (file io.WriteCloser, path string, err error)

	// Locate replaces the path of such a file that a model was told by the real one in
	// valid arguments, and reports whether there was one. Told does the opposite in the
	// tool's answer. Nil says that the model is told the real path.
	Locate func(tool string, arguments map[string]any) (located bool)
	Told   func(content string) string
}

// Set holds the tools of one step. It is safe for concurrent use.
type Set struct {
	options SetOptions
	entries []*entry
	byName  map[string]*entry
	hint    string

	mu    sync.Mutex
	calls map[string]int // the number of valid calls, by tool
}

type entry struct {
	Entry
	spec   Spec
	schema *jsonschema.Schema
	pinned map[string]any // with numbers as written
}

// NewSet returns a set of tools. The error names every entry with a mistake: in its name,
// its schema, or the pinned arguments.
func NewSet(entries []Entry, o SetOptions) (*Set, error) {
	s := &Set{options: o, byName: make(map[string]*entry), calls: make(map[string]int)}
	var errs []error
	for _, given := range entries {
		if given.Tool == nil {
			errs = append(errs, errors.New("an entry has no tool"))
			continue
		}
		e, err := newEntry(given)
		if err == nil && s.byName[e.spec.Name] != nil {
			err = errors.New("there are two tools of that name")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("tool %q: %w", given.Tool.Spec().Name, err))
			continue
		}
		s.entries = append(s.entries, e)
		s.byName[e.spec.Name] = e
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	s.hint = s.readingHint()
	return s, nil
}

// With returns the same tools for another conversation, with other outputs and no calls
// counted.
func (s *Set) With(o Outputs) *Set {
	fresh := &Set{options: s.options, entries: s.entries, byName: s.byName, hint: s.hint, calls: make(map[string]int)}
	fresh.options.Outputs = o
	return fresh
}

func newEntry(given Entry) (*entry, error) {
	e := &entry{Entry: given, spec: given.Tool.Spec()}
	if !known.IsToolName(e.spec.Name) {
		return nil, fmt.Errorf("a name is made of letters, digits, _ and -, at most %d, and starts with a letter or digit", known.MaxToolName)
	}
	var err error
	if e.schema, err = CompileSchema(e.spec.Parameters); err != nil {
		return nil, err
	}
	if !describesObject(e.spec.Parameters) {
		return nil, errors.New(`schema: the arguments of a call are an object: "type": "object" is expected`)
	}
	if err := e.pin(); err != nil {
		return nil, err
	}
	return e, nil
}

// describesObject reports whether a schema may describe an object, as far as its type says that.
func describesObject(schema json.RawMessage) bool {
	var root struct{ Type any }
	if json.Unmarshal(schema, &root) != nil {
		return true // true or false
	}
	several, _ := root.Type.([]any)
	return root.Type == nil || root.Type == "object" || slices.Contains(several, any("object"))
}

// pin checks the pinned arguments, and removes them from the specification.
func (e *entry) pin() error {
	if len(e.Pinned) == 0 {
		return nil
	}
	raw, err := json.Marshal(e.Pinned)
	if err != nil {
		return fmt.Errorf("pinned arguments: %w", err)
	}
	pinned, err := jsonschema.Parse(raw)
	if err != nil {
		return fmt.Errorf("pinned arguments: %w", err)
	}
	e.pinned = pinned.(map[string]any)
	if err := e.checkPinned(); err != nil {
		return err
	}
	e.spec, err = e.spec.Without(slices.Collect(maps.Keys(e.pinned)))
	return err
}

// checkPinned returns an error if no call with the pinned arguments could be valid. The
// model gives the arguments that are missing.
func (e *entry) checkPinned() error {
	var wrong []string
	for _, p := range e.schema.Validate(e.pinned) {
		if p.Path != "" || p.Keyword != "required" {
			wrong = append(wrong, p.String())
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("pinned arguments: %s", strings.Join(wrong, "; "))
	}
	return nil
}

// Without returns the specification without some parameters, as a model is shown it when
// they are pinned.
func (s Spec) Without(parameters []string) (Spec, error) {
	parsed, err := jsonschema.Parse(s.Parameters)
	object, ok := parsed.(map[string]any)
	if err != nil || !ok || len(parameters) == 0 {
		return s, err
	}
	if properties, ok := object["properties"].(map[string]any); ok {
		for _, name := range parameters {
			delete(properties, name)
		}
	}
	if required, ok := object["required"].([]any); ok {
		required = slices.DeleteFunc(required, func(name any) bool {
			text, _ := name.(string)
			return slices.Contains(parameters, text)
		})
		object["required"] = required
		if len(required) == 0 {
			delete(object, "required")
		}
	}
	s.Parameters, err = json.Marshal(object)
	return s, err
}

// Specs returns the specifications for the model, in the order of the entries: of the tools
// that the guard would allow with some arguments, without pinned parameters.
func (s *Set) Specs() []Spec {
	var specs []Spec
	for _, e := range s.entries {
		if s.offered(e.spec.Name) {
			specs = append(specs, e.spec)
		}
	}
	return specs
}

func (s *Set) offered(name string) bool {
	return s.byName[name] != nil && s.options.Guard != nil && s.options.Guard.Offered(name)
}

// Hide masks what a model is told outside of the answer to a call.
func (s *Set) Hide(text string) string {
	if s == nil {
		return text
	}
	return s.options.Mask.String(text)
}

// readingHint returns what a model can do with the file of a whole output.
func (s *Set) readingHint() string {
	var readers []string
	for _, name := range []string{"read", "grep"} {
		if s.offered(name) {
			readers = append(readers, name)
		}
	}
	if len(readers) == 0 {
		return ""
	}
	return strings.Join(readers, " or ") + " it for the rest"
}

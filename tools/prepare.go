package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonschema"
	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// Prepare returns the call of a tool with these arguments. It never fails: the answer to a
// call that can't run, because there is no such tool, its arguments are not valid or there
// were too many calls before it, says what is wrong. Calls count in the order in which they
// are prepared.
func (s *Set) Prepare(name string, arguments json.RawMessage) *Call {
	c := &Call{Name: name, Arguments: arguments, set: s, entry: s.byName[name]}
	if c.entry == nil {
		c.refusal = s.unknown(s.Hide(name))
		return c
	}
	object, problem := parseArguments(arguments, s.Hide)
	if problem != "" {
		c.refusal = fmt.Sprintf("The arguments of %s are not a JSON object: %s. Send the call again, whole.", name, problem)
		return c
	}
	if c.refusal = c.entry.fix(object); c.refusal != "" {
		return c
	}
	if problems := c.entry.schema.ValidateHiding(object, s.Hide); len(problems) > 0 {
		c.refusal = c.entry.misfit(problems)
		return c
	}
	if c.index, c.refusal = s.count(c.entry); c.refusal != "" {
		return c
	}
	// The same bytes are judged and run. Marshalling removes duplicate names.
	c.exact, _ = json.Marshal(object)
	if len(c.entry.pinned) > 0 {
		c.Arguments = c.exact
	}
	if locate := s.options.Outputs.Locate; locate != nil && locate(name, object) {
		c.exact, _ = json.Marshal(object)
		c.located = true
	}
	return c
}

// fix sets the pinned arguments. It returns a message if the call has another value for one: it asks
// for something else than would be done.
func (e *entry) fix(arguments map[string]any) (refusal string) {
	for _, name := range slices.Sorted(maps.Keys(e.pinned)) {
		if given, set := arguments[name]; set && !jsonschema.Equal(given, e.pinned[name]) {
			return fmt.Sprintf("Nothing was run: the argument %q of %s is fixed, and a call can't set it to anything else. Send the call again without it.", name, e.spec.Name)
		}
		arguments[name] = e.pinned[name]
	}
	return ""
}

// parseArguments parses an object. Nothing and null are an empty object, which some models
// send for a tool without parameters.
func parseArguments(raw json.RawMessage, hide func(string) string) (object map[string]any, problem string) {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || string(trimmed) == "null" {
		return map[string]any{}, ""
	}
	v, err := jsonschema.Parse(raw)
	if err != nil {
		return nil, shorten(hide(err.Error()))
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, "an object was expected"
	}
	return object, ""
}

func (s *Set) unknown(name string) string {
	var names []string
	for _, spec := range s.Specs() {
		names = append(names, spec.Name)
	}
	text := fmt.Sprintf("There is no tool %q", shorten(name))
	if near := nearest.Of(name, names); near != "" {
		text += fmt.Sprintf(" (did you mean %q?)", near)
	}
	if len(names) == 0 {
		return text + "; there are no tools."
	}
	return text + "; there are " + strings.Join(names, ", ") + "."
}

func (e *entry) misfit(problems []jsonschema.Problem) string {
	lines := []string{fmt.Sprintf("The arguments of %s do not fit; nothing was run:", e.spec.Name)}
	for _, p := range problems {
		lines = append(lines, "- "+p.String())
	}
	return strings.Join(lines, "\n")
}

// count counts a call. It returns its number, and a message if it is one too many.
func (s *Set) count(e *entry) (index int, refusal string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	index = s.calls[e.spec.Name]
	s.calls[e.spec.Name]++
	if e.MaxCalls <= 0 || index < e.MaxCalls {
		return index, ""
	}
	return index, fmt.Sprintf("Refused: %s may be called %s, and has been.", e.spec.Name, times(e.MaxCalls))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return quantity.Count(n, "time")
}

// shorten shortens a message that quotes a value.
func shorten(s string) string {
	const most = 500
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

package permission

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// argumentMap holds a call's arguments by name.
type argumentMap map[string]json.RawMessage

// arguments reads a call's input. A duplicate name is an error, also when only case
// differs: the tool might read the other one.
func arguments(input json.RawMessage) (argumentMap, error) {
	dec := json.NewDecoder(bytes.NewReader(input))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("the arguments are no JSON object")
	}
	args, seen := argumentMap{}, map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, fmt.Errorf("the arguments are no JSON object")
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("the argument %q is no JSON value", name)
		}
		folded := pattern.Fold(name)
		if seen[folded] {
			return nil, fmt.Errorf("the argument %q is there twice", name)
		}
		seen[folded], args[name] = true, value
	}
	if _, err := dec.Token(); err != nil || strings.TrimSpace(string(input[dec.InputOffset():])) != "" {
		return nil, fmt.Errorf("the arguments are no JSON object")
	}
	return args, nil
}

// text returns an argument that has to be a string. ok is false when it is absent or null.
func (a argumentMap) text(name string) (value string, ok bool, err error) {
	raw, ok := a[name]
	if !ok {
		for other := range a {
			if pattern.Fold(other) == pattern.Fold(name) {
				return "", false, fmt.Errorf("the argument %q has to be written %q", other, name)
			}
		}
		return "", false, nil
	}
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return "", false, nil
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return "", false, fmt.Errorf("the argument %q is no string", name)
	}
	return value, true, nil
}

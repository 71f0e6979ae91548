package permission

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

var errNoObject = errors.New("the arguments are no JSON object")

// arguments reads those of a call's arguments that have one of the names and have to be
// strings; null counts as absent. A duplicate name is an error, also when only case differs:
// the tool might read the other one.
func arguments(input json.RawMessage, names ...string) (map[string]string, error) {
	dec := json.NewDecoder(bytes.NewReader(input))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errNoObject
	}
	args, seen := map[string]string{}, map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, errNoObject
		}
		var value any
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("the argument %q is no JSON value", name)
		}
		folded := pattern.Fold(name)
		if seen[folded] {
			return nil, fmt.Errorf("the argument %q is there twice", name)
		}
		seen[folded] = true
		i := slices.IndexFunc(names, func(other string) bool { return pattern.Fold(other) == folded })
		switch text, ok := value.(string); {
		case i < 0 || names[i] == name && value == nil:
		case names[i] != name:
			return nil, fmt.Errorf("the argument %q has to be written %q", name, names[i])
		case !ok:
			return nil, fmt.Errorf("the argument %q is no string", name)
		default:
			args[name] = text
		}
	}
	if _, err := dec.Token(); err != nil || strings.TrimSpace(string(input[dec.InputOffset():])) != "" {
		return nil, errNoObject
	}
	return args, nil
}

package runner

import (
	"regexp"
	"sync"

	"github.com/a-seed-11b9befa/flow/steps"
)

const longestID = 128

var idShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`) })

// CheckID returns an error if a text can't be the id of a run: an id often names the run's folder,
// and is part of names and addresses. "" is no id, and no error.
func CheckID(id string) error {
	if id == "" || len(id) <= longestID && idShape().MatchString(id) {
		return nil
	}
	return steps.Invalid("", "invalid run id %q: use up to %d letters, digits, _, - and ., and start with none of . and -", id, longestID)
}

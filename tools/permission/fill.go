package permission

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// maxValue bounds, in bytes, a value in a pattern: the kernel takes no longer paths.
const maxValue = 4096

// PathValue returns a value as the part of a pattern in [Domain].Filled that matches this text alone.
// It returns an error for what is no plain relative path or, at the start of the pattern, an absolute
// one: a value must not widen the pattern around it, or mean another place than it says.
func PathValue(value string, start bool) (string, error) {
	path := value
	if start {
		path = strings.TrimPrefix(path, "./")
	}
	segments := strings.Split(path, "/")
	if start && strings.HasPrefix(value, "/") {
		segments = segments[1:]
	}
	switch what := pattern.StrangeRune(value, ""); {
	case value == "":
		return "", errors.New("it is empty")
	case len(value) > maxValue:
		return "", fmt.Errorf("it has %d bytes, and a path at most %d", len(value), maxValue)
	case what != "":
		return "", fmt.Errorf("it holds %s", what)
	case start && strings.HasPrefix(path, "~"):
		return "", errors.New("it begins with ~, which a value can't: give the whole path")
	case !start && strings.HasPrefix(value, "/"):
		return "", errors.New("it is an absolute path, and stands behind other text")
	case slices.Contains(segments, ".."):
		return "", errors.New(`it holds ".."`)
	case slices.Contains(segments, ".") || slices.Contains(segments, ""):
		return "", errors.New(`it is no path of a file, written without a slash at its end, "//" and "/./"`)
	}
	return pattern.Escape(path), nil
}

package workflows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// nearest gives the candidate that was most likely meant, or "".
func nearest(name string, candidates []string) string {
	best, distance := "", len(name)/3+2
	lower := strings.ToLower(name)
	for _, c := range candidates {
		if len(c) > 64 || len(name) > 64 {
			continue
		}
		d := levenshtein.ComputeDistance(lower, strings.ToLower(c))
		if d >= max(len(c), len(name)) {
			continue
		}
		if d < distance || d == distance && best != "" && sameLetters(lower, strings.ToLower(c)) {
			best, distance = c, d
		}
	}
	return best
}

// sameLetters reports whether two words differ in the order of their letters
// only, which is the likelier slip.
func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// didYouMean hints at the nearest name, or lists the names when they are few.
func didYouMean(name string, candidates []string) string {
	if near := nearest(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	const few = 12
	if len(candidates) == 0 || len(candidates) > few {
		return ""
	}
	return "known: " + quoted(candidates)
}

// quoted lists names in quotes, sorted.
func quoted(names []string) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	for i, name := range sorted {
		sorted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(sorted, ", ")
}

// withDash gives the name that goes on with a dash where one ends: expr reads
// a.b-c as a.b minus c.
func withDash(name string, names []string) string {
	i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, name+"-") })
	if i < 0 {
		return ""
	}
	return names[i]
}

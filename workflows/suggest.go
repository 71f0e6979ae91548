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
		if d < distance && d < max(len(c), len(name)) {
			best, distance = c, d
		}
	}
	return best
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

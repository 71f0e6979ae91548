package workflows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// didYouMean hints at the nearest name, or lists the names when they are few.
func didYouMean(name string, candidates []string) string {
	if near := nearest.Of(name, candidates); near != "" {
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

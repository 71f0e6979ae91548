// Package folder compares lists of files and folders that are open, all of them
// absolute, clean and free of links. Paths are compared as text.
package folder

import (
	"slices"
	"strings"
)

// Holds reports whether a path is the folder, or below it.
func Holds(folder, path string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// Common returns what is inside of both lists, as [Outermost] does.
func Common(a, b []string) []string {
	var both []string
	for _, x := range a {
		for _, y := range b {
			switch {
			case Holds(y, x):
				both = append(both, x)
			case Holds(x, y):
				both = append(both, y)
			}
		}
	}
	return Outermost(both)
}

// Outermost returns the paths sorted, without those that are inside of another. It
// sorts the list that it is given.
func Outermost(paths []string) []string {
	slices.Sort(paths)
	var out []string
	for _, path := range slices.Compact(paths) {
		if !slices.ContainsFunc(out, func(outer string) bool { return Holds(outer, path) }) {
			out = append(out, path)
		}
	}
	return out
}

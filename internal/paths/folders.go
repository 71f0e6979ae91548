package paths

import (
	"slices"
	"strings"
)

// Holds reports whether a path is the folder, or below it. As all functions of lists of folders, it takes
// absolute, clean paths without symlinks, and does not look at the file system.
func Holds(folder, path string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// AnyHolds reports whether a path is one of the folders, or below one.
func AnyHolds(folders []string, path string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return Holds(folder, path) })
}

// CommonFolders returns what is inside all lists, in the form that [Outermost] returns; a single list as
// it is.
func CommonFolders(lists ...[]string) (inside []string) {
	for i, list := range lists {
		if i == 0 {
			inside = list
		} else {
			inside = common(inside, list)
		}
	}
	return inside
}

func common(a, b []string) []string {
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

// Outermost returns the paths sorted, without those that are inside another. It sorts its
// argument.
func Outermost(paths []string) []string {
	slices.Sort(paths)
	var out []string
	for _, path := range slices.Compact(paths) {
		if !AnyHolds(out, path) {
			out = append(out, path)
		}
	}
	return out
}

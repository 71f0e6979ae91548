package held

import (
	"path/filepath"
	"slices"
	"strings"
)

// order sorts effects so that a reader never finds a broken state: folders come before
// their contents, removals last unless something takes the place, and in .git objects
// before what refers to them.
func order(effects []effect) []effect {
	occupied := map[string]bool{}
	for _, e := range effects {
		if e.Do == replace || e.Do == makeFolder {
			occupied[e.Path] = true
		}
	}
	inTheWay := func(e effect) bool {
		return occupied[e.Path] || slices.ContainsFunc(parents(e.Rel), func(rel string) bool { return occupied[filepath.Join(e.root, rel)] })
	}
	ranks := make(map[string]int, len(effects))
	for _, e := range effects {
		if e.Kind != Delete || len(occupied) == 0 || !inTheWay(e) { // else it has rank 0
			ranks[e.Path+string(e.Do)] = e.rank()
		}
	}
	sorted := slices.Clone(effects)
	slices.SortStableFunc(sorted, func(a, b effect) int { return ranks[a.Path+string(a.Do)] - ranks[b.Path+string(b.Do)] })
	return sorted
}

// rank returns the place of an effect in the order, from 1 to 10.
func (e effect) rank() int {
	switch {
	case e.Do == makeFolder:
		return 1
	case e.Kind == Delete:
		return 10
	case e.git == nil || len(e.git.own) == 0:
		return 2
	}
	switch own := e.git.own; {
	case own[0] == "objects" && strings.HasSuffix(e.Rel, ".idx"):
		return 4 // after its pack
	case own[0] == "objects":
		return 3
	case own[0] == "logs":
		return 5
	case own[0] == "refs" || own[0] == "packed-refs":
		return 6
	case own[0] == "index":
		return 8
	}
	return 7
}

// parents returns the folders around a path, the innermost first.
func parents(rel string) []string {
	var all []string
	for dir := filepath.Dir(rel); dir != "." && dir != "/"; dir = filepath.Dir(dir) {
		all = append(all, dir)
	}
	return all
}

package held

import (
	"path/filepath"
	"slices"
	"strings"
)

// order sorts effects so that a reader never finds a broken state: folders come before
// their contents, git's objects before what refers to them, and removals last unless
// something takes the place.
func order(effects []effect) []effect {
	occupied := map[string]bool{}
	for _, e := range effects {
		if e.Do == replace || e.Do == makeFolder {
			occupied[e.Path] = true
		}
	}
	ranks := make(map[string]int, len(effects))
	for _, e := range effects {
		ranks[e.Path+string(e.Do)] = e.rank(occupied)
	}
	sorted := slices.Clone(effects)
	slices.SortStableFunc(sorted, func(a, b effect) int { return ranks[a.Path+string(a.Do)] - ranks[b.Path+string(b.Do)] })
	return sorted
}

// rank returns the place of an effect in the order.
func (e effect) rank(occupied map[string]bool) int {
	switch isObject := e.git != nil && len(e.git.own) > 0 && e.git.own[0] == "objects"; {
	case e.Kind == Delete && covers(occupied, e.Path):
		return 0
	case e.Do == makeFolder:
		return 1
	case e.Kind == Delete:
		return 5
	case isObject && strings.HasSuffix(e.Rel, ".idx"):
		return 3 // after its pack
	case isObject:
		return 2
	}
	return 4
}

// parents returns the folders around a path, the innermost first.
func parents(rel string) []string {
	var all []string
	for dir := filepath.Dir(rel); dir != "." && dir != "/"; dir = filepath.Dir(dir) {
		all = append(all, dir)
	}
	return all
}

package held

import (
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
	return slices.SortedStableFunc(slices.Values(effects), func(a, b effect) int {
		by := ranks[a.Path+string(a.Do)] - ranks[b.Path+string(b.Do)]
		if by == 0 && a.Kind == Delete { // what is in a folder before that
			by = len(b.Path) - len(a.Path)
		}
		return by
	})
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

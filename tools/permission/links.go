package permission

import (
	"slices"
	"strings"
)

// madeLink is what a part of the script may make a link.
type madeLink struct {
	path string // absolute; "/" stands for every path
	unit int    // the part that makes it
}

// noteLinks remembers what a command may make a link: what is reached through it
// later in the script leads somewhere that cannot be seen yet.
func (w *walker) noteLinks(words []word, at cwd) {
	if words[0].kind != static || !isCopyProgram(program(words[0])) {
		return
	}
	_, targets := copyTargets(program(words[0]), words)
	if slices.ContainsFunc(words[1:], mayBecomeTarget) {
		w.addLink("/")
	}
	for _, x := range targets {
		path := literalPath(x)
		if x.kind != static || at.lost && !strings.HasPrefix(path, "/") {
			w.addLink("/")
			continue
		}
		for _, dir := range at.dirs {
			to, err := w.policy.tree.resolve(dir, path)
			if err != nil {
				w.addLink("/")
				continue
			}
			w.addLink(to.given)
			w.addLink(to.canonical)
		}
	}
}

// mayBecomeTarget reports whether a word of a copy may become an option.
func mayBecomeTarget(x word) bool {
	return x.unknown() || x.kind == globbed && (x.isOption() || len(x.atoms) == 0 || x.atoms[0].wild != literal)
}

func (w *walker) addLink(path string) {
	made := madeLink{fold(path), len(w.units)}
	if slices.Contains(w.links, made) {
		return
	}
	if w.links = append(w.links, made); len(w.links) > maxLinks*maxDirs {
		w.refuse("it copies or links too many files to be judged")
	}
}

// throughLink refuses what leads through what the script may make a link.
func (w *walker) throughLink() {
	for _, made := range w.links {
		for i, u := range w.units {
			// Where parts may run again or at once their order says nothing.
			if i == made.unit || i < made.unit && !w.unordered {
				continue
			}
			if u.never == "" && u.leadsThrough(made.path) {
				u.never = "it leads through what the same command copies or links"
			}
		}
	}
}

// leadsThrough reports whether a part reads or writes at or below a path.
func (u *unit) leadsThrough(path string) bool {
	for _, target := range u.writes {
		if target.at.leadsThrough(path) {
			return true
		}
	}
	for _, x := range u.reads {
		if slices.ContainsFunc(x.places, func(p place) bool { return p.leadsThrough(path) }) {
			return true
		}
		below := append(literals(strings.TrimSuffix(path, "/")+"/"), atom{wild: run})
		for _, glob := range slices.Concat(x.globs, x.shapes) {
			if overlap(glob, literals(path)) || overlap(glob, below) {
				return true
			}
		}
	}
	return false
}

// leadsThrough reports whether a place is at or below a path, which is folded,
// or was reached through it.
func (p place) leadsThrough(path string) bool {
	return slices.ContainsFunc(append([]string{p.given, p.canonical}, p.passed...), func(at string) bool {
		at = fold(at)
		return at == path || at != "" && strings.HasPrefix(at, strings.TrimSuffix(path, "/")+"/")
	})
}

package relock

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
)

// writeFiles lists the files that an update changes, if the old ones still exist, and reports whether
// one is wider. Which may be, counts says by the name.
func (u *Update) writeFiles(b *strings.Builder, old []recipe.Locked, tree *recipe.Tree, counts func(name string) bool) (wider bool) {
	var before []*recipe.Tree
	for _, locked := range old {
		_, one, err := u.cache.Get(locked.Hash)
		if err != nil {
			b.WriteString("  changed: files; which ones is not known, since the old files are no longer on this machine " + authority.MayDoMore + "\n")
			return true
		}
		before = append(before, one)
	}
	for _, d := range changedFiles(before, tree, counts) {
		wider = wider || d.Wider
		fmt.Fprintf(b, "  %s\n", d)
	}
	return wider
}

// counting returns which files of a folder are wider where they change: workflows and schemas, and all
// where commands may run them or expressions may read them.
func (u *Update) counting(dir string) func(name string) bool {
	runs := u.runsFiles()
	return func(name string) bool { return runs || u.decides[filepath.Join(dir, filepath.FromSlash(name))] }
}

// changedFiles returns the files that are in none of the older trees as they are now: those that
// changed, then new ones, then those that are gone.
func changedFiles(before []*recipe.Tree, now *recipe.Tree, counts func(name string) bool) []authority.Difference {
	var changed, added, removed []authority.Difference
	gone := map[string]bool{}
	for _, tree := range before {
		for _, name := range tree.Names() {
			_, there := now.Data(name)
			gone[name] = !there
		}
	}
	for _, name := range now.Names() {
		what := "file " + name
		if now.Executable(name) {
			what += ", executable"
		}
		_, known := gone[name]
		switch {
		case !known:
			added = append(added, authority.Difference{Sign: "+", What: what, Wider: counts(name)})
		case !slices.ContainsFunc(before, func(tree *recipe.Tree) bool { return sameFile(tree, now, name) }):
			changed = append(changed, authority.Difference{Sign: "~", What: what, Wider: counts(name)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		if gone[name] {
			removed = append(removed, authority.Difference{Sign: "-", What: "file " + name, Wider: counts(name)})
		}
	}
	return slices.Concat(changed, added, removed)
}

// sameFile reports whether two trees have a file, and the same.
func sameFile(a, b *recipe.Tree, name string) bool {
	x, inA := a.Data(name)
	y, inB := b.Data(name)
	return inA && inB && bytes.Equal(x, y) && a.Executable(name) == b.Executable(name)
}

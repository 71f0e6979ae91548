package relock

import (
	"bytes"
	"fmt"
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
func changedFiles(before []*recipe.Tree, now *recipe.Tree, counts func(name string) bool) (all []authority.Difference) {
	add := func(sign, name, suffix string) {
		all = append(all, authority.Difference{Sign: sign, What: "file " + name + suffix, Wider: counts(name)})
	}
	for _, name := range now.Names() {
		data, _ := now.Data(name)
		sign, same := "+", false
		for _, tree := range before {
			if old, there := tree.Data(name); there {
				sign = "~"
				same = same || bytes.Equal(old, data) && tree.Executable(name) == now.Executable(name)
			}
		}
		suffix := ""
		if now.Executable(name) {
			suffix = ", executable"
		}
		if !same {
			add(sign, name, suffix)
		}
	}
	for _, tree := range before {
		for _, name := range tree.Names() {
			if _, there := now.Data(name); !there {
				add("-", name, "")
			}
		}
	}
	const order = "~+-"
	slices.SortStableFunc(all, func(x, y authority.Difference) int {
		return strings.Index(order, x.Sign) - strings.Index(order, y.Sign)
	})
	return slices.Compact(all)
}

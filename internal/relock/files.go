package relock

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
)

// maxFiles is how many files an update lists. Changed and executable files are always listed.
const maxFiles = 30

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
	first, rest := changedFiles(before, tree, counts)
	wider = slices.ContainsFunc(slices.Concat(first, rest), func(d authority.Difference) bool { return d.Wider })
	room := max(maxFiles-len(first), 0)
	cut := len(rest) - min(len(rest), room)
	for _, d := range slices.Concat(first, rest[:len(rest)-cut]) {
		fmt.Fprintf(b, "  %s\n", d)
	}
	if cut > 0 {
		fmt.Fprintf(b, "  and %s, added or removed, none of them executable\n", quantity.Count(cut, "more file"))
	}
	return wider
}

// counting returns which files of a folder are wider where they change: workflows and schemas, and all
// where commands may run them or expressions may read them.
func (u *Update) counting(dir string) func(name string) bool {
	runs := u.runsFiles()
	return func(name string) bool { return runs || u.decides[filepath.Join(dir, filepath.FromSlash(name))] }
}

// changedFiles returns the files that are in none of the older trees as they are now, first those
// that are always listed, so that an author can't hide them behind others. A changed file may be
// one that a command already runs, and an executable one is meant to run.
func changedFiles(before []*recipe.Tree, now *recipe.Tree, counts func(name string) bool) (first, rest []authority.Difference) {
	var executable []authority.Difference
	difference := func(sign, name string, executable bool) authority.Difference {
		what := "file " + name
		if executable {
			what += ", executable"
		}
		return authority.Difference{Sign: sign, What: what, Wider: counts(name)}
	}
	for _, name := range now.Names() {
		data, _ := now.Data(name)
		known, same, ran := false, false, false
		for _, tree := range before {
			old, there := tree.Data(name)
			known = known || there
			ran = ran || there && tree.Executable(name)
			same = same || there && bytes.Equal(old, data) && tree.Executable(name) == now.Executable(name)
		}
		switch {
		case same:
		case known:
			first = append(first, difference("~", name, now.Executable(name) && !ran))
		case now.Executable(name):
			executable = append(executable, difference("+", name, true))
		default:
			rest = append(rest, difference("+", name, false))
		}
	}
	for _, tree := range before {
		for _, name := range tree.Names() {
			gone := difference("-", name, false)
			if _, there := now.Data(name); !there && !slices.Contains(rest, gone) {
				rest = append(rest, gone)
			}
		}
	}
	return append(first, executable...), rest
}

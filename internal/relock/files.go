package relock

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
)

// maxFiles is how many files an update lists. Changed and executable files are always listed.
const maxFiles = 30

// writeFiles lists the files that an update changes, if the old ones still exist. With counts,
// each is wider: commands may run it, or expressions may read it.
func (u *Update) writeFiles(b *strings.Builder, old []recipe.Locked, tree *recipe.Tree, counts bool) {
	var before []*recipe.Tree
	for _, locked := range old {
		_, one, err := u.cache.Get(locked.Hash)
		if err != nil {
			if counts {
				b.WriteString("  changed: files that its commands may run or its expressions may read; which ones is not known, since the old files are no longer on this machine " + authority.MayDoMore + "\n")
			}
			return
		}
		before = append(before, one)
	}
	first, rest := changedFiles(before, tree)
	room := max(maxFiles-len(first), 0)
	cut := len(rest) - min(len(rest), room)
	for _, d := range slices.Concat(first, rest[:len(rest)-cut]) {
		d.Wider = counts
		fmt.Fprintf(b, "  %s\n", d)
	}
	if cut > 0 {
		fmt.Fprintf(b, "  and %s, added or removed, none of them executable\n", quantity.Count(cut, "more file"))
	}
}

// changedFiles returns the files that are in none of the older trees as they are now, first those
// that are always listed, so that an author can't hide them behind others. A changed file may be
// one that a command already runs, and an executable one is meant to run.
func changedFiles(before []*recipe.Tree, now *recipe.Tree) (first, rest []authority.Difference) {
	var executable []authority.Difference
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
			first = append(first, fileDifference("~", name, now.Executable(name) && !ran))
		case now.Executable(name):
			executable = append(executable, fileDifference("+", name, true))
		default:
			rest = append(rest, fileDifference("+", name, false))
		}
	}
	for _, tree := range before {
		for _, name := range tree.Names() {
			gone := fileDifference("-", name, false)
			if _, there := now.Data(name); !there && !slices.Contains(rest, gone) {
				rest = append(rest, gone)
			}
		}
	}
	return append(first, executable...), rest
}

func fileDifference(sign, name string, executable bool) authority.Difference {
	what := "file " + name
	if executable {
		what += ", executable"
	}
	return authority.Difference{Sign: sign, What: what}
}

package reach

import (
	"io/fs"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// MaxSearched is how many files in directories are looked at.
const MaxSearched = 20000

// tree is a directory with all that is in it.
type tree struct {
	search  *search
	top     place.Path
	files   []place.Path
	follows bool // symlinks
	seen    map[string]bool
	// tooLarge says that there are too many files to look at.
	tooLarge bool
}

// trees returns the directories that a word names, and whether these are all. follows
// says to follow the symlinks in them.
func (s *search) trees(x word.Word, at script.Cwd, follows bool) (out []tree, all bool) {
	var tops []place.Path
	all = !at.Lost || strings.HasPrefix(x.Text, "/")
	switch x.Kind {
	case word.Globbed:
		var ok bool
		tops, ok = s.throughLinks(x, at, true)
		all = all && ok
	case word.Static:
		tops = s.placesOf(literalPath(x), at)
	}
	for _, top := range tops {
		if top.IsDir() {
			t := tree{search: s, top: top, follows: follows, seen: map[string]bool{}}
			t.walk(top)
			out = append(out, t)
			all = all && !t.tooLarge
		}
	}
	return out, all
}

// treeWords returns the files in the directories that a command copies, moves or links,
// for each word that names one.
func (s *search) treeWords(u *Part) (out []PathWord) {
	words := program.CopiedTrees(u.Words)
	u.Follows = len(words) > 0 && (u.Name == "scp" || program.FollowsLinks(u.Words))
	for _, x := range words {
		trees, all := s.trees(x, u.At, u.Follows)
		p := PathWord{Text: x.Text, Whole: true, Unseen: !all}
		for _, t := range trees {
			p.Places = append(p.Places, t.files...)
		}
		if p.Unseen || len(p.Places) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// inTree returns the files in the directories that an operand names, if a rule may deny
// writing one of them.
func (s *search) inTree(x word.Word, at script.Cwd) []WriteTarget {
	if !s.rules.DeniesWrites {
		return nil
	}
	out := WriteTarget{Text: x.Text, Below: true}
	trees, _ := s.trees(x, at, false)
	for _, t := range trees {
		out.Places = append(out.Places, t.files...)
		if t.tooLarge {
			out.Unsure = "it holds too much to be looked through"
		}
	}
	if len(out.Places) == 0 && out.Unsure == "" {
		return nil
	}
	return []WriteTarget{out}
}

// walk adds all that is in a directory.
func (t *tree) walk(dir place.Path) {
	if t.tooLarge || t.seen[dir.Canonical] {
		return
	}
	t.seen[dir.Canonical] = true
	entries, ok := t.search.entries(dir.Canonical)
	t.search.copied += len(entries)
	if t.tooLarge = !ok || t.search.copied > MaxSearched || place.InKernel(dir.Canonical); t.tooLarge {
		return
	}
	for _, e := range entries {
		child := dir.Child(e.Name())
		if e.Type()&fs.ModeSymlink != 0 {
			if !t.follows {
				continue
			}
			child = t.search.placeOf(e.Name(), dir.Canonical)
		}
		if t.files = append(t.files, child); e.IsDir() || child.IsDir() {
			t.walk(child)
		}
	}
}

package reach

import (
	"io/fs"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// MaxHeld bounds how many files of directories are looked at.
const MaxHeld = 20000

// A tree is a directory with all that is in it.
type tree struct {
	top   place.Path
	files []place.Path
	// tooLarge says that there is too much to be looked through.
	tooLarge bool
}

// trees returns the directories that a word names, and whether these are all. Links in
// them are not followed unless the command does.
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
			w := treeWalk{search: s, follows: follows, seen: map[string]bool{}}
			w.walk(top)
			out = append(out, tree{top, w.found, w.lost})
			all = all && !w.lost
		}
	}
	return out, all
}

// treeWords returns what is in the directories that a command copies, moves or
// links, under the words that name them.
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

// inTree returns the files in a directory that an operand names: a rule may deny
// to write one of them.
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

// treeWalk finds all that is in a directory.
type treeWalk struct {
	search  *search
	follows bool
	seen    map[string]bool
	found   []place.Path
	lost    bool
}

func (w *treeWalk) walk(dir place.Path) {
	if w.lost || w.seen[dir.Canonical] {
		return
	}
	w.seen[dir.Canonical] = true
	entries, ok := w.search.entries(dir.Canonical)
	w.search.copied += len(entries)
	if w.lost = !ok || w.search.copied > MaxHeld || place.InKernel(dir.Canonical); w.lost {
		return
	}
	for _, e := range entries {
		child := dir.Child(e.Name())
		if e.Type()&fs.ModeSymlink != 0 {
			if !w.follows {
				continue
			}
			child = w.search.placeOf(e.Name(), dir.Canonical)
		}
		if w.found = append(w.found, child); e.IsDir() || child.IsDir() {
			w.walk(child)
		}
	}
}

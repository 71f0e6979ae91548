package script

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// treeWords returns what is in the directories that a command copies, moves or
// links, under the words that name them.
func (w *walker) treeWords(u *Unit, words []word.Word, at Cwd) (out []PathWord) {
	trees := program.CopiedTrees(words)
	u.Follows = len(trees) > 0 && (program.NameOf(words[0]) == "scp" || slices.ContainsFunc(words[1:], program.FollowsLinks))
	for _, x := range trees {
		p := PathWord{Text: x.Text, Whole: true}
		known := true
		var tops []place.Path
		switch {
		case x.Kind == word.Globbed:
			tops, known = w.throughLinks(x, at, true)
		case x.Kind == word.Static:
			tops = w.placesOf(literalPath(x), at)
		}
		known = known && (!at.Lost || strings.HasPrefix(x.Text, "/"))
		held := heldFiles{walker: w, follows: u.Follows, seen: map[string]bool{}}
		for _, top := range tops {
			if top.IsDir() {
				held.walk(top)
			}
		}
		if p.Places, p.Unseen = held.found, !known || held.lost; p.Unseen || len(p.Places) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// heldFiles finds all that is in directories, links not followed unless the
// command does.
type heldFiles struct {
	walker  *walker
	follows bool
	seen    map[string]bool
	found   []place.Path
	// lost says that there is too much to be looked through.
	lost bool
}

func (h *heldFiles) walk(dir place.Path) {
	if h.lost || h.seen[dir.Canonical] {
		return
	}
	h.seen[dir.Canonical] = true
	entries, ok := h.walker.entries(dir.Canonical)
	h.walker.held += len(entries)
	if h.lost = !ok || h.walker.held > MaxHeld || place.InKernel(dir.Canonical); h.lost {
		return
	}
	for _, e := range entries {
		child := dir.Child(e.Name())
		if e.Type()&fs.ModeSymlink != 0 {
			if !h.follows {
				continue
			}
			child = h.walker.placeOf(e.Name(), dir.Canonical)
		}
		if h.found = append(h.found, child); e.IsDir() || child.IsDir() {
			h.walk(child)
		}
	}
}

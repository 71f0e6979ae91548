package permission

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// copiedTrees returns the operands of a copy, a move or a link that are taken
// whole where they are directories: what is in them gets other names, which the
// read rules do not know.
func copiedTrees(words []word) []word {
	known := named(programName(words[0]))
	if known.trees == nil {
		return nil
	}
	if words = known.trees(words); words == nil {
		return nil
	}
	operands, _ := known.operands(words)
	if len(operands) < 2 || known.givesTarget(words) || slices.ContainsFunc(words[1:], exchanges) {
		return operands
	}
	return operands[:len(operands)-1]
}

func allWords(words []word) []word { return words }

func copiedByOption(words []word) []word {
	if slices.ContainsFunc(words[1:], asksForTrees) {
		return words
	}
	return nil
}

func movedByGit(words []word) []word {
	if sub, _ := gitSubcommand(words); sub < len(words) && words[sub].is("mv") {
		return words[sub:]
	}
	return nil
}

// asksForTrees reports whether an option of cp copies directories, or may.
func asksForTrees(x word) bool {
	if x.kind != static {
		return x.isOption() || mayBecomeTarget(x)
	}
	long := strings.HasPrefix(x.text, "--")
	return x.isOption() && (strings.HasPrefix(x.text, "--r") || strings.HasPrefix(x.text, "--a") || !long && strings.ContainsAny(x.text, "rRa"))
}

// exchanges reports whether an option of mv moves the target, too.
func exchanges(x word) bool { return x.isOption() && strings.HasPrefix(x.text, "--e") }

// followsLinks reports whether an option of a copy takes what links lead to.
func followsLinks(x word) bool {
	if !x.isOption() {
		return false
	}
	if strings.HasPrefix(x.text, "--") {
		return strings.HasPrefix(x.text, "--d") || strings.HasPrefix(x.text, "--copy")
	}
	return strings.ContainsAny(x.text, "LHk")
}

// treeWords returns what is in the directories that a command copies, moves or
// links, under the words that name them.
func (w *walker) treeWords(u *unit, words []word, at cwd) (out []pathWord) {
	trees := copiedTrees(words)
	u.follows = len(trees) > 0 && (programName(words[0]) == "scp" || slices.ContainsFunc(words[1:], followsLinks))
	for _, x := range trees {
		p := pathWord{text: x.text, whole: true}
		known := true
		var tops []place.Path
		switch {
		case x.kind == globbed:
			tops, known = w.throughLinks(x, at, true)
		case x.kind == static:
			tops = w.placesOf(literalPath(x), at)
		}
		known = known && (!at.lost || strings.HasPrefix(x.text, "/"))
		held := heldFiles{walker: w, follows: u.follows, seen: map[string]bool{}}
		for _, top := range tops {
			if top.IsDir() {
				held.walk(top)
			}
		}
		if p.places, p.unseen = held.found, !known || held.lost; p.unseen || len(p.places) > 0 {
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
	if h.lost = !ok || h.walker.held > maxHeld || place.InKernel(dir.Canonical); h.lost {
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

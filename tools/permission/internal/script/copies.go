package script

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// MaxPlaced bounds the names that a copy may make in its targets.
const MaxPlaced = 1024

// placed returns the files that a copy makes in its target when that is a
// directory: they keep their names.
func (w *walker) placed(known *program.Facts, words []word.Word, at Cwd) (out []WriteTarget) {
	operands, targets := known.CopyTargets(words)
	if len(operands)*len(targets) > MaxPlaced {
		w.refuse("it copies or links too many files to be judged")
		return nil
	}
	for _, dir := range targets {
		for _, from := range operands {
			if dir.Kind != word.Static || from.Text == dir.Text && from.Kind == word.Static {
				continue
			}
			sources, sure := w.sources(from, at)
			if !sure && w.rules.DeniesWrites && slices.ContainsFunc(w.placesOf(literalPath(dir), at), place.Path.IsDir) {
				out = append(out, WriteTarget{Text: dir.Text, Unsure: "the names of what it puts there are not known before it runs"})
			}
			for _, source := range sources {
				out = append(out, w.placedAs(filepath.Base(source), dir, at)...)
			}
		}
	}
	return out
}

// placedAs is a file of that name in a directory, where that is one.
func (w *walker) placedAs(name string, dir word.Word, at Cwd) []WriteTarget {
	made := word.Of(strings.TrimSuffix(dir.Text, "/") + "/" + name)
	made.Tilde = dir.Tilde
	for _, t := range w.targets(dir, at) {
		if t.At.IsDir() && name != ".." && name != "." || t.At.Info == nil && place.IsReserved(name) {
			return w.operand(made, at)
		}
	}
	return nil
}

// sources returns the paths that an operand of a copy stands for; those of a glob are
// the files that fit it now, or that the script has made before. It reports whether
// these are all.
func (w *walker) sources(from word.Word, at Cwd) (paths []string, all bool) {
	switch from.Kind {
	case word.Static:
		return []string{from.Text}, true
	case word.Globbed:
	default:
		return nil, false
	}
	found, all := w.throughLinks(from, at, true)
	for _, p := range found {
		paths = append(paths, p.Given)
	}
	segment := pattern.FoldAll(from.Atoms)
	for i := len(segment) - 1; i >= 0; i-- {
		if segment[i].Is('/') {
			segment = segment[i+1:]
			break
		}
	}
	for _, u := range w.units {
		all = all && !u.Anywhere
		for _, t := range u.Writes {
			if name := filepath.Base(t.At.Canonical); pattern.Match(segment, []rune(pattern.Fold(name)), nil) {
				paths = append(paths, name)
			}
		}
	}
	return paths, all
}

// placedTrees returns what a copy or a move of whole directories makes in its
// targets.
func (w *walker) placedTrees(known *program.Facts, words []word.Word, at Cwd) (out []WriteTarget) {
	trees := program.CopiedTrees(words)
	if len(trees) == 0 || !w.rules.DeniesWrites {
		return nil
	}
	_, targets := known.CopyTargets(words)
	for _, from := range trees {
		tops := w.placesOf(literalPath(from), at)
		if from.Kind == word.Globbed {
			tops, _ = w.throughLinks(from, at, true)
		}
		for _, top := range tops {
			if !top.IsDir() {
				continue
			}
			held := heldFiles{walker: w, seen: map[string]bool{}}
			held.walk(top)
			for _, to := range targets {
				if to.Kind == word.Static && (to.Text != from.Text || from.Kind != word.Static) {
					out = append(out, w.intoTarget(top, to, held, at))
				}
			}
		}
	}
	return out
}

// intoTarget returns the files of a directory as they are named in the target of
// a copy: below it, or below the directory's name in it.
func (w *walker) intoTarget(top place.Path, to word.Word, held heldFiles, at Cwd) WriteTarget {
	t := WriteTarget{Text: to.Text, Below: true}
	if held.lost {
		t.Unsure = "what it copies there is too much to be looked through"
	}
	for _, dir := range w.placesOf(literalPath(to), at) {
		for _, file := range held.found {
			rel := strings.TrimPrefix(strings.TrimPrefix(file.Canonical, top.Canonical), "/")
			t.Places = append(t.Places, dir.Child(rel), dir.Child(filepath.Base(top.Given)).Child(rel))
		}
	}
	return t
}

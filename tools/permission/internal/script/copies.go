package script

import (
	"path/filepath"
	"strings"

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
			if dir.Kind != word.Static || from.Kind != word.Static || from.Text == dir.Text {
				continue
			}
			name := filepath.Base(from.Text)
			for _, t := range w.targets(dir, at) {
				made := word.Of(strings.TrimSuffix(dir.Text, "/") + "/" + name)
				made.Tilde = dir.Tilde
				if t.At.IsDir() && name != ".." && name != "." || t.At.Info == nil && place.IsReserved(name) {
					out = append(out, w.operand(made, at)...)
					break
				}
			}
		}
	}
	return out
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
		for _, top := range w.placesOf(literalPath(from), at) {
			if from.Kind != word.Static || !top.IsDir() {
				continue
			}
			held := heldFiles{walker: w, seen: map[string]bool{}}
			held.walk(top)
			for _, to := range targets {
				if to.Kind == word.Static && to.Text != from.Text {
					out = append(out, w.intoTarget(from, top, to, held, at))
				}
			}
		}
	}
	return out
}

// intoTarget returns the files of a directory as they are named in the target of
// a copy: below it, or below the directory's name in it.
func (w *walker) intoTarget(from word.Word, top place.Path, to word.Word, held heldFiles, at Cwd) WriteTarget {
	t := WriteTarget{Text: to.Text, Below: true}
	if held.lost {
		t.Unsure = "what it copies there is too much to be looked through"
	}
	for _, dir := range w.placesOf(literalPath(to), at) {
		for _, file := range held.found {
			rel := strings.TrimPrefix(strings.TrimPrefix(file.Canonical, top.Canonical), "/")
			t.Places = append(t.Places, dir.Child(rel), dir.Child(filepath.Base(from.Text)).Child(rel))
		}
	}
	return t
}

package reach

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// MaxCopies is how many names a copy may create in its targets.
const MaxCopies = 1024

// copiesInto returns the files that a copy creates in its target if that is a directory,
// where they keep their names.
func (s *search) copiesInto(known *program.Facts, words []word.Word, at script.Cwd) (out []WriteTarget) {
	operands, targets := known.CopyTargets(words)
	if len(operands)*len(targets) > MaxCopies {
		s.refuse("it copies or links too many files to be judged")
		return nil
	}
	for _, dir := range targets {
		for _, from := range operands {
			if dir.Kind != word.Static || from.Text == dir.Text && from.Kind == word.Static {
				continue
			}
			sources, sure := s.sources(from, at)
			if !sure && s.rules.DeniesWrites && slices.ContainsFunc(s.placesOf(literalPath(dir), at), place.Path.IsDir) {
				out = append(out, WriteTarget{Text: dir.Text, Unsure: "the names of what it puts there are not known before it runs"})
			}
			for _, source := range sources {
				out = append(out, s.copyIn(filepath.Base(source), dir, at)...)
			}
		}
	}
	return out
}

// copyIn returns the file of that name in a target that is a directory, or nil.
func (s *search) copyIn(name string, dir word.Word, at script.Cwd) []WriteTarget {
	made := word.Of(strings.TrimSuffix(dir.Text, "/") + "/" + name)
	made.Tilde = dir.Tilde
	for _, t := range s.targets(dir, at) {
		if t.At.IsDir() && name != ".." && name != "." || t.At.Info == nil && place.IsReserved(name) {
			return s.operand(made, at, true)
		}
	}
	return nil
}

// sources returns the paths that an operand of a copy stands for, and whether these are
// all. For a glob they are the files that match now, or that the script has written.
func (s *search) sources(from word.Word, at script.Cwd) (paths []string, all bool) {
	switch from.Kind {
	case word.Static:
		return []string{from.Text}, true
	case word.Globbed:
	default:
		return nil, false
	}
	found, all := s.throughLinks(from, at, true)
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
	for _, u := range s.parts {
		all = all && !u.Anywhere
		for _, t := range u.Writes {
			if name := filepath.Base(t.At.Canonical); pattern.Match(segment, []rune(pattern.Fold(name)), nil) {
				paths = append(paths, name)
			}
		}
	}
	return paths, all
}

// treesInto returns the files that a copy or a move of directories creates in its targets.
func (s *search) treesInto(known *program.Facts, words []word.Word, at script.Cwd) (out []WriteTarget) {
	if !s.rules.DeniesWrites {
		return nil
	}
	_, targets := known.CopyTargets(words)
	for _, from := range program.CopiedTrees(words) {
		trees, _ := s.trees(from, at, false)
		for _, t := range trees {
			for _, to := range targets {
				if to.Kind == word.Static && (to.Text != from.Text || from.Kind != word.Static) {
					out = append(out, s.intoTarget(t, to, at))
				}
			}
		}
	}
	return out
}

// intoTarget returns the files of a copied directory with the names that they may get:
// below the target, or below the directory's name in the target.
func (s *search) intoTarget(from tree, to word.Word, at script.Cwd) WriteTarget {
	out := WriteTarget{Text: to.Text, Below: true}
	if from.tooLarge {
		out.Unsure = "what it copies there is too much to be looked through"
	}
	for _, dir := range s.placesOf(literalPath(to), at) {
		for _, file := range from.files {
			rel := strings.TrimPrefix(strings.TrimPrefix(file.Canonical, from.top.Canonical), "/")
			out.Places = append(out.Places, dir.Child(rel), dir.Child(filepath.Base(from.top.Given)).Child(rel))
		}
	}
	return out
}

package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// lastWritten returns the target of a copy: the last operand, or all of them
// when an option may have given the target.
func (f *facts) lastWritten(operands, words []word) []word {
	if f.givesTarget(words) || f.allTargets.of(words) {
		return operands
	}
	return operands[max(0, len(operands)-1):]
}

// givesTarget reports whether an option may name the target of a copy.
func (f *facts) givesTarget(words []word) bool {
	return f.targetOption && slices.ContainsFunc(words[1:], func(x word) bool {
		return x.isOption() && (strings.HasPrefix(x.text, "--t") || !strings.HasPrefix(x.text, "--") && strings.Contains(x.text, "t"))
	})
}

func makesDirectories(words []word) bool {
	for _, x := range words[1:] {
		if x.isOption() && (strings.HasPrefix(x.text, "--d") || strings.Contains(x.text, "d") && !strings.HasPrefix(x.text, "--")) {
			return true
		}
	}
	return false
}

// asksForHardLinks reports whether cp gives its sources further names.
func asksForHardLinks(words []word) bool {
	return slices.ContainsFunc(words[1:], func(x word) bool {
		return x.isOption() && (strings.HasPrefix(x.text, "--l") || !strings.HasPrefix(x.text, "--") && strings.Contains(x.text, "l"))
	})
}

// unlessSymbolic reports whether ln gives its sources further names.
func unlessSymbolic(words []word) bool {
	return !slices.ContainsFunc(words[1:], func(x word) bool {
		return x.isOption() && (strings.HasPrefix(x.text, "--sy") || !strings.HasPrefix(x.text, "--") && isSymbolicCluster(x.text[1:]))
	})
}

// isSymbolicCluster reports whether the letters of a cluster hold the s of ln,
// and not as the value of another option.
func isSymbolicCluster(letters string) bool {
	i := strings.IndexByte(letters, 's')
	return i >= 0 && strings.Trim(letters[:i], "bdFfiLnPrTv") == ""
}

// operands returns the words without a leading dash and all that follow
// --, and the directories that options of a copy name in the same word.
func (f *facts) operands(words []word) (operands, values []word) {
	return splitOperands(words, f.targetOption)
}

func splitOperands(words []word, targetOption bool) (operands, values []word) {
	after := false
	for _, x := range words[1:] {
		switch {
		case x.is("--") && !after:
			after = true
		case after || !x.isOption():
			operands = append(operands, x)
		case !targetOption:
		case strings.HasPrefix(x.text, "--t"):
			if _, value, ok := strings.Cut(x.text, "="); ok {
				values = append(values, tildeValue(value))
			}
		case !strings.HasPrefix(x.text, "--"):
			if i := strings.IndexByte(x.text, 't'); i >= 0 && i+1 < len(x.text) {
				values = append(values, staticWord(x.text[i+1:]))
			}
		}
	}
	return operands, values
}

// copyTargets returns the operands of a copy and which words may name its
// target.
func (f *facts) copyTargets(words []word) (operands, targets []word) {
	operands, values := f.operands(words)
	if f.intoFolder && len(operands) == 1 {
		return operands, append(values, staticWord("."))
	}
	return operands, append(values, f.lastWritten(operands, words)...)
}

// maxPlaced bounds the names that a copy may make in its targets.
const maxPlaced = 1024

// placed returns the files that a copy makes in its target when that is a
// directory: they keep their names.
func (w *walker) placed(known *facts, words []word, at cwd) (out []writeTarget) {
	operands, targets := known.copyTargets(words)
	if len(operands)*len(targets) > maxPlaced {
		w.refuse("it copies or links too many files to be judged")
		return nil
	}
	for _, dir := range targets {
		for _, from := range operands {
			if dir.kind != static || from.kind != static || from.text == dir.text {
				continue
			}
			name := filepath.Base(from.text)
			for _, t := range w.targets(dir, at) {
				made := staticWord(strings.TrimSuffix(dir.text, "/") + "/" + name)
				made.tilde = dir.tilde
				if t.at.IsDir() && name != ".." && name != "." || t.at.Info == nil && place.IsReserved(name) {
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
func (w *walker) placedTrees(known *facts, words []word, at cwd) (out []writeTarget) {
	trees := copiedTrees(words)
	if len(trees) == 0 || !w.policy.deniesSomeWrites() {
		return nil
	}
	_, targets := known.copyTargets(words)
	for _, from := range trees {
		for _, top := range w.placesOf(literalPath(from), at) {
			if from.kind != static || !top.IsDir() {
				continue
			}
			held := heldFiles{walker: w, seen: map[string]bool{}}
			held.walk(top)
			for _, to := range targets {
				if to.kind == static && to.text != from.text {
					out = append(out, w.intoTarget(from, top, to, held, at))
				}
			}
		}
	}
	return out
}

// intoTarget returns the files of a directory as they are named in the target of
// a copy: below it, or below the directory's name in it.
func (w *walker) intoTarget(from word, top place.Path, to word, held heldFiles, at cwd) writeTarget {
	t := writeTarget{text: to.text, below: true}
	if held.lost {
		t.unsure = "what it copies there is too much to be looked through"
	}
	for _, dir := range w.placesOf(literalPath(to), at) {
		for _, file := range held.found {
			rel := strings.TrimPrefix(strings.TrimPrefix(file.Canonical, top.Canonical), "/")
			t.places = append(t.places, dir.Child(rel), dir.Child(filepath.Base(from.text)).Child(rel))
		}
	}
	return t
}

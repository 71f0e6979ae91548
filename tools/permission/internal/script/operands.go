package script

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// MaxWritten bounds the operands that a command writes.
const MaxWritten = 1024

// operands returns the files that a command writes by its operands, and a guard
// where one of them is not known whole.
func (w *walker) operands(words []word.Word, at Cwd) (out []WriteTarget, risks []program.Risk) {
	if words[0].Kind != word.Static {
		return nil, nil
	}
	known := program.Named(program.NameOf(words[0]))
	if known.Writes == 0 {
		return nil, nil
	}
	if known.Copies {
		out = append(w.placed(known, words, at), w.placedTrees(known, words, at)...)
	}
	seen := map[string]bool{}
	files := w.written(known, words, at)
	if len(files) > MaxWritten {
		w.refuse("it writes too many files to be judged")
	}
	if w.refused != "" {
		return nil, nil
	}
	for _, x := range files {
		if seen[x.Text] && x.Kind == word.Static {
			continue
		}
		seen[x.Text] = true
		if x.Kind == word.Static {
			targets := w.operand(x, at)
			if known.Writes == program.ByGit || known.Writes == program.Unpacks || known.Writes == program.ByTar {
				targets = w.filesIn(x, at)
			}
			if known.Writes == program.Unpacks || known.Writes == program.ByTar && x.Is(".") || known.NoContent {
				for i := range targets {
					targets[i].Later = true
				}
			}
			if out = append(out, targets...); known.ChangesBelow.Of(words) {
				out = append(out, w.inTree(x, at)...)
			}
			if known.Replaces {
				out = append(out, w.linksThemselves(x, at)...)
			}
		} else if len(risks) == 0 {
			risks = append(risks, program.Risk{Level: program.Unheld, At: -1, Why: "a file that it writes is not known before it runs"})
		}
	}
	return out, risks
}

// written returns the words that name what is written.
func (w *walker) written(known *program.Facts, words []word.Word, at Cwd) []word.Word {
	operands, values := known.Operands(words)
	switch known.Writes {
	case program.AllOperands:
		return append(operands, values...)
	case program.AfterMode, program.AfterOwner:
		if len(operands) > 0 && !program.HasReference(words) && (known.Writes == program.AfterOwner || program.IsMode(operands[0].Text) && !program.HasDashMode(words)) {
			return operands[1:]
		}
		return operands
	case program.SecondOnward:
		return operands[min(1, len(operands)):]
	case program.PrefixOnward:
		return program.Pieces(operands)
	case program.NumberedPieces:
		return []word.Word{word.Of("./xx00")}
	case program.Compressed:
		if slices.ContainsFunc(words[1:], program.PrintsInstead) {
			return nil
		}
		return operands
	case program.FirstOnly:
		return operands[:min(1, len(operands))]
	case program.Unpacks:
		if slices.ContainsFunc(words[1:], program.ListsInstead) {
			return nil
		}
		return []word.Word{word.Of(".")}
	case program.ByTar:
		return program.TarWrites(words)
	case program.ByGit:
		return w.gitWrites(words, at)
	case program.AfterOf:
		var out []word.Word
		for _, x := range words[1:] {
			if rest, ok := strings.CutPrefix(x.Text, "of="); ok && x.Kind == word.Static {
				out = append(out, program.TildeValue(rest))
			} else if x.Kind == word.Globbed {
				out = append(out, x)
			}
		}
		return out
	}
	if known.HardLinks.Of(words) {
		return append(operands, values...) // a write to one name is one to all
	}
	return append(known.LastWritten(operands, words), values...)
}

// operand returns what a static operand stands for in each directory. One that
// is a directory is judged as a file in it.
func (w *walker) operand(x word.Word, at Cwd) []WriteTarget {
	if out := w.newFolder(x, at); out != nil {
		return out
	}
	out := w.targets(x, at)
	for i, t := range out {
		if !t.At.IsDir() {
			continue
		}
		path := strings.TrimRight(literalPath(x), "/") + "/x"
		t = WriteTarget{Text: x.Text, At: place.Within(t.At)}
		if t.Refused = w.rules.Unwritable(path, t.At); t.Refused == "" {
			t.Refused = w.rules.UnwritableWhole(out[i].At.Canonical)
		}
		out[i] = t
	}
	return out
}

// filesIn is operand for programs that write some files in a directory, and not
// the directory itself.
func (w *walker) filesIn(x word.Word, at Cwd) []WriteTarget {
	if out := w.newFolder(x, at); out != nil {
		return out
	}
	out := w.targets(x, at)
	for i, t := range out {
		if t.At.IsDir() {
			out[i] = WriteTarget{Text: x.Text, At: place.Within(t.At)}
		}
	}
	return out
}

// newFolder returns what an operand that ends in a slash stands for where there is
// nothing yet: the command before makes the folder.
func (w *walker) newFolder(x word.Word, at Cwd) []WriteTarget {
	text := strings.TrimSuffix(x.Text, "/")
	if text == x.Text || text == "" || strings.HasSuffix(text, "/") || at.Lost {
		return nil
	}
	x.Text = text + "/x"
	for _, dir := range at.Dirs {
		if to, err := w.roots.Resolve(dir, literalPath(word.Word{Text: text, Tilde: x.Tilde})); err != nil || to.Info != nil {
			return nil
		}
	}
	return w.targets(x, at)
}

// inTree returns the files in a directory that an operand names: a rule may deny
// to write one of them.
func (w *walker) inTree(x word.Word, at Cwd) []WriteTarget {
	t := WriteTarget{Text: x.Text, Below: true}
	if !w.rules.DeniesWrites {
		return nil
	}
	for _, top := range w.placesOf(literalPath(x), at) {
		held := heldFiles{walker: w, seen: map[string]bool{}}
		if top.IsDir() {
			held.walk(top)
		}
		if t.Places = append(t.Places, held.found...); held.lost {
			t.Unsure = "it holds too much to be looked through"
		}
	}
	if len(t.Places) == 0 && t.Unsure == "" {
		return nil
	}
	return []WriteTarget{t}
}

// linksThemselves returns the links that an operand names, as the entries of
// their folders.
func (w *walker) linksThemselves(x word.Word, at Cwd) (out []WriteTarget) {
	path := strings.TrimRight(literalPath(x), "/")
	folder, name := filepath.Split(path)
	if name == "" || name == "." || name == ".." {
		return nil
	}
	for _, dir := range at.Dirs {
		in, err := w.roots.Resolve(dir, cmp.Or(folder, "."))
		if err != nil {
			continue // the operand itself is refused
		}
		t := WriteTarget{Text: x.Text, At: in.Child(name)}
		if info, err := os.Lstat(t.At.Canonical); err != nil || info.Mode()&os.ModeSymlink == 0 {
			continue
		}
		t.Refused = w.rules.Unwritable(path, t.At)
		out = append(out, t)
	}
	return out
}

// MaxHeld bounds how many files a directory is searched for what is never
// writable.
const MaxHeld = 20000

package reach

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// MaxWritten is how many operands a command may write.
const MaxWritten = 1024

// operands returns the files that a command writes and its operands name, and whether it
// writes one that is not known.
func (s *search) operands(words []word.Word, at script.Cwd) (out []WriteTarget, unknown bool) {
	known := program.Named(program.NameOf(words[0]))
	if words[0].Kind != word.Static || known.Writes == nil {
		return nil, false
	}
	if known.Copies {
		out = append(s.copiesInto(known, words, at), s.treesInto(known, words, at)...)
	}
	seen := map[string]bool{}
	files := known.Writes(known, words)
	if len(files) > MaxWritten {
		s.refuse("it writes too many files to be judged")
	}
	if s.refused != "" {
		return nil, false
	}
	for _, x := range files {
		switch {
		case x.Kind == word.Static && seen[x.Text], x.IfThere && !s.exists(x, at):
			continue
		case x.Kind == word.Static:
			out = append(out, s.writtenAt(known, words, x, at)...)
		default:
			unknown = true
		}
		seen[x.Text] = true
	}
	return out, unknown
}

// writtenAt returns what a program writes whose operand is a static word.
func (s *search) writtenAt(known *program.Facts, words []word.Word, x word.Word, at script.Cwd) []WriteTarget {
	out := s.operand(x, at, !known.InFolder)
	for i := range out {
		out[i].Later = out[i].Later || known.NoContent || known.InFolder && x.Is(".")
	}
	if known.ChangesBelow.Of(words) {
		out = append(out, s.inTree(x, at)...)
	}
	if known.Replaces {
		out = append(out, s.linksThemselves(x, at)...)
	}
	return out
}

// exists reports whether a word names an existing file.
func (s *search) exists(x word.Word, at script.Cwd) bool {
	return x.Kind == word.Static && slices.ContainsFunc(s.placesOf(literalPath(x), at), func(p place.Path) bool { return p.Info != nil })
}

// operand returns what a static operand stands for in each directory. One that is a
// directory is judged as a file in it; whole says that the program writes the directory
// itself, and not only some files in it.
func (s *search) operand(x word.Word, at script.Cwd, whole bool) []WriteTarget {
	if out := s.newFolder(x, at); out != nil {
		return out
	}
	out := s.targets(x, at)
	for i, t := range out {
		if !t.At.IsDir() {
			continue
		}
		in := WriteTarget{Text: x.Text, At: place.Within(t.At)}
		if whole {
			in.Refused = s.rules.Unwritable(strings.TrimRight(literalPath(x), "/")+"/x", in.At)
		}
		if whole && in.Refused == "" {
			in.Refused = s.rules.UnwritableWhole(t.At.Canonical)
		}
		out[i] = in
	}
	return out
}

// newFolder returns what an operand stands for that ends in a slash and does not exist:
// a file in a folder that an earlier command makes. Of any other operand it returns nil.
func (s *search) newFolder(x word.Word, at script.Cwd) []WriteTarget {
	text := strings.TrimSuffix(x.Text, "/")
	if text == x.Text || text == "" || strings.HasSuffix(text, "/") || at.Lost {
		return nil
	}
	x.Text = text + "/x"
	for _, dir := range at.Dirs {
		if to, err := s.rules.Roots.Resolve(dir, literalPath(word.Word{Text: text, Tilde: x.Tilde})); err != nil || to.Info != nil {
			return nil
		}
	}
	return s.targets(x, at)
}

// linksThemselves returns the symlinks that an operand names, not followed.
func (s *search) linksThemselves(x word.Word, at script.Cwd) (out []WriteTarget) {
	entries, _ := s.entriesOf(x, at)
	for _, e := range entries {
		if info, err := os.Lstat(e.Canonical); err == nil && info.Mode()&os.ModeSymlink != 0 {
			out = append(out, WriteTarget{Text: x.Text, At: e, Refused: s.rules.Unwritable(strings.TrimRight(literalPath(x), "/"), e)})
		}
	}
	return out
}

// entriesOf returns the places that an operand names in each directory, without following
// a symlink at the end, and whether these are all.
func (s *search) entriesOf(x word.Word, at script.Cwd) (out []place.Path, all bool) {
	folder, name := filepath.Split(strings.TrimRight(literalPath(x), "/"))
	if name == "" || name == "." || name == ".." {
		return nil, false
	}
	all = !at.Lost
	for _, dir := range at.Dirs {
		in, err := s.rules.Roots.Resolve(dir, cmp.Or(folder, "."))
		if err != nil {
			all = false
			continue
		}
		out = append(out, in.Child(name))
	}
	return out, all
}

// inBareRepository reports whether git may take its working directory for a bare
// repository, whose config, which a write rule may cover, names programs to run.
func (s *search) inBareRepository(at script.Cwd) bool {
	return slices.ContainsFunc(at.Dirs, func(dir string) bool {
		to, err := s.rules.Roots.Resolve("/", dir)
		return err != nil || !to.Inside || s.rules.Roots.HoldsBareRepository(to.Canonical)
	})
}

// targets returns the file that a static word names to be written, in each directory that
// the command may be in.
func (s *search) targets(x word.Word, at script.Cwd) []WriteTarget {
	path := literalPath(x)
	if at.Lost && !strings.HasPrefix(path, "/") {
		return []WriteTarget{{Text: x.Text, Unsure: "the directory is not known here, so the path must be absolute", Later: true}}
	}
	var out []WriteTarget
	for _, dir := range at.Dirs {
		out = append(out, s.target(x.Text, path, dir))
	}
	return out
}

func (s *search) target(text, path, dir string) WriteTarget {
	t := WriteTarget{Text: text}
	at, err := s.rules.Roots.Resolve(dir, path)
	if err != nil {
		t.Refused = err.Error()
		return t
	}
	t.At = at
	if t.Refused = place.Unopenable(at); t.Refused == "" {
		t.Refused = s.rules.Unwritable(path, at)
	}
	return t
}

// literalPath returns the text of a word as a path, in which ~ is an ordinary name.
func literalPath(x word.Word) string {
	if x.Tilde {
		return "./" + x.Text
	}
	return x.Text
}

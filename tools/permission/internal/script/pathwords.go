package script

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// readWords returns the words of a command that may name files.
func (w *walker) readWords(s simple) []PathWord {
	var out []PathWord
	if len(s.words) > 0 && !program.IsTextOnly(s.words) {
		words := s.words
		if !strings.Contains(words[0].Text, "/") {
			words = words[1:]
		}
		out = w.pathWords(words, s.at)
		if program.NameOf(s.words[0]) == "git" {
			out = append(out, w.gitWords(words, s.at)...)
		}
		if program.ReadsBelow(s.words) {
			markRoot(out)
		}
	}
	return append(out, w.pathWords(s.inputs, s.at)...)
}

// pathWords returns words as paths: whole, after each = and @, and after the
// letter of an option.
func (w *walker) pathWords(words []word.Word, at Cwd) (out []PathWord) {
	seen := map[string]bool{}
	for _, x := range words {
		if w.refused != "" {
			return out
		}
		if seen[x.Text] && x.Kind != word.Globbed {
			continue
		}
		seen[x.Text] = true
		var p PathWord
		switch x.Kind {
		case word.Static:
			p = w.staticPath(x, at)
		case word.Globbed:
			if w.globs++; w.globs > program.MaxGlobs {
				w.refuse("it has too many globs to be judged")
				return out
			}
			p = w.globPath(x, at)
		}
		if len(p.Places)+len(p.Globs) > 0 {
			out = append(out, p)
		}
	}
	return out
}

func (w *walker) staticPath(x word.Word, at Cwd) PathWord {
	p := PathWord{Text: x.Text}
	for _, path := range candidates(x) {
		p.Places = append(p.Places, w.placesOf(path, at)...)
		if at.Lost && !strings.HasPrefix(path, "/") && len(path) <= place.MaxPath {
			p.Globs = append(p.Globs, w.globPaths(pattern.Literals(path), at)...)
		}
	}
	for _, path := range inCluster(x.Text) {
		p.Places = append(p.Places, slices.DeleteFunc(w.placesOf(path, at), func(to place.Path) bool { return to.Info == nil })...)
	}
	return p
}

// globPath is what a glob may stand for: the files that there are, and where these
// can't be listed all that fit it.
func (w *walker) globPath(x word.Word, at Cwd) PathWord {
	p := PathWord{Text: x.Text}
	if p.Places = w.listed(x, at); p.Places == nil {
		p.Globs = w.globPaths(x.Atoms, at)
	} else {
		p.Shapes = w.globPaths(x.Atoms, at)
	}
	p.ByFiles = !at.Lost && len(x.Atoms) > 0 && x.Atoms[len(x.Atoms)-1].Wild == pattern.NameText
	files, ok := w.throughLinks(x, at, p.ByFiles)
	if p.Places = append(p.Places, files...); !ok {
		p.Globs = append(p.Globs, []pattern.Atom{{Wild: pattern.Text}})
	}
	for i, a := range x.Atoms {
		if a.Is('=') || a.Is('@') {
			p.Globs = append(p.Globs, w.globPaths(x.Atoms[i+1:], at)...)
		}
	}
	return p
}

// gitWords returns what follows : in git's words, from the workspace root, and
// where it begins with a dot from where git runs.
func (w *walker) gitWords(words []word.Word, at Cwd) (out []PathWord) {
	root := Cwd{Dirs: []string{w.roots.Workspace}}
	for _, x := range words {
		if x.Kind != word.Static {
			continue
		}
		p := PathWord{Text: x.Text}
		for _, path := range after(x.Text, ":") {
			if _, rest, ok := strings.Cut(path, ")"); ok && path[0] == '(' {
				path = rest // of a pathspec's :(top)path
			}
			p.Places = append(p.Places, w.placesOf(strings.TrimLeft(path, "/!^"), root)...)
			if strings.HasPrefix(path, ".") {
				p.Places = append(p.Places, w.placesOf(path, at)...)
			}
		}
		if len(p.Places) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// candidates returns the paths that a static word may name.
func candidates(x word.Word) []string {
	out := []string{literalPath(x)}
	if len(x.Text) > 2 && x.Text[0] == '-' && x.Text[1] != '-' {
		out = append(out, x.Text[2:])
	}
	for _, path := range after(x.Text, "=@<") {
		out = append(out, path)
		if strings.ContainsAny(path, `;,"`) {
			out = append(out, namedFiles(path)...)
		}
	}
	if _, address, ok := strings.Cut(x.Text, "://"); ok {
		if slash := strings.IndexByte(address, '/'); slash >= 0 && strings.Contains(pattern.Fold(x.Text), "file://") {
			out = append(out, address[slash:])
		}
	}
	return out
}

// namedFiles returns the paths in curl's name=@path;type=…,"path": each may be quoted.
func namedFiles(list string) (out []string) {
	for _, path := range strings.FieldsFunc(list, func(r rune) bool { return r == ';' || r == ',' }) {
		path = strings.TrimLeft(path, " \t")
		if quoted, ok := strings.CutPrefix(path, `"`); ok {
			path, _, _ = strings.Cut(quoted, `"`)
			path = strings.ReplaceAll(path, `\`, "")
		}
		if out = append(out, path); len(out) == program.MaxMarks {
			break
		}
	}
	return out
}

// inCluster returns where the value of a later option may begin in a cluster of
// short ones, such as -ra.env of xargs.
func inCluster(text string) (out []string) {
	if len(text) < 4 || text[0] != '-' {
		return nil
	}
	for i := 2; i+1 < len(text) && len(out) < program.MaxMarks && inOptions(text[i]); i++ {
		out = append(out, text[i+1:])
	}
	return out
}

// inOptions reports whether a character may be an option.
func inOptions(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// after returns the rest of a text after each of the marks; of very many only
// after the first and the last ones.
func after(text, marks string) (out []string) {
	for i := 0; i+1 < len(text); i++ {
		if strings.IndexByte(marks, text[i]) >= 0 {
			out = append(out, text[i+1:])
		}
	}
	if len(out) > program.MaxMarks {
		out = append(out[:program.MaxMarks/2:program.MaxMarks/2], out[len(out)-program.MaxMarks/2:]...)
	}
	return out
}

// placesOf returns where a path may lead that matters to the read rules.
func (w *walker) placesOf(path string, at Cwd) (out []place.Path) {
	if len(path) > place.MaxPath || path == "" {
		return nil // no file can have the name
	}
	for _, dir := range at.Dirs {
		out = append(out, w.placeOf(path, dir))
		if strings.HasPrefix(path, "/") {
			break
		}
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok && w.roots.Home != "" {
		out = append(out, w.placeOf(rest, w.roots.Home))
	}
	return out
}

// placeOf resolves a path. One that cannot be resolved is compared as text.
func (w *walker) placeOf(path, dir string) place.Path {
	key := dir + "\x00" + path
	at, ok := w.places[key]
	if ok {
		return at
	}
	if len(w.places) >= program.MaxLooks {
		w.refuse("it has too many words to be judged")
		return at
	}
	at = place.Lookup(w.roots, path, dir)
	w.places[key] = at
	return at
}

// globPaths returns the absolute paths that a glob may become.
func (w *walker) globPaths(atoms []pattern.Atom, at Cwd) (out [][]pattern.Atom) {
	if len(atoms) > 2*place.MaxPath {
		return nil // every name that fits is longer than a path can be
	}
	var prefixes [][]pattern.Atom
	last := 0
	climbs := at.Lost
	for i, a := range atoms {
		if a.Is('/') {
			last = i + 1
		}
		climbs = climbs || a.Is('.') && i+1 < len(atoms) && atoms[i+1].Is('.')
	}
	switch {
	case climbs:
		// What follows counts under any directory.
		prefixes = [][]pattern.Atom{{{Wild: pattern.Text}, {Char: '/'}}}
		atoms, last = atoms[last:], 0
	case len(atoms) > 0 && atoms[0].Is('/'):
		prefixes = [][]pattern.Atom{nil}
	default:
		if len(atoms) > 1 && atoms[0].Is('.') && atoms[1].Is('/') {
			atoms, last = atoms[2:], last-2
		}
		for _, dir := range at.Dirs {
			prefixes = append(prefixes, pattern.Literals(pattern.Fold(place.Join(dir, ""))))
		}
	}
	atoms = pattern.FoldAll(atoms)
	for _, prefix := range prefixes {
		for _, name := range w.shownNames(atoms[last:]) {
			out = append(out, slices.Concat(prefix, atoms[:last], name))
		}
	}
	return out
}

// MaxListed bounds the files that a glob is compared with.
const MaxListed = 4096

// listed returns the files that a glob without any letter in its last segment
// stands for now. Nearly every name could be a secret's, so what there is
// decides. It returns nil where that cannot be told.
func (w *walker) listed(x word.Word, at Cwd) []place.Path {
	cut := strings.LastIndexByte(x.Text, '/') + 1
	if at.Lost || w.dotglob || x.Tilde || strings.Trim(x.Text[cut:], "*?") != "" || strings.ContainsAny(x.Text[:cut], "*?[\\") {
		return nil
	}
	out := []place.Path{}
	for _, dir := range at.Dirs {
		parent, err := w.roots.Resolve(dir, "./"+x.Text[:cut])
		if strings.HasPrefix(x.Text, "/") {
			parent, err = w.roots.Resolve(dir, x.Text[:cut])
		}
		if err != nil {
			return nil
		}
		names, ok := shownFiles(parent.Canonical)
		if !ok {
			return nil
		}
		for _, name := range names {
			out = append(out, w.placeOf(name, parent.Canonical))
		}
		out = append(out, place.Within(parent))
	}
	return out
}

// shownFiles returns the names in a directory that do not start with a dot, or
// false when they are too many. There are none where there is no directory.
func shownFiles(dir string) (names []string, ok bool) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, errors.Is(err, fs.ErrNotExist)
	}
	defer d.Close()
	all, err := d.Readdirnames(MaxListed + 1)
	if err != nil && !errors.Is(err, io.EOF) || len(all) > MaxListed {
		return nil, false
	}
	return slices.DeleteFunc(all, func(name string) bool { return strings.HasPrefix(name, ".") }), true
}

// shownNames returns what a glob's last segment may be. Unless the command may
// have set dotglob, a wildcard at its start does not become a dot.
func (w *walker) shownNames(name []pattern.Atom) [][]pattern.Atom {
	if len(name) == 0 || name[0].Wild == pattern.Literal || w.dotglob {
		return [][]pattern.Atom{name}
	}
	if name[0].Wild == pattern.NameCharacter {
		return [][]pattern.Atom{append([]pattern.Atom{{Wild: pattern.ShownCharacter}}, name[1:]...)}
	}
	return [][]pattern.Atom{name[1:], append([]pattern.Atom{{Wild: pattern.ShownCharacter}}, name...)}
}

// markRoot marks the words that are the root of the file system: the kernel's
// files are below it.
func markRoot(words []PathWord) {
	for i := range words {
		for j, at := range words[i].Places {
			if at.Canonical == "/" {
				words[i].Places[j].ThroughKernel = true
			}
		}
	}
}

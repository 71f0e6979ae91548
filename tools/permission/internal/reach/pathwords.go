package reach

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// readWords returns the words of a command that may name files to be read.
func (s *search) readWords(p *Part) []PathWord {
	if program.IsTextOnly(p.Words) {
		return nil
	}
	words := p.Words
	if !strings.Contains(words[0].Text, "/") {
		words = words[1:]
	}
	out := s.pathWords(words, p.At)
	if p.Name == "git" {
		out = append(out, s.gitWords(words, p.At)...)
	}
	if program.ReadsBelow(p.Words) {
		markRoot(out)
	}
	return out
}

// pathWords returns the words as paths: the whole word, what follows each = and @, and
// what follows the letter of an option.
func (s *search) pathWords(words []word.Word, at script.Cwd) (out []PathWord) {
	seen := map[string]bool{}
	for _, x := range words {
		if s.refused != "" {
			return out
		}
		if seen[x.Text] && x.Kind != word.Globbed {
			continue
		}
		seen[x.Text] = true
		var p PathWord
		switch x.Kind {
		case word.Static:
			p = s.staticPath(x, at)
		case word.Globbed:
			if s.globs++; s.globs > MaxGlobs {
				s.refuse("it has too many globs to be judged")
				return out
			}
			p = s.globPath(x, at)
		}
		if len(p.Places)+len(p.Globs) > 0 {
			out = append(out, p)
		}
	}
	return out
}

func (s *search) staticPath(x word.Word, at script.Cwd) PathWord {
	p := PathWord{Text: x.Text}
	for _, path := range candidates(x) {
		p.Places = append(p.Places, s.placesOf(path, at)...)
		if at.Lost && !strings.HasPrefix(path, "/") && len(path) <= paths.MaxPath {
			p.Globs, p.Globbed = append(p.Globs, s.globPaths(pattern.Literals(path), at)...), true
		}
	}
	for _, path := range inCluster(x.Text) {
		p.Places = append(p.Places, slices.DeleteFunc(s.placesOf(path, at), func(to place.Path) bool { return to.Info == nil })...)
	}
	return p
}

// globPath returns what a glob may stand for: the files that match now, and where these
// can't be listed, any path that matches.
func (s *search) globPath(x word.Word, at script.Cwd) PathWord {
	p := PathWord{Text: x.Text, Globbed: true, Places: s.anyName(x, at)}
	all := p.Places != nil
	if !all {
		p.Globs = s.globPaths(x.Atoms, at)
	}
	p.ByFiles = !at.Lost && len(x.Atoms) > 0 && x.Atoms[len(x.Atoms)-1].Wild == pattern.NameText
	files, ok := s.throughLinks(x, at, all || p.ByFiles)
	if p.Places = append(p.Places, files...); !ok {
		p.Globs = append(p.Globs, []pattern.Atom{{Wild: pattern.Text}})
	}
	for i, a := range x.Atoms {
		if a.Is('=') || a.Is('@') {
			p.Globs = append(p.Globs, s.globPaths(x.Atoms[i+1:], at)...)
		}
	}
	return p
}

// anyName returns a file in each folder in which a glob matches any name, or nil for any
// other glob. A glob for any name could nearly always match a secret, so for it the files
// that exist now decide.
func (s *search) anyName(x word.Word, at script.Cwd) (out []place.Path) {
	cut := strings.LastIndexByte(x.Text, '/') + 1
	if at.Lost || s.Dotglob || x.Tilde || strings.Trim(x.Text[cut:], "*?") != "" || strings.ContainsAny(x.Text[:cut], "*?[\\") {
		return nil
	}
	folder := x.Text[:cut]
	if !strings.HasPrefix(folder, "/") {
		folder = "./" + folder
	}
	for _, dir := range at.Dirs {
		parent, err := s.rules.Roots.Resolve(dir, folder)
		if err != nil {
			return nil
		}
		out = append(out, place.Within(parent))
	}
	return out
}

// gitWords returns what follows a : in the words of git as paths from the workspace root,
// and what begins with a dot as paths from git's working directory, too.
func (s *search) gitWords(words []word.Word, at script.Cwd) (out []PathWord) {
	root := script.Cwd{Dirs: []string{s.rules.Roots.Workspace}}
	for _, x := range words {
		if x.Kind != word.Static {
			continue
		}
		p := PathWord{Text: x.Text}
		for _, path := range after(x.Text, ":") {
			if _, rest, ok := strings.Cut(path, ")"); ok && path[0] == '(' {
				path = rest // of a pathspec's :(top)path
			}
			p.Places = append(p.Places, s.placesOf(strings.TrimLeft(path, "/!^"), root)...)
			if strings.HasPrefix(path, ".") {
				p.Places = append(p.Places, s.placesOf(path, at)...)
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

// namedFiles returns the paths in a list of curl, such as name=@path;type=…,"path".
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

// inCluster returns the values that a later option in a cluster of short options may
// have, such as a.env in -ra.env of xargs.
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

// after returns the rest of a text after each of the marks. Of too many marks it takes
// the first and the last ones.
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

// placesOf returns the places to which a path may lead.
func (s *search) placesOf(path string, at script.Cwd) (out []place.Path) {
	if len(path) > paths.MaxPath || path == "" {
		return nil // no file can have the name
	}
	for _, dir := range at.Dirs {
		out = append(out, s.placeOf(path, dir))
		if strings.HasPrefix(path, "/") {
			break
		}
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok && s.rules.Roots.Home != "" {
		out = append(out, s.placeOf(rest, s.rules.Roots.Home))
	}
	return out
}

// placeOf looks up a path, once for each directory.
func (s *search) placeOf(path, dir string) place.Path {
	key := dir + "\x00" + path
	at, ok := s.places[key]
	if ok {
		return at
	}
	if len(s.places) >= MaxLooks {
		s.refuse("it has too many words to be judged")
		return at
	}
	at = place.Lookup(s.rules.Roots, path, dir)
	s.places[key] = at
	return at
}

// globPaths returns the absolute paths that a glob may become.
func (s *search) globPaths(atoms []pattern.Atom, at script.Cwd) (out [][]pattern.Atom) {
	if len(atoms) > 2*paths.MaxPath {
		return nil // every path that matches is too long
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
		for _, name := range s.shownNames(atoms[last:]) {
			out = append(out, slices.Concat(prefix, atoms[:last], name))
		}
	}
	return out
}

// shownNames returns the forms that the last segment of a glob may have. A wildcard at its
// start does not match a dot, unless the command may have set dotglob.
func (s *search) shownNames(name []pattern.Atom) [][]pattern.Atom {
	if len(name) == 0 || name[0].Wild == pattern.Literal || s.Dotglob {
		return [][]pattern.Atom{name}
	}
	if name[0].Wild == pattern.NameCharacter {
		return [][]pattern.Atom{append([]pattern.Atom{{Wild: pattern.ShownCharacter}}, name[1:]...)}
	}
	return [][]pattern.Atom{name[1:], append([]pattern.Atom{{Wild: pattern.ShownCharacter}}, name...)}
}

// markRoot marks the places that are the root of the file system as leading to the files
// of the kernel, which are below it.
func markRoot(words []PathWord) {
	for i := range words {
		for j, at := range words[i].Places {
			if at.Canonical == "/" {
				words[i].Places[j].ThroughKernel = true
			}
		}
	}
}

package recipe

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/text/unicode/norm"

	"github.com/a-seed-11b9befa/flow/internal/columns"
	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// The limits of a recipe.
const (
	maxFiles = 10_000
	maxBytes = 100 << 20
	maxName  = 1_000
)

// A Tree has the files of a recipe, by their paths with slashes. The zero value is empty. It is
// not safe for concurrent use while files are added.
type Tree struct {
	files map[string]file
	links map[string]string // what each leads to, as text
	size  int64
}

type file struct {
	data       []byte
	executable bool
}

// Names are the paths of its files, sorted.
func (t *Tree) Names() []string { return slices.Sorted(maps.Keys(t.files)) }

// Data returns the content of a file; ok is false if there is none.
func (t *Tree) Data(name string) (data []byte, ok bool) {
	f, ok := t.files[name]
	return f.data, ok
}

// Executable reports whether a file exists and is executable.
func (t *Tree) Executable(name string) bool { return t.files[name].executable }

// admit checks a new file or link against the limits.
func (t *Tree) admit(name string, size int64) error {
	if err := checkName(name); err != nil {
		return err
	}
	if t.files == nil {
		t.files, t.links = map[string]file{}, map[string]string{}
	}
	_, isFile := t.files[name]
	_, isLink := t.links[name]
	t.size += size
	switch {
	case isFile || isLink:
		return bothThere(name, name)
	case len(t.files)+len(t.links) == maxFiles:
		return fmt.Errorf("it has more than %d files", maxFiles)
	case size < 0 || t.size > maxBytes:
		return fmt.Errorf("its files exceed %d MB", maxBytes>>20)
	}
	return nil
}

func bothThere(a, b string) error {
	return fmt.Errorf("%q and %q can't both be there on every machine", a, b)
}

// add adds a file.
func (t *Tree) add(name string, executable bool, data []byte) error {
	if err := t.admit(name, int64(len(data))); err != nil {
		return err
	}
	t.files[name] = file{data, executable}
	return nil
}

// link adds a symlink, which settle replaces by its target.
func (t *Tree) link(name, target string) error {
	if err := t.admit(name, 0); err != nil {
		return err
	}
	t.links[name] = target
	return nil
}

// settle checks the files together, and replaces links by copies of their targets. A target outside
// the tree is an error.
func (t *Tree) settle() error {
	if err := t.checkTogether(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t.links)) {
		at := name
		for hops := 0; t.links[at] != ""; hops++ {
			target := t.links[at]
			next := path.Join(path.Dir(at), target)
			if path.IsAbs(target) || checkName(next) != nil || hops > 20 {
				return fmt.Errorf("the link %q leads out of the recipe, to %q", name, target)
			}
			at = next
		}
		leads, ok := t.files[at]
		if !ok {
			return fmt.Errorf("the link %q leads to %q, which is not a file of the recipe", name, at)
		}
		if t.size += int64(len(leads.data)); t.size > maxBytes {
			return fmt.Errorf("its files exceed %d MB", maxBytes>>20)
		}
		t.files[name] = leads
	}
	t.links = nil
	return nil
}

// checkTogether refuses names that are one file on machines that ignore case, or the encoding of
// accents, and a folder that git would take for a repository: any git command in it would run the
// programs that its configuration names.
func (t *Tree) checkTogether() error {
	seen := map[string]string{} // files, and folders with a slash behind, by what other machines take for one
	names := slices.Concat(slices.Collect(maps.Keys(t.files)), slices.Collect(maps.Keys(t.links)))
	slices.Sort(names)
	for _, name := range names {
		at := name
		for spelt := name; at != "."; spelt = at + "/" {
			key := strings.ToLower(strings.ToUpper(norm.NFC.String(at)))
			before, known := seen[key]
			if known && (before != spelt || at == name) {
				return bothThere(before, name)
			}
			seen[key] = spelt
			at = path.Dir(at)
		}
		if len(seen) > 2*maxFiles {
			return fmt.Errorf("it has more than %d files and folders", 2*maxFiles)
		}
	}
	for at, name := range seen {
		has := func(beside string) bool { return seen[path.Join(path.Dir(at), beside)] != "" }
		if path.Base(at) == "head" && (has("objects") && has("refs") || has("commondir")) {
			return fmt.Errorf("%q would make its folder a git repository", strings.TrimSuffix(name, "/"))
		}
	}
	return nil
}

// checkName refuses a path that is not valid on every machine.
func checkName(name string) error {
	if !fs.ValidPath(name) || name == "." || len(name) > maxName || strings.ContainsAny(name, `\:`) || strings.ContainsFunc(name, columns.Hidden) {
		return fmt.Errorf("%q is not a path in a recipe", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if low := strings.ToLower(part); low == ".git" || low == "git~1" || low == ".flow" || strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") {
			return fmt.Errorf("%q is not a path in a recipe", name)
		}
	}
	return nil
}

// executables is the name of the list of executable files in the hash. No file can have it.
const executables = "./executable"

// Hash returns the hash of all files, in the format of dirhash (h1:), including which of them are
// executable. For a tree without executable files it is the hash of dirhash.
func (t *Tree) Hash() string {
	names := t.Names()
	var marked []string
	for _, name := range names {
		if t.files[name].executable {
			marked = append(marked, name)
		}
	}
	if marked != nil {
		names = append(names, executables)
	}
	sum, err := dirhash.Hash1(names, func(name string) (io.ReadCloser, error) {
		if name == executables {
			return io.NopCloser(strings.NewReader(strings.Join(marked, "\n"))), nil
		}
		return io.NopCloser(bytes.NewReader(t.files[name].data)), nil
	})
	if err != nil {
		panic(err) // names have no newline, and nothing is read
	}
	return sum
}

// write writes the files into an existing folder, read-only.
func (t *Tree) write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range t.Names() {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o444)
		if t.files[name].executable {
			mode = 0o555
		}
		if err := root.WriteFile(name, t.files[name].data, mode); err != nil {
			return err
		}
	}
	return nil
}

// ReadFolder reads the files of a folder. Skip says which to leave out; nil leaves out none. A link
// is read as its target, which has to be in the folder.
func ReadFolder(dir string, skip func(name string, folder bool) bool) (*Tree, error) {
	t := &Tree{}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case skip != nil && skip(name, entry.IsDir()):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		case entry.Type() == fs.ModeSymlink:
			target, err := os.Readlink(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				return err
			}
			return t.link(name, filepath.ToSlash(target))
		case !entry.Type().IsRegular():
			return fmt.Errorf("%q is not a regular file", name)
		}
		return t.readFile(root, name)
	})
	if err == nil {
		err = t.settle()
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// readFile adds a regular file of a folder.
func (t *Tree) readFile(root *os.Root, name string) error {
	open, err := paths.OpenRegularIn(root, name)
	if err != nil {
		return err
	}
	defer open.Close()
	info, err := open.Stat()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(open, maxBytes+1))
	if err != nil {
		return err
	}
	return t.add(name, info.Mode()&0o100 != 0, data)
}

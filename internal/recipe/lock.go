package recipe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// lockFile is the name of the lock beside a workflow.
const lockFile = "flow.lock"

// A Lock resolves references. The zero value has none. It is not safe for concurrent use.
type Lock struct {
	Version int
	Recipes []Locked // sorted by reference
}

// A Locked recipe is the recipe of a reference until the lock is updated.
type Locked struct {
	Reference string
	Commit    string   // of a git repository, or
	Digest    string   // of a registry
	Hash      string   // of all files
	Authority []string // what it may do, a line for each thing
}

// At is the commit or the digest.
func (l Locked) At() string { return l.Commit + l.Digest }

// lockVersion is the version of the file's format. What recipes may do had another form in older ones, and
// counts as unknown there.
const lockVersion = 3

const maxLock = 4 << 20 // bytes of the file

const lockHeader = "# The exact version of each reference, and what each recipe may do.\n# Written by flow lock. Review the changes.\n"

// ReadLock reads a lock; it is empty where there is no file.
func ReadLock(path string) (*Lock, error) {
	file, err := paths.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxLock+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxLock {
		return nil, fmt.Errorf("%s is larger than %d MB", path, maxLock>>20)
	}
	l, err := parseLock(data)
	if err != nil {
		return nil, fmt.Errorf("%s is not a lock file of flow: %w", path, err)
	}
	return l, nil
}

// parseLock reads what [Lock.Bytes] writes, line by line: other YAML could fill the memory, even if it
// is small.
func parseLock(data []byte) (*Lock, error) {
	l, n := &Lock{}, 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if !strings.HasPrefix(line, "#") && line != "" && !l.read(line) {
			return nil, fmt.Errorf("line %d is not written by flow lock", n)
		}
	}
	if l.Version < 1 || l.Version > lockVersion {
		return nil, fmt.Errorf("it has version %d, but this flow reads version %d", l.Version, lockVersion)
	}
	for i, r := range l.Recipes {
		if i > 0 && r.Reference <= l.Recipes[i-1].Reference {
			return nil, fmt.Errorf("%q is listed twice, or out of order", r.Reference)
		}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("%q %w", r.Reference, err)
		}
		if l.Version < lockVersion {
			l.Recipes[i].Authority = nil
		}
	}
	return l, nil
}

// read reads one line.
func (l *Lock) read(line string) bool {
	key, value, _ := strings.Cut(line, ": ")
	switch {
	case line == "recipes:" || line == "recipes: []":
		return true
	case key == "version" && l.Version == 0:
		l.Version, _ = strconv.Atoi(value)
		return l.Version > 0
	case key == "- reference":
		l.Recipes = append(l.Recipes, Locked{Reference: value})
		return true
	case len(l.Recipes) == 0:
		return false
	}
	r := &l.Recipes[len(l.Recipes)-1]
	if may, is := strings.CutPrefix(line, "    "); is || strings.HasPrefix(line, "  authority:") {
		if is {
			r.Authority = append(r.Authority, may)
		}
		return r.Hash != ""
	}
	field := map[string]*string{"  commit": &r.Commit, "  digest": &r.Digest, "  hash": &r.Hash}[key]
	if field == nil || *field != "" {
		return false
	}
	*field = value
	return true
}

// check refuses a locked recipe that its reference can't mean: a reference with a commit or a
// digest means only that.
func (l Locked) check() error {
	ref, ok, err := Parse(l.Reference)
	switch _, hash := folderOf(l.Hash); {
	case err != nil || !ok:
		return errors.New("is not a reference")
	case hash != nil:
		return errors.New("has no hash")
	case ref.OCI && (l.Commit != "" || !digestForm.MatchString(l.Digest)):
		return errors.New("is in a registry, but has no digest")
	case !ref.OCI && (l.Digest != "" || !commitForm.MatchString(l.Commit)):
		return errors.New("is in a git repository, but has no commit")
	case ref.Pinned() && ref.Version != l.At():
		return fmt.Errorf("does not resolve to %s", l.At())
	}
	return nil
}

// Find returns the locked recipe of a reference.
func (l *Lock) Find(reference string) (Locked, bool) {
	i := slices.IndexFunc(l.Recipes, func(r Locked) bool { return r.Reference == reference })
	if i < 0 {
		return Locked{}, false
	}
	return l.Recipes[i], true
}

// Remove removes the recipe of a reference, if there is one.
func (l *Lock) Remove(reference string) {
	l.Recipes = slices.DeleteFunc(l.Recipes, func(other Locked) bool { return other.Reference == reference })
}

// Set adds a recipe, or replaces that of the same reference.
func (l *Lock) Set(r Locked) {
	l.Remove(r.Reference)
	l.Recipes = append(l.Recipes, r)
	slices.SortFunc(l.Recipes, func(a, b Locked) int { return strings.Compare(a.Reference, b.Reference) })
}

// Clone returns an independent copy.
func (l *Lock) Clone() *Lock { return &Lock{l.Version, slices.Clone(l.Recipes)} }

// Bytes returns the content of the file, which is YAML: the same for the same recipes, everywhere.
func (l *Lock) Bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%sversion: %d\nrecipes:", lockHeader, lockVersion)
	if len(l.Recipes) == 0 {
		b.WriteString(" []")
	}
	b.WriteByte('\n')
	for _, r := range l.Recipes {
		at := "commit"
		if r.Commit == "" {
			at = "digest"
		}
		fmt.Fprintf(&b, "- reference: %s\n  %s: %s\n  hash: %s\n  authority: |\n", r.Reference, at, r.At(), r.Hash)
		for _, line := range r.Authority {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	return b.Bytes()
}

// IsAt reports whether a file has exactly these bytes. A lock without recipes needs no file.
func (l *Lock) IsAt(path string) bool {
	there, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return len(l.Recipes) == 0
	}
	return err == nil && bytes.Equal(there, l.Bytes())
}

// Fits returns an error if the lock is too long for its file.
func (l *Lock) Fits(path string) error {
	if len(l.Bytes()) > maxLock {
		return fmt.Errorf("%s would exceed %d MB: its recipes may do more than a person can review", path, maxLock>>20)
	}
	return nil
}

// Write writes the lock, which has to fit, atomically. It does not touch a file with the same content.
func (l *Lock) Write(path string) error {
	data := l.Bytes()
	if l.IsAt(path) {
		return nil
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".flow.lock-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(data)
	if err = errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

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
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/a-seed-11b9befa/flow/internal/authority"
)

// LockFile is the name of the file beside a workflow that says what its references
// stand for.
const LockFile = "flow.lock"

// VendorFolder is the name of the folder beside a workflow that has the recipes
// themselves.
const VendorFolder = "flow_vendor"

// A Lock says what references stand for. The zero value has none. It is not safe for
// concurrent use.
type Lock struct {
	Version int      `yaml:"version"`
	Recipes []Locked `yaml:"recipes"` // sorted by reference
}

// A Locked recipe is one that a reference stands for, until that is updated.
type Locked struct {
	Reference string              `yaml:"reference"`
	Commit    string              `yaml:"commit,omitempty"` // of a git repository, or
	Digest    string              `yaml:"digest,omitempty"` // of a registry
	Hash      string              `yaml:"hash"`             // of all files
	Authority authority.Authority `yaml:"authority"`
}

// At is the commit or the digest.
func (l Locked) At() string { return l.Commit + l.Digest }

// lockVersion is that of the form of the file.
const lockVersion = 1

const lockHeader = "# What the references of the workflows here stand for, and what each recipe may do.\n# Written by flow lock; made to be reviewed.\n"

// ReadLock reads a lock; it is empty where there is no file.
func ReadLock(path string) (*Lock, error) {
	const most = 16 << 20
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, err
	}
	l := &Lock{}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.DisallowUnknownField()).Decode(l); err != nil || len(data) > most {
		return nil, fmt.Errorf("%s is no lock of flow's: %s", path, firstLine(err))
	}
	if l.Version != lockVersion {
		return nil, fmt.Errorf("%s has the version %d, and this flow reads %d", path, l.Version, lockVersion)
	}
	for _, r := range l.Recipes {
		if _, err := folderOf(r.Hash); err != nil || (r.Commit == "") == (r.Digest == "") || r.Commit != "" && !commitForm.MatchString(r.Commit) || r.Digest != "" && !digestForm.MatchString(r.Digest) {
			return nil, fmt.Errorf("%s: %q has no commit or digest, or no hash", path, r.Reference)
		}
	}
	return l, nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(fmt.Sprint(err), "\n")
	return line
}

// Find is what a reference stands for.
func (l *Lock) Find(reference string) (Locked, bool) {
	i := slices.IndexFunc(l.Recipes, func(r Locked) bool { return r.Reference == reference })
	if i < 0 {
		return Locked{}, false
	}
	return l.Recipes[i], true
}

// Set puts a recipe in the place of that of the same reference.
func (l *Lock) Set(r Locked) {
	l.Recipes = slices.DeleteFunc(l.Recipes, func(other Locked) bool { return other.Reference == r.Reference })
	l.Recipes = append(l.Recipes, r)
	slices.SortFunc(l.Recipes, func(a, b Locked) int { return strings.Compare(a.Reference, b.Reference) })
}

// Clone is a copy that can be changed alone.
func (l *Lock) Clone() *Lock { return &Lock{l.Version, slices.Clone(l.Recipes)} }

// Bytes are the lock as it is written: the same for the same recipes, everywhere.
func (l *Lock) Bytes() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(lockHeader)
	written := *l
	written.Version = lockVersion
	if err := yaml.NewEncoder(&b, yaml.Indent(2), yaml.IndentSequence(false), yaml.UseSingleQuote(false)).Encode(written); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Write writes the lock, whole or not at all; nothing where the file says it already.
func (l *Lock) Write(path string) error {
	data, err := l.Bytes()
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
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

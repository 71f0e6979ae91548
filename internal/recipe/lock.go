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

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"

	"github.com/a-seed-11b9befa/flow/internal/authority"
	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// lockFile is the name of the lock beside a workflow.
const lockFile = "flow.lock"

// A Lock resolves references. The zero value has none. It is not safe for concurrent use.
type Lock struct {
	Version int      `yaml:"version"`
	Recipes []Locked `yaml:"recipes"` // sorted by reference
}

// A Locked recipe is the recipe of a reference until the lock is updated.
type Locked struct {
	Reference string              `yaml:"reference"`
	Commit    string              `yaml:"commit,omitempty"` // of a git repository, or
	Digest    string              `yaml:"digest,omitempty"` // of a registry
	Hash      string              `yaml:"hash"`             // of all files
	Authority authority.Authority `yaml:"authority"`
}

// At is the commit or the digest.
func (l Locked) At() string { return l.Commit + l.Digest }

// lockVersion is the version of the file's format; mostLock is its maximum size in bytes. Version 1
// had other words for a model from the caller.
const (
	lockVersion = 2
	mostLock    = 4 << 20
)

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
	data, err := io.ReadAll(io.LimitReader(file, mostLock+1))
	if err != nil {
		return nil, err
	}
	if len(data) > mostLock {
		return nil, fmt.Errorf("%s is larger than %d MB", path, mostLock>>20)
	}
	l, err := parseLock(data)
	if err != nil {
		return nil, fmt.Errorf("%s is not a lock file of flow: %w", path, err)
	}
	return l, nil
}

// parseLock reads what [Lock.Bytes] writes.
func parseLock(data []byte) (*Lock, error) {
	if err := checkPlain(string(data)); err != nil {
		return nil, err
	}
	l := &Lock{}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.DisallowUnknownField()).Decode(l); err != nil {
		return nil, errors.New(firstLine(err))
	}
	if l.Version < 1 || l.Version > lockVersion {
		return nil, fmt.Errorf("it has version %d, but this flow reads version %d", l.Version, lockVersion)
	}
	for i, r := range l.Recipes {
		if l.Version == 1 {
			replaceWord(r.Authority.Models, "its caller's", authority.FromCaller)
		}
		if i > 0 && r.Reference <= l.Recipes[i-1].Reference {
			return nil, fmt.Errorf("%q is listed twice, or out of order", r.Reference)
		}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("%q %w", r.Reference, err)
		}
	}
	return l, nil
}

// CheckVersion refuses a lock that an older flow wrote, unless it is to be written again. file is the
// workflow beside it.
func (l *Lock) CheckVersion(file string) error {
	if l.Version != 1 {
		return nil
	}
	return Errorf("to write it again: flow lock "+file, "%s was written by an older version of flow", LockOf(file))
}

// replaceWord replaces a word in a list.
func replaceWord(words []string, old, now string) {
	if i := slices.Index(words, old); i >= 0 {
		words[i] = now
	}
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

// lockLine is a line of a lock before its value: the dash of an entry, or a key, or both. The
// version is the only number.
var lockLine = formOf(`^(version: [0-9]{1,9}$| {0,16}(- )?([a-z0-9_]+:( |$))?)`)

// checkPlain refuses lines in another form than [Lock.Bytes] writes, before they are read as YAML: a
// small file could fill the memory, and take hours.
func checkPlain(text string) error {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		start := lockLine.compiled().FindString(line)
		value := line[len(start):]
		if strings.Trim(start, " ") == "" || !isScalar(value) && value != "{}" && value != "[]" {
			return fmt.Errorf("line %d is not written by flow lock", n)
		}
	}
	return nil
}

// isScalar reports whether a value is written as scalar writes it.
func isScalar(value string) bool {
	if text, err := strconv.Unquote(value); err == nil && value[0] == '"' {
		return string(scalar(text)) == value
	}
	return value == "" || string(scalar(value)) == value
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(fmt.Sprint(err), "\n")
	return line
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

// Bytes returns the content of the file: the same for the same recipes, everywhere.
func (l *Lock) Bytes() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(lockHeader)
	written := *l
	written.Version = lockVersion
	text := yaml.CustomMarshaler(func(s string) ([]byte, error) { return scalar(s), nil })
	if err := yaml.NewEncoder(&b, yaml.Indent(2), yaml.IndentSequence(false), text).Encode(written); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// scalar is a text in YAML: plain, or in quotes if it could be read as something else, or has
// characters that a reviewer would not see.
func scalar(s string) []byte {
	hidden := func(r rune) bool { return !strconv.IsPrint(r) }
	begins := func(with string) bool { return strings.HasPrefix(s, with) }
	if token.IsNeedQuoted(s) || strings.ContainsFunc(s, hidden) || slices.ContainsFunc([]string{"---", "...", "<<", "? "}, begins) {
		return []byte(strconv.Quote(s))
	}
	return []byte(s)
}

// IsAt reports whether a file has exactly these bytes. A lock without recipes needs no file.
func (l *Lock) IsAt(path string) bool {
	data, err := l.Bytes()
	there, missing := os.ReadFile(path)
	if errors.Is(missing, fs.ErrNotExist) {
		return len(l.Recipes) == 0
	}
	return err == nil && missing == nil && bytes.Equal(there, data)
}

// Write writes the lock atomically. It does not touch a file with the same content.
func (l *Lock) Write(path string) error {
	data, err := l.Bytes()
	if err != nil {
		return err
	}
	if len(data) > mostLock {
		return fmt.Errorf("%s would exceed %d MB: its recipes may do more than a person can review", path, mostLock>>20)
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

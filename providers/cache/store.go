// Package cache stores answers of models, so that the same request is not paid for twice.
// The key of an answer is the whole request: the model and its endpoint, params, system
// prompt, messages, tools, and the form of the output. An answer is stored only when the
// step that got it has succeeded.
//
//	store, err := cache.Open(folder, cache.Options{})
//	work := store.WithMaxAge(30 * 24 * time.Hour).Begin() // one conversation, with all of its attempts
//	model := work.Keep(providers.Retry(asked), cache.DigestOf(endpoint))
//	answer, err := model.Stream(ctx, request, emit)
//	…
//	work.Discard() // an attempt has failed: the next one gets new answers
//	err = work.Commit() // the step has succeeded: its answers are stored
//
// Wrap a model outside of its retries and limits, and inside of a fallback, because each
// model has its own answers. Don't wrap scripts, whose answers depend on more than the
// request.
//
// The store contains only digests of requests, and no answer with a secret in it. Damaged,
// truncated and forged entries are misses.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/cache"
)

// Options for a store.
type Options struct {
	Only   bool                   // a miss is an error: no model is asked
	Secret func(text string) bool // reports whether a text contains a secret; nil: none does
	Now    func() time.Time       // the clock; time.Now when nil
}

// A Store is a folder of answers. It is safe for concurrent use, also by several processes
// of one machine.
type Store struct {
	dir     string
	files   *cache.Cache
	options Options
	maxAge  time.Duration
}

// WithMaxAge returns the same store, for which an older answer is a miss. With 0, as in the store that
// [Open] returns, answers never expire.
func (s *Store) WithMaxAge(age time.Duration) *Store {
	aged := *s
	aged.maxAge = age
	return &aged
}

// Open returns the store in a folder, which it creates if necessary, and which only the
// user can access from then on. On a read-only file system answers are found, and each that
// is to be stored is an error.
func Open(dir string, options Options) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil && !errors.Is(err, syscall.EROFS) {
		return nil, err
	}
	files, err := cache.Open(dir)
	if err != nil {
		return nil, err
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Secret == nil {
		options.Secret = func(string) bool { return false }
	}
	return &Store{dir: dir, files: files, options: options}, nil
}

// maxEntry bounds an entry, in bytes. No answer comes near it.
const maxEntry = 64 << 20

// find returns the entry of a key. An invalid one is a miss.
func (s *Store) find(id key) (entry, bool) {
	if !isFile(s.file(id, "a")) {
		return entry{}, false
	}
	found, err := s.files.Get(cache.ActionID(id))
	if err != nil || found.Size > maxEntry {
		return entry{}, false
	}
	data, err := readFile(s.file(key(found.OutputID), "d"), found.Size)
	s.files.OutputFile(found.OutputID) // marks it as used
	if err != nil || sha256.Sum256(data) != found.OutputID {
		return entry{}, false
	}
	e, err := decode(data)
	if err != nil || e.Key != id.String() || s.isTooOld(e.Time) {
		return entry{}, false
	}
	return e, true
}

// isTooOld reports whether an answer has expired. One from the future has no known age.
func (s *Store) isTooOld(made time.Time) bool {
	age := s.options.Now().Sub(made)
	return age < -time.Hour || s.maxAge > 0 && age > s.maxAge
}

// add stores an entry, and replaces one with the same key.
func (s *Store) add(id key, e entry) error {
	e.Key, e.Time = id.String(), s.options.Now().UTC()
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if len(data) > maxEntry {
		return fmt.Errorf("an answer of more than %d MiB", maxEntry>>20)
	}
	for _, file := range []string{s.file(id, "a"), s.file(sha256.Sum256(data), "d")} {
		if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no file", file)
		}
	}
	_, _, err = s.files.PutNoVerify(cache.ActionID(id), bytes.NewReader(data))
	return err
}

// drop removes an entry.
func (s *Store) drop(id key) { os.Remove(s.file(id, "a")) }

// file returns the path at which the cache has an entry's index (a) or data (d).
func (s *Store) file(id key, suffix string) string {
	name := id.String()
	return filepath.Join(s.dir, name[:2], name+"-"+suffix)
}

// isFile reports whether a path is a regular file: opening anything else could block for
// ever, or lead elsewhere.
func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

var errNoEntry = errors.New("no such entry")

// readFile reads a regular file that has exactly size bytes.
func readFile(path string, size int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != size {
		return nil, errNoEntry
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, size))
}

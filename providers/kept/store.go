// Package kept keeps what models answer, so that the same request is not paid for
// twice. An answer is found by the whole request: the model and where it is asked,
// params, system prompt, messages, tools, and the form of the output. It is kept
// when the step that got it has succeeded, and not before.
//
//	store, err := kept.Open(folder, kept.Options{MaxAge: 30 * 24 * time.Hour})
//	work := store.Begin() // one conversation, with all of its attempts
//	model := work.Keep(providers.Retry(asked), kept.At(endpoint))
//	answer, err := model.Stream(ctx, request, emit)
//	…
//	work.Discard() // an attempt has failed: the next one asks anew
//	err = work.Commit() // the step has succeeded: what it got is kept
//
// A model is wrapped outside of its retries and limits, and inside of a fallback:
// each of several models has its own answers. Scripts are not wrapped: what they
// answer depends on more than the request.
//
// Nothing of a request is in the store but its digest, and no answer with a secret
// in it. What is damaged, cut off or made up by somebody is a miss.
package kept

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

// Options say what a store gives and takes. The zero Options give answers of any
// age.
type Options struct {
	MaxAge time.Duration          // an older answer is a miss; 0: none is too old
	Only   bool                   // a miss is an error: nothing is asked
	Secret func(text string) bool // reports whether a text holds a secret; nil: none does
	Now    func() time.Time       // the clock; time.Now when nil
}

// A Store is a folder of answers. It is safe for concurrent use, by several
// processes of one machine too.
type Store struct {
	dir     string
	files   *cache.Cache
	options Options
}

// Open returns the store in a folder, which is made where there is none, and is the
// user's alone from then on. One on a read-only file system gives answers, and an
// error for each that is to be kept.
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

// find returns the entry of a key. Whatever is wrong with it, it is a miss.
func (s *Store) find(id key) (entry, bool) {
	if !isFile(s.file(id, "a")) {
		return entry{}, false
	}
	found, err := s.files.Get(cache.ActionID(id))
	if err != nil || found.Size > maxEntry {
		return entry{}, false
	}
	data, err := readFile(s.file(key(found.OutputID), "d"), found.Size)
	s.files.OutputFile(found.OutputID) // which marks it as used
	if err != nil || sha256.Sum256(data) != found.OutputID {
		return entry{}, false
	}
	e, err := decode(data)
	if err != nil || e.Key != id.String() || s.isTooOld(e.Time) {
		return entry{}, false
	}
	return e, true
}

// isTooOld reports whether an answer may not be given any more. One of the future
// has no age that could be told.
func (s *Store) isTooOld(made time.Time) bool {
	age := s.options.Now().Sub(made)
	return age < -time.Hour || s.options.MaxAge > 0 && age > s.options.MaxAge
}

// add keeps an entry, in place of one that had its key.
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

// drop has an entry not be found any more.
func (s *Store) drop(id key) { os.Remove(s.file(id, "a")) }

// file is where the cache has an entry's index (a) and data (d).
func (s *Store) file(id key, suffix string) string {
	name := id.String()
	return filepath.Join(s.dir, name[:2], name+"-"+suffix)
}

// isFile reports whether there is a regular file: opening anything else that
// somebody has put there could wait for ever, or lead elsewhere.
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

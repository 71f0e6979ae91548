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
// The store contains only digests of requests, and no answer with a secret in it. A damaged
// entry is a miss.
package cache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
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
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Secret == nil {
		options.Secret = func(string) bool { return false }
	}
	return &Store{dir: dir, options: options}, nil
}

// An entry is an answer in the store. Its file is the checksum of its gob, and the gob, which unlike
// JSON keeps every byte of Raw and of arguments.
type entry struct {
	Key    string
	Time   time.Time
	Answer providers.Message // without its usage
	Usage  []byte            // as JSON: a gob does not distinguish a cost of 0 from none
}

// maxEntry bounds an entry, in bytes. No answer comes near it.
const maxEntry = 64 << 20

// find returns the answer with a key. Its usage is in Saved.
func (s *Store) find(id key) (providers.Message, bool) {
	path := s.path(id)
	info, err := os.Lstat(path) // anything but a file could block for ever, or lead elsewhere
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxEntry {
		return providers.Message{}, false
	}
	data, err := os.ReadFile(path)
	if err != nil || len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data) {
		return providers.Message{}, false
	}
	var e entry
	saved := new(providers.Usage)
	err = gob.NewDecoder(bytes.NewReader(data[sha256.Size:])).Decode(&e)
	if err != nil || e.Key != id.String() || s.isTooOld(e.Time) || json.Unmarshal(e.Usage, saved) != nil {
		return providers.Message{}, false
	}
	_ = os.Chtimes(path, time.Now(), time.Now()) // for Trim
	e.Answer.Saved = saved
	return e.Answer, true
}

// isTooOld reports whether an answer has expired. One from the future has no known age.
func (s *Store) isTooOld(made time.Time) bool {
	age := s.options.Now().Sub(made)
	return age < -time.Hour || s.maxAge > 0 && age > s.maxAge
}

// add stores an answer, and replaces one with the same key.
func (s *Store) add(id key, answer providers.Message) error {
	usage, err := json.Marshal(answer.Usage)
	if err != nil {
		return err
	}
	answer.Usage = providers.Usage{}
	var data bytes.Buffer
	err = gob.NewEncoder(&data).Encode(entry{Key: id.String(), Time: s.options.Now().UTC(), Answer: answer, Usage: usage})
	if err != nil {
		return err
	}
	if data.Len() > maxEntry-sha256.Size {
		return fmt.Errorf("an answer of more than %d MiB", maxEntry>>20)
	}
	sum := sha256.Sum256(data.Bytes())
	return s.write(s.path(id), slices.Concat(sum[:], data.Bytes()))
}

// write writes a file atomically.
func (s *Store) write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "*-a") // a name that Trim knows
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = cmp.Or(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// drop removes an entry.
func (s *Store) drop(id key) { os.Remove(s.path(id)) }

// path returns the path of an entry's file.
func (s *Store) path(id key) string {
	name := id.String()
	return filepath.Join(s.dir, name[:2], name+"-a")
}

// A Size is the size of a store.
type Size struct {
	Answers int
	Bytes   int64
}

// Size returns the size of the store.
func (s *Store) Size() (size Size, err error) {
	files, err := s.list()
	for _, f := range files {
		size.Bytes += f.size
		if strings.HasSuffix(f.path, "-a") {
			size.Answers++
		}
	}
	return size, err
}

// Trim removes entries that were unused for a time, and then the least recently used ones,
// until the store has at most most bytes; Trim(0, 0) empties it. The store may be in use
// meanwhile.
func (s *Store) Trim(unused time.Duration, most int64) error {
	files, err := s.list()
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b stored) int { return a.used.Compare(b.used) })
	total := int64(0)
	for _, f := range files {
		total += f.size
	}
	var failed error
	oldest := s.options.Now().Add(-unused)
	for _, f := range files {
		if total <= most && f.used.After(oldest) {
			break
		}
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = cmp.Or(failed, err)
			continue
		}
		total -= f.size
	}
	return failed
}

// A stored is one file of the store.
type stored struct {
	path string
	size int64
	used time.Time
}

// list returns the files of entries, and no other files in the folder. Earlier versions had two for
// an entry; the other one ends in -d.
func (s *Store) list() (files []stored, err error) {
	names, err := fs.Glob(os.DirFS(s.dir), "??/*-[ad]")
	for _, name := range names {
		path := filepath.Join(s.dir, name)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, stored{path, info.Size(), info.ModTime()})
		}
	}
	return files, err
}

package runner

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/google/renameio/v2"
)

// Files of a run may hold what its user would not show to others.
const (
	privateFile   = 0o600
	privateFolder = 0o700
)

// A folder is where a run writes what it does:
//
//	run.json                     the result
//	events.jsonl                 everything that happened
//	steps/<place>/result.json    one step's result, or one element's
//	steps/<place>/transcript.jsonl
//	outputs/<n>-<tool>.txt       whole outputs of what was truncated
//
// It is safe for concurrent use, as long as each place has one writer.
type folder struct {
	dir     string
	mask    *tools.Mask
	outputs atomic.Int64
}

// newFolder makes the folder of a run. One that holds a run already is refused.
func newFolder(dir string, mask *tools.Mask) (*folder, error) {
	if _, err := os.Lstat(filepath.Join(dir, "events.jsonl")); err == nil {
		return nil, fmt.Errorf("run folder %s: holds a run already", dir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("run folder %s: %w", dir, err)
	}
	for _, name := range []string{"steps", "outputs"} {
		if err := os.MkdirAll(filepath.Join(dir, name), privateFolder); err != nil {
			return nil, fmt.Errorf("run folder %s: %w", dir, err)
		}
	}
	return &folder{dir: dir, mask: mask}, nil
}

// outputsDir is where whole outputs are kept.
func (f *folder) outputsDir() string { return filepath.Join(f.dir, "outputs") }

// events opens the file that the run's events are appended to.
func (f *folder) events() (*os.File, error) {
	return os.OpenFile(filepath.Join(f.dir, "events.jsonl"), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, privateFile)
}

// spill opens the next file in outputs/, for the whole output of a tool.
func (f *folder) spill(tool string) (io.WriteCloser, string, error) {
	path := filepath.Join(f.outputsDir(), fmt.Sprintf("%d-%s.txt", f.outputs.Add(1), tool))
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, privateFile)
	return file, path, err
}

// writeResult replaces the result at a place: "" is the run's own, run.json.
func (f *folder) writeResult(place string, result any) error {
	path := filepath.Join(f.dir, "run.json")
	if place != "" {
		path = filepath.Join(f.place(place), "result.json")
	}
	data, err := encode(result, "  ")
	if err != nil {
		return fmt.Errorf("result of %q: %w", place, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), privateFolder); err != nil {
		return err
	}
	data = []byte(f.mask.String(string(data)) + "\n")
	if place == "" {
		return renameio.WriteFile(path, data, privateFile)
	}
	return replace(path, data)
}

// replace writes a file whole. It does not wait for the disk, as is done for
// the run's own result: a run may have thousands of steps.
func replace(path string, data []byte) error {
	temporary := path + ".new"
	if err := os.WriteFile(temporary, data, privateFile); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// transcript opens the file that a conversation's messages are appended to.
func (f *folder) transcript(place string) (*os.File, error) {
	dir := f.place(place)
	if err := os.MkdirAll(dir, privateFolder); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(dir, "transcript.jsonl"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, privateFile)
}

// putAside moves what an attempt or a round has left at a place into a folder
// of its own there, so that the next one begins with none of it and nothing is
// lost. Names of steps hold no @.
func (f *folder) putAside(place, what string, n int) error {
	dir := f.place(place)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	aside := filepath.Join(dir, fmt.Sprintf("@%s-%d", what, n))
	if err := os.Mkdir(aside, privateFolder); err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name()[0] == '@' {
			continue
		}
		if err := os.Rename(filepath.Join(dir, entry.Name()), filepath.Join(aside, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) place(place string) string {
	return filepath.Join(f.dir, "steps", filepath.FromSlash(place))
}

package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/tools"
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
//	outputs/<unit>.<n>-<tool>.txt  whole outputs of what was truncated
//
// It is held open: what is put in its place while the run goes on is never
// written to. It is safe for concurrent use, as long as each place has one
// writer.
type folder struct {
	dir  string
	root *os.Root
	held heldFolders
	mask *tools.Mask
}

// newFolder makes the folder of a run. One that holds a run already is refused.
func newFolder(dir string, mask *tools.Mask) (*folder, error) {
	wrong := func(err error) error { return fmt.Errorf("run folder %s: %w", dir, err) }
	if err := os.MkdirAll(dir, privateFolder); err != nil {
		return nil, wrong(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, wrong(err)
	}
	f := &folder{dir: dir, root: root, held: heldFolders{top: root}, mask: mask}
	if _, err := root.Lstat("events.jsonl"); !errors.Is(err, fs.ErrNotExist) {
		root.Close()
		return nil, wrong(errors.New("it holds a run already"))
	}
	for _, name := range []string{"steps", "outputs"} {
		if err := root.MkdirAll(name, privateFolder); err != nil {
			root.Close()
			return nil, wrong(err)
		}
	}
	return f, nil
}

func (f *folder) close() error {
	f.held.letGoOfAll("steps")
	return f.root.Close()
}

// check reports whether the folder is still where it was.
func (f *folder) check() error {
	held, err := f.root.Stat(".")
	if err != nil {
		return err
	}
	found, err := os.Stat(f.dir)
	if err != nil || !os.SameFile(held, found) {
		return fmt.Errorf("run folder %s: it was removed or replaced while the run went on", f.dir)
	}
	return nil
}

// outputsDir is where the folder of a run keeps whole outputs.
func outputsDir(run string) string { return filepath.Join(run, "outputs") }

// events opens the file that the run's events are appended to.
func (f *folder) events() (*os.File, error) {
	return f.root.OpenFile("events.jsonl", os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, privateFile)
}

// transcript opens the file that a conversation's messages are appended to.
func (f *folder) transcript(place string) (*os.File, error) {
	at, err := f.held.at(placeFolder(place))
	if err != nil {
		return nil, err
	}
	return at.OpenFile("transcript.jsonl", os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, privateFile)
}

// writeResult replaces the result of a step, which is the last that is written
// at its place.
func (f *folder) writeResult(place string, r *StepResult) error {
	return f.writeAt(place, func(w io.Writer) error { return writeDocument(w, f.mask, r.write) })
}

// writeElement replaces the result of one element, which is encoded and masked.
func (f *folder) writeElement(place string, data []byte) error {
	return f.writeAt(place, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

func (f *folder) writeAt(place string, write func(io.Writer) error) error {
	defer f.held.letGo(placeFolder(place))
	at, err := f.held.at(placeFolder(place))
	if err != nil {
		return err
	}
	return replace(at, resultName, false, write)
}

// readElement reads the result of one element back, also when the folder is
// closed.
func (f *folder) readElement(place string) ([]byte, error) {
	data, err := f.root.ReadFile(resultFile(place))
	if errors.Is(err, fs.ErrClosed) {
		data, err = os.ReadFile(filepath.Join(f.dir, resultFile(place)))
	}
	return bytes.TrimSuffix(data, []byte("\n")), err
}

const resultName = "result.json"

func placeFolder(place string) string { return path.Join("steps", place) }

func resultFile(place string) string { return path.Join(placeFolder(place), resultName) }

// writeRun replaces the result of the run, and waits until it is on the disk.
func (f *folder) writeRun(r *Result) error {
	return replace(f.root, "run.json", true, func(w io.Writer) error { return writeDocument(w, f.mask, r.write) })
}

// replace writes a file whole, or not at all.
func replace(at *os.Root, name string, sync bool, write func(io.Writer) error) error {
	temporary := name + ".new"
	file, err := at.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, privateFile)
	if err != nil {
		return err
	}
	err = write(file)
	if err == nil && sync {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = at.Rename(temporary, name)
	}
	if err != nil {
		err = errors.Join(err, ignoreMissing(at.Remove(temporary)))
	}
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// putAside moves what an attempt or a round has left at a place into a folder
// of its own there, so that the next one begins with none of it and nothing is
// lost. Names of steps hold no @.
func (f *folder) putAside(place, what string, n int) error {
	dir := placeFolder(place)
	f.held.letGoOfAll(dir)
	entries, err := fs.ReadDir(f.root.FS(), dir)
	if err != nil {
		return ignoreMissing(err)
	}
	aside := path.Join(dir, fmt.Sprintf("@%s-%d", what, n))
	if err := f.root.Mkdir(aside, privateFolder); errors.Is(err, fs.ErrExist) {
		return nil // by an earlier process
	} else if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name()[0] == '@' {
			continue
		}
		if err := f.root.Rename(path.Join(dir, entry.Name()), path.Join(aside, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

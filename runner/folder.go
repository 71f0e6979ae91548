package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/tools"
)

// Only the user can read a run: it may hold what the user would not show to others.
const (
	privateFile   = 0o600
	privateFolder = 0o700
)

// A folder is the folder of a run, with these files:
//
//	run.json                     the result
//	journal.jsonl                the records of the run
//	outputs/<unit>.<n>-<tool>.txt  whole outputs of what was truncated
//
// It is held open, so that another folder that takes its place during the run is never
// written to. It is safe for concurrent use, as long as each file has one writer.
type folder struct {
	dir  string
	root *os.Root // nil: only output is called
	mask *tools.Mask
}

// openFolder opens the folder of a run, with room for whole outputs.
func openFolder(dir string, mask *tools.Mask) (*folder, error) {
	f, err := readFolder(dir, mask)
	if err != nil {
		return nil, err
	}
	if err := f.root.MkdirAll("outputs", privateFolder); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// readFolder opens the folder of a run in which nothing is to be written.
func readFolder(dir string, mask *tools.Mask) (*folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &folder{dir: dir, root: root, mask: mask}, nil
}

func (f *folder) close() error {
	return f.root.Close()
}

// check returns an error if the folder is no longer where it was.
func (f *folder) check() error {
	opened, err := f.root.Stat(".")
	if err != nil {
		return err
	}
	found, err := os.Stat(f.dir)
	if err != nil || !os.SameFile(opened, found) {
		return fmt.Errorf("run folder %s: it was removed or replaced during the run", f.dir)
	}
	return nil
}

// outputsDir returns the folder of whole outputs in the folder of a run.
func outputsDir(run string) string { return filepath.Join(run, "outputs") }

// writeRun writes run.json whole, or not at all.
func (f *folder) writeRun(r *Result, sync func(*os.File) error) error {
	const name, temporary = "run.json", "run.json.new"
	file, err := f.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, privateFile)
	if err != nil {
		return err
	}
	if err = r.WriteJSON(file, f.mask); err == nil {
		err = sync(file)
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = f.root.Rename(temporary, name)
	}
	if err != nil {
		err = errors.Join(err, ignoreMissing(f.root.Remove(temporary)))
	}
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

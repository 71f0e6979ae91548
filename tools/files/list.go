package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools"
)

// maxEntries is how many entries of one folder are read.
const maxEntries = 100_000

type listArguments struct {
	Path string `json:"path"`
}

func (w *Workspace) list(ctx context.Context, a listArguments, out *tools.Output) (tools.Result, error) {
	real, folder, err := w.openFolder(a.Path)
	if err != nil {
		return tools.Fail(err)
	}
	defer folder.Close()
	entries, all, err := readFolder(ctx, folder, maxEntries)
	if err != nil {
		return tools.Fail(paths.Cause(err))
	}
	shown := 0
	for _, e := range entries {
		if !w.readable(filepath.Join(real, e.Name())) {
			continue
		}
		shown++
		if _, err := fmt.Fprintln(out, entryName(folder, e)); err != nil {
			return tools.Result{}, err
		}
	}
	switch {
	case !all:
		return tools.Result{Note: fmt.Sprintf("There are more than %d entries; the rest is not listed.", maxEntries)}, nil
	case shown == 0:
		return tools.Result{Note: "The folder is empty."}, nil
	}
	return tools.Result{}, nil
}

func entryName(folder *os.Root, e fs.DirEntry) string {
	name := oneLine(e.Name())
	switch {
	case e.IsDir():
		return name + "/"
	case e.Type()&fs.ModeSymlink != 0:
		if target, err := folder.Readlink(e.Name()); err == nil {
			return name + " -> " + oneLine(target)
		}
	}
	return name
}

// oneLine escapes the newlines in a name.
func oneLine(name string) string {
	return strings.NewReplacer("\n", "\\n", "\r", "\\r").Replace(name)
}

// openFolder opens the folder that a call names; "" is the root. Errors are for the model.
func (w *Workspace) openFolder(path string) (real string, folder *os.Root, err error) {
	path = cmp.Or(path, ".")
	if real, err = w.locate(path, reading); err != nil {
		return "", nil, err
	}
	if folder, err = w.folder(real, false); err != nil {
		return "", nil, w.explain(path, real, err)
	}
	return real, folder, nil
}

// readFolder returns entries of a folder, about so many at most, sorted by name, and whether these are all.
func readFolder(ctx context.Context, folder *os.Root, most int) (entries []fs.DirEntry, all bool, err error) {
	d, err := folder.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer d.Close()
	for !all && len(entries) < most {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		some, err := d.ReadDir(1000)
		entries = append(entries, some...)
		if errors.Is(err, io.EOF) {
			all = true
		} else if err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, all, nil
}

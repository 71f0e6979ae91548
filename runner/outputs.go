package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// Files in outputs/ are named after their unit, so that they have the same names in every
// run: pages[3].2-bash.txt is the whole output of the second call in element 3 of pages. The
// model sees the name outputs/2-bash.txt, which depends on its conversation alone. So kept
// answers still fit in another run, or for an element with another index.

// outputsTold is the folder in the names that a model sees.
const outputsTold = "outputs"

// wholeOutputs creates the files of one attempt of a step. It is safe for concurrent use.
type wholeOutputs struct {
	folder    *folder
	workspace string // where tools show paths from
	prefix    string // of the names of the files
	dry       bool   // nothing is written
}

// wholeOutputs returns the outputs of an attempt.
func (t *site) wholeOutputs() *wholeOutputs {
	return &wholeOutputs{folder: t.exec.folder, workspace: t.at.workspace, prefix: outputPrefix(t.unit), dry: t.exec.dry != nil}
}

// create creates the file for the whole output of a call, and replaces one that an earlier
// process has begun. The path is the one that the model sees.
func (o *wholeOutputs) create(call int, tool string) (io.WriteCloser, string, error) {
	name := fmt.Sprintf("%d-%s.txt", call, tool)
	if o.dry {
		return unwritten{io.Discard}, path.Join(outputsTold, name), nil
	}
	file, err := o.folder.createOutput(o.prefix + name)
	return file, path.Join(outputsTold, name), err
}

// unwritten is a file in a dry run.
type unwritten struct{ io.Writer }

// Close does nothing.
func (unwritten) Close() error { return nil }

// next is create for a check. Checks are numbered apart from calls.
func (o *wholeOutputs) next(stream string) (io.WriteCloser, string, error) {
	for n := 1; ; n++ {
		if name := fmt.Sprintf("%d-check-%s", n, stream); !o.folder.hasOutput(o.prefix + name + ".txt") {
			return o.create(n, "check-"+stream)
		}
	}
}

// direct creates a file for output that no model gets. The path is that in the run's folder.
func (o *wholeOutputs) direct(call int, what string) (io.WriteCloser, string, error) {
	name := fmt.Sprintf("%s%d-%s.txt", o.prefix, call, what)
	file, err := o.folder.createOutput(name)
	return file, path.Join(outputsTold, name), err
}

// OutputFile returns the path, in the folder of a run, of the file of a unit that its conversation calls told.
func OutputFile(u journal.Address, told string) string {
	return filepath.Join("outputs", outputPrefix(u)+path.Base(told))
}

// outputPrefix returns the beginning of the names of a unit's files.
func outputPrefix(u journal.Address) string {
	const most = 120 // the name of a file has at most 255 bytes
	if u.Attempt() == 1 {
		u = u.WithAttempt(0)
	}
	name := strings.ReplaceAll(u.String(), "/", "+")
	if len(name) > most {
		sum := sha256.Sum256([]byte(name))
		name = name[:most/2] + "-" + hex.EncodeToString(sum[:8])
	}
	return name + "."
}

// locate replaces the name of an output, in the arguments of a call that reads, by its path.
// The name is that of this conversation, or a whole name that another step has mentioned.
func (o *wholeOutputs) locate(tool string, arguments map[string]any) bool {
	field := map[string]string{"read": "filePath", "grep": "path"}[tool]
	given, isText := arguments[field].(string)
	name, below := strings.CutPrefix(path.Clean(given), outputsTold+"/")
	if !isText || !below || strings.Contains(name, "/") {
		return false
	}
	for _, found := range []string{o.prefix + name, name} {
		if o.folder.hasOutput(found) {
			arguments[field] = filepath.Join(outputsDir(o.folder.dir), found)
			return true
		}
	}
	return false
}

// told replaces the paths of outputs, absolute or from the workspace, by the names that the model sees.
func (o *wholeOutputs) told(content string) string {
	dirs := []string{outputsDir(o.folder.dir)}
	if below, err := filepath.Rel(o.workspace, dirs[0]); err == nil && filepath.IsLocal(below) {
		dirs = append(dirs, below)
	}
	for _, dir := range dirs {
		dir += string(filepath.Separator)
		content = strings.ReplaceAll(strings.ReplaceAll(content, dir+o.prefix, outputsTold+"/"), dir, outputsTold+"/")
	}
	return content
}

// hasOutput reports whether outputs/ has a file with that name.
func (f *folder) hasOutput(name string) bool {
	info, err := f.root.Lstat(path.Join("outputs", name))
	return err == nil && info.Mode().IsRegular()
}

// createOutput creates a file in outputs/, and replaces one with that name.
func (f *folder) createOutput(name string) (*os.File, error) {
	name = path.Join("outputs", name)
	if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, privateFile)
}

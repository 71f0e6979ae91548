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

	"github.com/a-seed-11b9befa/flow/runner/unit"
)

// The files of outputs/ are called by the unit that they are of, and so are the same
// in every run: pages[3].2-bash.txt is the whole output of the second call in
// element 3 of pages. A model is told outputs/2-bash.txt: what it is told hangs on
// its conversation alone, and answers that are kept fit also when the run's folder,
// or the number of the element, is another.

// outputsTold is the folder of the names that a model is told.
const outputsTold = "outputs"

// wholeOutputs makes the files of one attempt of a step. It is safe for concurrent
// use.
type wholeOutputs struct {
	folder *folder
	prefix string // of the names of its files
}

// wholeOutputs returns the outputs of an attempt.
func (t *site) wholeOutputs() *wholeOutputs {
	of := t.unit
	if of.Attempt() == 1 {
		of = of.WithAttempt(0)
	}
	return &wholeOutputs{folder: t.run.folder, prefix: outputPrefix(of)}
}

// create opens the file for the whole output of a call, anew where an earlier process
// has begun it. The path is the one that the model is told.
func (o *wholeOutputs) create(call int, tool string) (io.WriteCloser, string, error) {
	name := fmt.Sprintf("%d-%s.txt", call, tool)
	file, err := o.folder.createOutput(o.prefix + name)
	return file, path.Join(outputsTold, name), err
}

// next is create for a check, which is no call: its files are numbered by themselves.
func (o *wholeOutputs) next(stream string) (io.WriteCloser, string, error) {
	for n := 1; ; n++ {
		if name := fmt.Sprintf("%d-check-%s", n, stream); !o.folder.hasOutput(o.prefix + name + ".txt") {
			return o.create(n, "check-"+stream)
		}
	}
}

// direct opens a file for what goes to no model as it is. The path is that in the
// run's folder.
func (o *wholeOutputs) direct(call int, what string) (io.WriteCloser, string, error) {
	name := fmt.Sprintf("%s%d-%s.txt", o.prefix, call, what)
	file, err := o.folder.createOutput(name)
	return file, path.Join(outputsTold, name), err
}

// outputPrefix is how the names of a unit's files begin.
func outputPrefix(u unit.Unit) string {
	const most = 120 // a name of a file has 255 bytes at most
	name := strings.ReplaceAll(u.String(), "/", "+")
	if len(name) > most {
		sum := sha256.Sum256([]byte(name))
		name = name[:most/2] + "-" + hex.EncodeToString(sum[:8])
	}
	return name + "."
}

// locate puts the place of a file where a call that reads names it as it was told: in
// this conversation, or by the whole name in what another step has said.
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

// told puts what a model was told in the place of the paths of files.
func (o *wholeOutputs) told(content string) string {
	dir := outputsDir(o.folder.dir) + string(filepath.Separator)
	return strings.ReplaceAll(strings.ReplaceAll(content, dir+o.prefix, outputsTold+"/"), dir, outputsTold+"/")
}

// hasOutput reports whether there is a file of a name in outputs/.
func (f *folder) hasOutput(name string) bool {
	info, err := f.root.Lstat(path.Join("outputs", name))
	return err == nil && info.Mode().IsRegular()
}

// createOutput creates a file in outputs/, in place of one of that name.
func (f *folder) createOutput(name string) (*os.File, error) {
	name = path.Join("outputs", name)
	if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, privateFile)
}

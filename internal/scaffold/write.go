package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/recipe"
	"github.com/a-seed-11b9befa/flow/steps"
)

// Options say what is written.
type Options struct {
	Kind   string // the name of one of [Kinds]
	Schema []byte // the JSON Schema of workflows
	GitHub bool   // also write a job for GitHub Actions
}

// Made lists the paths of the new files: those in the folder, and the job of GitHub.
type Made struct {
	Kind    Kind
	Module  string // a file that says that the folder has a module of its own: no samples are written; "": they are
	Written []string
	Kept    []string // was there, and is left as it is
}

// Write writes the files of a kind to a folder, which it creates if necessary. A folder with a module
// that the workflow can work on gets no samples. It overwrites nothing: if a file of the workflow
// exists, it writes nothing at all, and the error names the file.
func Write(dir string, o Options) (*Made, error) {
	k, err := find(o.Kind)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	module := k.moduleIn(dir)
	if module != "" {
		k.Args = k.own
	}
	all := []*destination{{dir: dir, files: k.files(o.Schema, module == "")}}
	if o.GitHub {
		top, folder, err := repository(dir)
		if err != nil {
			return nil, err
		}
		job := file{path: path.Join(".github", "workflows", k.Base+".yaml"), text: k.github(folder, module == "")}
		all = append(all, &destination{dir: top, files: []file{job}})
	}
	made := &Made{Kind: k, Module: module}
	return made, made.write(o.Kind, all)
}

// moduleIn is the name of the file that says that a folder has a module that the kind works on; "" if
// it has none.
func (k Kind) moduleIn(dir string) string {
	for _, name := range k.works {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return name
		}
	}
	return ""
}

// Copy writes the files of the recipe of a reference to a folder, as Write does. They are the user's
// own from then on, and need no grant.
func Copy(dir, reference string, t *recipe.Tree) (*Made, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	d := &destination{dir: dir}
	for _, name := range t.Names() {
		text, _ := t.Data(name)
		d.files = append(d.files, file{path: name, text: text, runs: t.Executable(name)})
	}
	made := &Made{}
	return made, made.write(reference, []*destination{d})
}

// A destination is a folder to write to. Nothing is written outside it.
type destination struct {
	dir   string
	root  *os.Root
	files []file
}

// write writes all files of a kind or a reference, or none if one of them exists.
func (m *Made) write(kind string, all []*destination) (err error) {
	var there []string
	for _, d := range all {
		if d.root, err = os.OpenRoot(d.dir); err != nil {
			return err
		}
		defer d.root.Close()
		for _, f := range d.files {
			if _, err := d.root.Lstat(f.path); err == nil && !f.kept && !d.has(f) {
				there = append(there, d.name(f))
			}
		}
	}
	if len(there) > 0 {
		return steps.Invalid("choose another folder: flow init "+kind+" FOLDER", "%s: it exists, and is not overwritten", strings.Join(there, ", "))
	}
	for _, d := range all {
		for _, f := range d.files {
			if err := m.add(d, f); err != nil {
				return fmt.Errorf("%s: %w", d.name(f), err)
			}
		}
	}
	return nil
}

// name is the path of a file as it is shown: relative to the folder that flow was started in.
func (d *destination) name(f file) string { return filepath.Join(d.dir, filepath.FromSlash(f.path)) }

// has reports whether the file exists with the same content, such as data that two kinds share.
func (d *destination) has(f file) bool {
	there, err := d.root.ReadFile(f.path)
	return err == nil && bytes.Equal(there, f.text)
}

// add writes a new file.
func (m *Made) add(d *destination, f file) error {
	if err := d.root.MkdirAll(path.Dir(f.path), 0o777); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	if f.runs {
		mode = 0o777
	}
	created, err := d.root.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) && (f.kept || d.has(f)) {
		m.Kept = append(m.Kept, d.name(f))
		return nil
	}
	if err != nil {
		return err
	}
	_, err = created.Write(f.text)
	m.Written = append(m.Written, d.name(f))
	return errors.Join(err, created.Close())
}

// repository returns the top folder of the git repository around a folder, and the path from there
// to the folder, with slashes. Outside any repository, the top is the folder itself.
func repository(dir string) (top, folder string, err error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	if top = paths.Repository(whole); top == "" {
		return dir, "", nil
	}
	folder, err = filepath.Rel(top, whole)
	if err != nil || folder == "." {
		return dir, "", err
	}
	up := strings.Repeat("../", 1+strings.Count(folder, string(filepath.Separator)))
	return filepath.Join(dir, up), filepath.ToSlash(folder), nil
}

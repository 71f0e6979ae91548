// Package scaffold creates the folder of a new workflow: one of the examples, with everything that
// it needs to run at once, without a key.
//
//	made, err := scaffold.Write("recipes", scaffold.Options{Kind: "docs-gen"})
//
// [Copy] begins with a recipe instead.
//
// The examples are in the top folder of that name. They are nested modules, which go:embed can't
// read, so an archive of them is embedded, kinds.txtar. A test compares it with the examples, and go
// test ./internal/scaffold -update writes it.
package scaffold

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/steps"
)

//go:embed kinds.txtar
var archive []byte

// A Kind is a workflow for a new folder.
type Kind struct {
	Name  string
	About string   // in a few words
	Base  string   // of its files: BASE.yaml, BASE.script.yaml, BASE.test.yaml
	Data  []string // folders that it needs, and that it can be tried with
	Args  []string // of flow run, to try it
	leave string   // what its runs leave behind, for git to ignore: a line of .gitignore

	works   []string // files, any of which says that a folder has a module that it can be tried with
	own     []string // Args there
	request string   // of flow run in a job, which is for pull requests alone then; "": Args, in a job for each push
}

// manifests are the files that say that a folder has a module, of whatever language.
var manifests = []string{
	"go.mod", "package.json", "pyproject.toml", "setup.py", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts",
	"Gemfile", "composer.json", "CMakeLists.txt",
}

// Workflow is the name of its file.
func (k Kind) Workflow() string { return k.Base + ".yaml" }

// Kinds returns all kinds, the plainest first.
func Kinds() []Kind {
	return []Kind{
		{
			Name: "empty", About: "one step that asks a model, to begin with", Base: "hello",
		},
		{
			Name: "docs-gen", About: "a reference page for every package of a Go module", Base: "docs-gen",
			Data: []string{"codebase-analysis"}, Args: []string{"-i", "root=codebase-analysis"},
			works: manifests[:1],
		},
		{
			Name: "codebase-analysis", About: "defects in every package of a Go module, in one report", Base: "codebase-analysis",
			Data: []string{"codebase-analysis"}, Args: []string{"-i", "root=codebase-analysis"},
			works: manifests[:1],
		},
		{
			Name: "code-review", About: "a review of a git diff, file by file", Base: "code-review",
			Data: []string{"code-review"}, works: manifests, own: []string{"-i", "root=.", "-i", "base=main"},
			request: "-i root=. -i base=origin/${{ github.base_ref }}",
		},
		{
			Name: "fix-until-green", About: "repairs of a Go module until its tests pass", Base: "fix-until-green",
			Data: []string{"fix-until-green"}, leave: "build/\n",
			works: manifests[:1], own: []string{"-i", "root=."},
		},
	}
}

// find returns the kind of a name.
func find(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, steps.Invalid(nearest.Hint(name, names, "there are "+strings.Join(names, ", ")), "unknown kind of workflow %q", name)
}

// has reports whether a file of the examples belongs to the kind.
func (k Kind) has(name string) bool {
	if rest, ok := strings.CutPrefix(name, k.Base); ok && slices.Contains([]string{".yaml", ".script.yaml", ".test.yaml"}, rest) {
		return true
	}
	top, _, inside := strings.Cut(name, "/")
	return inside && slices.Contains(k.Data, top)
}

// isSample reports whether one of its files is there to try the workflow, or is its test, which runs
// on what it can be tried with.
func (k Kind) isSample(name string) bool {
	_, _, inside := strings.Cut(name, "/")
	return name == k.Base+".test.yaml" || inside && path.Ext(name) != ".yaml"
}

// A file is written to the new folder.
type file struct {
	path string // with slashes, behind the folder
	text []byte
	kept bool // one that is there already is left as it is
	runs bool // it is executable
}

// schemaFile is the path of the workflows' schema, for editors.
const schemaFile = "workflow.schema.json"

// files returns the files of a folder of the kind, with samples to try it with. The workflow names its
// schema.
func (k Kind) files(schema []byte, samples bool) []file {
	list := []file{
		{path: ".gitignore", text: []byte("# What runs leave behind\n.flow/\n" + k.leave), kept: true},
		{path: schemaFile, text: schema, kept: true},
	}
	for _, f := range txtar.Parse(archive).Files {
		if !k.has(f.Name) || !samples && k.isSample(f.Name) {
			continue
		}
		if f.Name == k.Workflow() {
			f.Data = fmt.Appendf(nil, "# yaml-language-server: $schema=%s\n%s", schemaFile, f.Data)
		}
		list = append(list, file{path: path.Clean(f.Name), text: f.Data})
	}
	return list
}

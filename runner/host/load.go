package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// codeFile is the code of diagnostics about files that can't be read.
const codeFile = "file"

// A Loaded workflow is one without mistakes, with all that it is made of, in an
// environment. It is never changed, and safe for concurrent use: one that is
// loaded once can be opened any number of times.
type Loaded struct {
	*workflows.Workflow
	env  Environment
	all  []*workflows.Workflow // itself and those that it uses, each once
	read []string              // the files that were read

	origins *origins
	recipe  string
}

// LoadOptions say how a workflow is loaded. The zero value is for one that is to
// run in the environment of this process.
type LoadOptions struct {
	Environment Environment

	// NoScripts leaves the files of scripted models unread: for what asks none.
	NoScripts bool

	// Elsewhere says that the workflow itself is not its caller's author's: it is held
	// as one that is used, and what it asks for ([Asks]) has to be granted before.
	Elsewhere bool
	Recipe    string // the reference that it was named by; "": by a path
}

// Load reads and checks the workflow of a file, with all that it names: its own
// mistakes, and rules, examples and sandboxes that do not do here what they say.
// It is nil where one of what was found is an error. Keys and servers are not
// looked at: see [Open].
func Load(file string, o LoadOptions) (*Loaded, workflows.Diagnostics) {
	l := &Loaded{env: o.Environment, origins: newOrigins(file, o), recipe: o.Recipe}
	tokens := tools.NewMask(nil)
	w, found := workflows.Load(file, workflows.Options{
		ReadFile: func(path string) ([]byte, error) {
			l.read = append(l.read, path)
			return ReadSource(path)
		},
		Tools: ToolInfos(), Providers: serviceNames(), Models: providers.KnownModels(),
		HasToken:  func(text string) bool { return tokens.String(text) != text },
		NoScripts: o.NoScripts, NearFile: nearFile, Find: l.origins.Find, Reaches: l.origins.Reaches,
	})
	if w == nil {
		return nil, hintNearFile(found, file)
	}
	l.Workflow, l.all = w, w.Used()
	found = append(found, l.checkNames()...)
	found = append(found, l.checkGrants()...)
	found = append(found, l.checkRules()...)
	found = append(found, l.checkSandbox()...)
	found = append(found, l.checkWrittenCode()...)
	found = found.Sorted()
	if found.HasErrors() {
		return nil, found
	}
	return l, found
}

// checkNames refuses workflow files under names that nobody could tell apart from
// others, and that no policy could protect.
func (l *Loaded) checkNames() workflows.Diagnostics {
	var found workflows.Diagnostics
	for _, path := range protectedFiles(l.all) {
		if err := permission.CheckPath(path); err != nil {
			found = append(found, workflows.Diagnostic{
				File: path, Line: 1, Column: 1, Severity: workflows.SeverityError, Code: codeFile,
				Message: fmt.Sprintf("the workflow can't be protected under the path %q: %v", path, err), Hint: "rename it, or its folder",
			})
		}
	}
	return found
}

// Files are those that a run is made of, as far as they are known before anything
// runs: what was read, and the instructions of agents. A file can be named twice.
func (l *Loaded) Files() []string {
	files := slices.Clone(l.read)
	for _, w := range l.all {
		for _, step := range workflows.Leaves(w.Steps) {
			if step.Agent == nil {
				continue
			}
			for _, file := range step.Agent.Instructions {
				if path, known := file.Static(); known {
					files = append(files, paths.In(w.Dir, filepath.FromSlash(path)))
				}
			}
		}
	}
	return files
}

// Digests are the files that the workflow is made of, as they are now, with the
// SHA-256 of each; empty for one that can't be read.
func (l *Loaded) Digests() map[string]string {
	all := map[string]string{}
	for _, file := range l.Files() {
		data, err := ReadSource(file)
		if err != nil {
			all[filepath.ToSlash(file)] = ""
			continue
		}
		sum := sha256.Sum256(data)
		all[filepath.ToSlash(file)] = hex.EncodeToString(sum[:])
	}
	return all
}

// ScriptFile is the file of a reference such as script/demo.script.yaml that is
// given in place of the workflow's own models; "" for any other reference.
func (l *Loaded) ScriptFile(ref string) string {
	name, isScript := strings.CutPrefix(ref, scriptProvider+"/")
	if !isScript {
		return ""
	}
	return paths.In(l.Dir, filepath.FromSlash(name))
}

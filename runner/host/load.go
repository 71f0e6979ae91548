package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// A Loaded workflow is a workflow without mistakes, with all files that it uses, in an
// environment. It is immutable and safe for concurrent use, and can be opened any number of
// times.
type Loaded struct {
	*workflows.Workflow
	env  Environment
	all  []*workflows.Workflow // the workflow and those that it uses, each once
	read []string              // the files that were read

	origins *origins
	foreign map[*workflows.Workflow]bool // those from elsewhere, with those that they use
	recipe  string
}

// LoadOptions configure how a workflow is loaded. The zero value loads one that runs in the
// environment of this process.
type LoadOptions struct {
	Environment Environment

	// NoScripts leaves the files of scripted models unread, for callers that ask no model.
	NoScripts bool

	Recipe string // the reference that names the workflow; "": it is named by a path
}

// Load reads and checks a workflow with all files that it names. It returns the mistakes of the
// file, and warnings about rules and sandboxes that don't do here what they say. The workflow is
// nil if one of the diagnostics is an error. Keys and servers are not checked: see [Open].
//
// A workflow of a fetched recipe is restricted like a used one, and the caller has to grant
// what it asks for ([Asks]) before it runs: see [Loaded.Fetched].
func Load(file string, o LoadOptions) (*Loaded, workflows.Diagnostics) {
	if intact := o.Environment.Intact; intact != nil {
		if err := intact(file); err != nil {
			return nil, workflows.Diagnostics{diagnostic.OfFile(file, diagnostic.CodeFile, err.Error())}
		}
	}
	if err := o.Environment.check(); err != nil {
		return nil, workflows.Diagnostics{diagnostic.OfFile(file, diagnostic.CodeModel, err.Error())}
	}
	l := &Loaded{env: o.Environment, origins: newOrigins(file, o), recipe: o.Recipe}
	tokens, asked := tools.NewMask(nil), newDeniedTools(l)
	w, found := workflows.Load(file, workflows.Options{
		ReadFile: func(path string) ([]byte, error) {
			l.read = append(l.read, path)
			return ReadSource(path)
		},
		Tools: l.env.toolInfos(), Providers: append(serviceNames(), l.env.modelProviders()...), Models: providers.KnownModels(),
		HasToken:  func(text string) bool { return tokens.String(text) != text },
		NoScripts: o.NoScripts, NearFile: nearFile, Find: l.origins.Find, NameOf: l.origins.NameOf, Reaches: l.origins.Reaches, Also: l.check,
		Denied: func(w *workflows.Workflow, own workflows.Permissions, tools []string) []string {
			return asked.of(w, runner.Layer{Workflow: w, Step: own}, tools)
		},
	})
	if w == nil {
		return nil, hintNearFile(found, file)
	}
	return l, found
}

// check makes the checks of this package on a workflow that was read, which may have mistakes.
func (l *Loaded) check(w *workflows.Workflow) workflows.Diagnostics {
	l.Workflow, l.all = w, w.Used()
	l.findForeign()
	var f findings
	l.checkGrants(&f)
	l.checkRules(&f)
	l.raiseSandboxes(&f)
	l.checkSandbox(&f)
	l.checkServers(&f)
	return append(l.checkNames(), l.quoted(f.found)...)
}

// findForeign finds the workflows from elsewhere.
func (l *Loaded) findForeign() {
	l.foreign = map[*workflows.Workflow]bool{}
	for _, w := range l.all {
		if l.Fetched() {
			l.foreign[w] = true
		}
		for _, step := range workflows.Leaves(w.Steps) {
			if step.Use == nil || !l.origins.comesFromElsewhere(w, step.Use) {
				continue
			}
			for _, used := range step.Use.Workflow.Used() {
				l.foreign[used] = true
			}
		}
	}
}

// checkNames refuses workflow files whose names look like others, which no policy could
// protect.
func (l *Loaded) checkNames() workflows.Diagnostics {
	var found workflows.Diagnostics
	for _, path := range filesOf(l.all) {
		if err := permission.CheckPath(path); err != nil {
			d := diagnostic.OfFile(path, diagnostic.CodeFile, fmt.Sprintf("can't protect the workflow at the path %q: %v", path, err))
			d.Hint = "rename it, or its folder"
			found = append(found, d)
		}
	}
	return found
}

// Fetched reports whether the workflow is one of a fetched recipe, and not the caller's own.
func (l *Loaded) Fetched() bool { return l.origins.fetchedTop }

// Files returns the files of a run, as far as they are known before anything runs: those that
// were read, the instructions of agents, and the scripts of models that are named by expressions or that
// [Options].Model names. Inputs that are left out have their defaults. A file may be there twice.
func (l *Loaded) Files(model string, inputs map[string]any) []string {
	scripts := []string{l.ScriptFile(model)}
	if model == "" {
		scripts = l.computedScripts(inputs)
	}
	isNone := func(path string) bool { return path == "" || checkRegular(path) != nil } // it keeps the run from starting, or is played from memory
	return slices.Concat(l.read, l.instructions(), slices.DeleteFunc(scripts, isNone))
}

// Deciding returns the files that were read for more than the prompts of agents: workflows and
// schemas. They decide what runs.
func (l *Loaded) Deciding() []string {
	files := slices.Clone(l.read)
	for _, w := range l.all {
		for _, step := range workflows.Leaves(w.Steps) {
			if step.Agent == nil || step.Agent.Prompt == nil || step.Agent.Prompt.File() == l.origins.NameOf(w.File) {
				continue
			}
			isPrompt := func(path string) bool { return l.origins.NameOf(path) == step.Agent.Prompt.File() }
			if i := slices.IndexFunc(files, isPrompt); i >= 0 {
				files = slices.Delete(files, i, i+1) // one that is a schema, too, was read twice
			}
		}
	}
	return files
}

// instructions returns the files of instructions that are known before anything runs.
func (l *Loaded) instructions() (files []string) {
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

// Differences returns what is different in the workflow and the files of a run than when it began: see
// [runner.Beginning.Differences].
func (l *Loaded) Differences(began *runner.Beginning) []string {
	files := l.Files("", nil)
	for file := range began.Files { // also those that only the options of the run had named
		files = append(files, filepath.FromSlash(file))
	}
	return began.Differences(l.Workflow, digests(files))
}

// digests returns the SHA-256 of each file as it is now; "" for one that can't be read.
func digests(files []string) map[string]string {
	all := map[string]string{}
	for _, file := range files {
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

// ScriptFile returns the file of a reference such as script/demo.script.yaml that replaces the
// workflow's models; "" for any other reference.
func (l *Loaded) ScriptFile(ref string) string {
	if files := scriptsIn(l.Workflow, ref); files != nil {
		return files[0]
	}
	return ""
}

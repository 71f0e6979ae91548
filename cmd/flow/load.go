package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// mostSourceBytes bounds every file that a workflow is made of: prompts and
// scripted models too. That of a workflow file itself is lower.
const mostSourceBytes = 16 << 20

// load reads and checks a workflow, with all that it names, and adds what it has
// read to files.
func (p *program) load(file string, files *sources) (*workflows.Workflow, workflows.Diagnostics) {
	return p.loadAs(file, workflows.Options{ReadFile: files.read})
}

// loadAs is load with options of one's own, which are completed.
func (p *program) loadAs(file string, o workflows.Options) (*workflows.Workflow, workflows.Diagnostics) {
	o.Tools, o.Providers, o.Models, o.NearFile = toolInfos(), serviceNames(), providers.KnownModels(), nearFile
	w, found := workflows.Load(file, o)
	if w == nil {
		return nil, hintNearFile(found, file)
	}
	found = append(found, checkNames(w)...)
	found = append(found, p.checkRules(w)...)
	found = append(found, checkSandbox(w)...)
	found = found.Sorted()
	if found.HasErrors() {
		return nil, found
	}
	return w, found
}

// checkNames refuses workflow files under names that nobody could tell apart from
// others, and that no policy could protect.
func checkNames(w *workflows.Workflow) workflows.Diagnostics {
	var found workflows.Diagnostics
	for _, path := range protectedFiles(w) {
		if err := permission.CheckPath(path); err != nil {
			found = append(found, workflows.Diagnostic{
				File: path, Line: 1, Column: 1, Severity: workflows.SeverityError, Code: codeFile,
				Message: fmt.Sprintf("the workflow can't be protected under the path %q: %v", path, err), Hint: "rename it, or its folder",
			})
		}
	}
	return found
}

// loadOrComplain is load for a command that can do nothing with mistakes but
// show them.
func (p *program) loadOrComplain(file string, files *sources) (*workflows.Workflow, error) {
	w, found := p.load(file, files)
	return p.complainOf(w, found)
}

// complainOf shows what was found, and passes on a workflow without mistakes.
func (p *program) complainOf(w *workflows.Workflow, found workflows.Diagnostics) (*workflows.Workflow, error) {
	p.render(found)
	if w == nil {
		return nil, exitError(codeOfDiagnostics(found))
	}
	return w, nil
}

// readSource reads a file of bounded size.
func readSource(path string) ([]byte, error) {
	if err := checkRegular(path); err != nil { // before it is opened: that of a pipe waits for a writer
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, plainError(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, mostSourceBytes+1))
	if err != nil {
		return nil, plainError(err)
	}
	if len(data) > mostSourceBytes {
		return nil, fmt.Errorf("it is larger than %d MiB", mostSourceBytes>>20)
	}
	return data, nil
}

// checkRegular refuses what is not there, and what may have no end: a folder, a
// pipe, a device.
func checkRegular(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return plainError(err)
	case info.IsDir():
		return errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	}
	return nil
}

// plainError leaves out the operation and the path, which are told already.
func plainError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// used returns a workflow and all those that it uses, each once.
func used(w *workflows.Workflow) []*workflows.Workflow {
	all := []*workflows.Workflow{w}
	for i := 0; i < len(all); i++ {
		for _, step := range leaves(all[i].Steps) {
			if step.Use != nil && !slices.Contains(all, step.Use.Workflow) {
				all = append(all, step.Use.Workflow)
			}
		}
	}
	return all
}

// leaves returns the steps that are no groups, those in groups too.
func leaves(steps []*workflows.Step) []*workflows.Step {
	var all []*workflows.Step
	for _, step := range steps {
		if step.Group != nil {
			all = append(all, leaves(step.Group.Steps)...)
			continue
		}
		all = append(all, step)
	}
	return all
}

package ci

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

// ReadFindings sets the findings of the report: those that the workflow names, or else those of an
// output that is a list of findings. Their files are relative to the repository of the
// workspace, which is absolute.
func (r *Report) ReadFindings(workspace string) {
	found := r.Result.Findings
	r.Unfound = r.Result.Unfound
	if found == nil && r.Unfound == "" {
		found, r.Unfound = guessed(r.Result)
	}
	list, _ := found.([]any)
	r.locate(list, workspace, cmp.Or(paths.Repository(workspace), workspace))
}

// locate sets the findings of the report. Their files are relative to root from then on.
func (r *Report) locate(list []any, workspace, root string) {
	r.Findings, r.Invalid = runner.ReadFindings(list)
	for i, f := range r.Findings {
		r.Findings[i].File = within(f.File, workspace, root)
	}
}

// isFindings reports whether a list is one of findings: at least one, each with a line.
func isFindings(list []any) bool {
	found, invalid := runner.ReadFindings(list)
	return len(found) > 0 && len(invalid) == 0 && !slices.ContainsFunc(found, func(f runner.Finding) bool { return f.Line == 0 })
}

// guessed is the first output of a run that is a list of findings, or else the first that is
// an empty list, and why more may have been found.
func guessed(r *runner.Result) (found any, unfound string) {
	for _, output := range r.Outputs {
		list, isList := output.Value.([]any)
		if isFindings(list) {
			found = list
			break
		}
		if isList && len(list) == 0 && found == nil {
			found = list
		}
	}
	switch {
	case found == nil:
		unfound = "the workflow has no findings, and no output is a list of them"
	case r.Status != steps.Succeeded:
		unfound = "the run: " + string(r.Status)
	}
	return found, unfound
}

// within is the path of a workspace's file in root, "" if it is outside.
func within(file, workspace, root string) string {
	if file == "" {
		return ""
	}
	at := filepath.FromSlash(file)
	if !filepath.IsAbs(at) {
		at = filepath.Join(workspace, at)
	}
	rel, err := filepath.Rel(root, at)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return path.Clean(filepath.ToSlash(rel))
}

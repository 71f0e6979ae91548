package ci

import (
	"cmp"
	"path"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
)

// ReadFindings sets the findings of the report, those that the workflow names. Their files are
// relative to the repository of the workspace, which is absolute.
func (r *Report) ReadFindings(workspace string) {
	list, _ := r.Result.Findings.([]any)
	r.locate(list, workspace, cmp.Or(paths.Repository(workspace), workspace))
}

// locate sets the findings of the report. Their files are relative to root from then on.
func (r *Report) locate(list []any, workspace, root string) {
	r.Findings, r.Invalid = runner.ReadFindings(list)
	for i, f := range r.Findings {
		r.Findings[i].File = within(f.File, workspace, root)
	}
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

package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// maxFileBytes bounds what the function file of an expression reads.
const maxFileBytes = 64 << 20

// A reader reads files for the expressions of one step, or of a workflow. A path that a model may
// have influenced has to satisfy the step's rules for reading, like the calls of its tools. One that
// the author wrote is read as it is, but for authors from elsewhere: see [Options].Reading.
type reader struct {
	ctx   context.Context
	in    *instance
	at    *workEnv
	step  *workflows.Step // nil: none
	ruled bool
}

// rulesPath reports whether a path made of these words has to satisfy the rules.
func (in *instance) rulesPath(words workflows.Words) bool {
	return words == workflows.Foreign || words == workflows.GivenWords && in.exec.InputsForeign
}

// fileHere is file for a path that may start at the workspace. If a model may have influenced
// which folder that is, it has influenced the path. A default is for a file that is not there.
func (r *reader) fileHere(path string, otherwise ...string) (string, error) {
	if len(otherwise) > 1 {
		return "", errors.New("file takes a path and one default")
	}
	own := *r
	own.ruled = r.ruled || r.at.tainted && !filepath.IsAbs(path)
	content, err := own.file(paths.In(r.at.workspace, path))
	if len(otherwise) == 1 && errors.Is(err, fs.ErrNotExist) {
		return otherwise[0], nil
	}
	return content, err
}

// file returns the content of the file at an absolute path.
func (r *reader) file(path string) (string, error) {
	if err := r.known(); err != nil {
		return "", err
	}
	path, err := r.in.reach(path)
	if err != nil {
		return "", err
	}
	file, err := r.open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxFileBytes {
		return "", fmt.Errorf("%s: larger than 64 MiB", path)
	}
	return string(data), nil
}

func (r *reader) open(path string) (*os.File, error) {
	rules, err := r.rules(r.ruled)
	if err != nil {
		return nil, err
	}
	if rules == nil {
		return paths.OpenRegular(path)
	}
	return rules.Open(path)
}

// rules returns the rules for reading that apply to the reader: those of its step, if a model may have
// influenced the path. It returns nil if none apply.
func (r *reader) rules(ruled bool) (Reading, error) {
	if ruled && r.at.workspace == "" {
		return nil, errors.New("such a path can't be read before the workspace is known")
	}
	return r.in.exec.Reading(ToolScope{
		Workflow: r.in.Workflow, Workspace: r.at.workspace, Run: r.in.exec.Dir, Outputs: outputsDir(r.in.exec.Dir), Layers: r.in.layersOf(r.step),
	}, !ruled)
}

// glob returns the files in the workspace whose paths fit the pattern.
func (r *reader) glob(pattern string) ([]string, error) {
	if err := r.known(); err != nil {
		return nil, err
	}
	found, err := glob(r.ctx, r.at.workspace, pattern, maxGlobVisits)
	if err != nil {
		return found, err
	}
	found = slices.DeleteFunc(found, r.leadsOut())
	rules, err := r.rules(r.ruled || r.at.tainted)
	if err != nil || rules == nil {
		return found, err
	}
	return slices.DeleteFunc(found, func(path string) bool { return !rules.Readable(filepath.Join(r.at.workspace, path)) }), nil
}

// leadsOut returns a function that reports whether a path in the workspace is in a folder that
// expressions may not read: a link on the way to it leads there.
func (r *reader) leadsOut() func(path string) bool {
	out := map[string]bool{} // by folder
	return func(path string) bool {
		folder := filepath.Dir(filepath.Join(r.at.workspace, path))
		leads, known := out[folder]
		if !known {
			_, err := r.in.reach(folder)
			leads = err != nil
			out[folder] = leads
		}
		return leads
	}
}

// reach returns the resolved path of a file, if expressions may read it. Those of a used
// workflow may read files in its own folder, in its caller's workspace and in the run's
// outputs, with links resolved.
func (in *instance) reach(path string) (string, error) {
	if in.within == "" {
		return path, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	for _, open := range []string{in.dir, in.within, outputsDir(in.exec.Dir)} {
		at, err := filepath.EvalSymlinks(open)
		if open != "" && err == nil && paths.Holds(at, real) {
			return real, nil
		}
	}
	return "", fmt.Errorf("%s: a workflow called with uses can read only files in its own folder and in its caller's workspace", path)
}

// checkFolder returns an error if a path can't be a workspace.
func checkFolder(path string) error {
	info, err := os.Stat(path)
	problem := ""
	switch {
	case err != nil:
		problem = fmt.Sprintf("the workspace %s: %v", path, paths.Cause(err))
	case !info.IsDir():
		problem = fmt.Sprintf("the workspace %s is not a folder", path)
	default:
		return nil
	}
	return &steps.Error{Kind: steps.KindInvalidInput, Message: problem, Err: err}
}

package host

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A ruledReading reads files for the expressions of a step as its tools would.
type ruledReading struct{ *workspace }

// reading returns what opens files under the rules of a step, or of a workflow alone.
func (b *toolboxes) reading(scope runner.ToolScope) (runner.Reading, error) {
	ws, err := b.workspace(scope)
	if err != nil {
		return nil, err
	}
	return ruledReading{ws}, nil
}

// refused keeps files with secrets from the expressions of workflows from elsewhere, also under
// another name. A file with several names (hard links) is refused, since one of them may be
// that of a secret.
func (b *toolboxes) refused(w *workflows.Workflow, path string) error {
	if !b.foreign[w] {
		return nil
	}
	if permission.IsSecret(path) || permission.IsSecret(realPath(path)) {
		return fmt.Errorf("%s: it is a secret file, which no workflow from elsewhere reads", path)
	}
	if b.isRecord(realPath(path)) {
		return fmt.Errorf("%s: it is a record of a run, which no workflow from elsewhere reads", path)
	}
	if info, err := os.Stat(path); err == nil && permission.HasOtherNames(info) {
		return fmt.Errorf("%s: it has more than one name (hard links), of which another may be that of a secret: no workflow from elsewhere reads it", path)
	}
	return nil
}

// isRecord reports whether a path is in the folder of this run, except its outputs, or of one
// beside it, where the journal has what all steps said.
func (b *toolboxes) isRecord(path string) bool {
	run := b.servers.folder
	if run == "" {
		return false
	}
	run = realPath(run)
	return !folder.Holds(filepath.Join(run, "outputs"), path) &&
		folder.AnyHolds(recordsBeside(run), path)
}

// Open opens a file that the rules allow to be read. Nobody is asked for an expression, so a
// rule that asks is a denial.
func (r ruledReading) Open(path string) (*os.File, error) {
	for _, p := range r.policies {
		if d := p.Reads(path); d.Verdict != permission.Allow {
			return nil, fmt.Errorf("a model may have named %s: %s", path, d.Reason)
		}
	}
	return r.files.Open(path)
}

func (r ruledReading) Readable(path string) bool { return r.policies.readable(path) }

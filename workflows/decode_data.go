package workflows

import (
	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// DecodeData parses JSON or YAML data, such as the inputs of a run, within the limits of a
// workflow file. The data are plain: nil, bool, int, json.Number for integers of more
// than 64 bits, float64, string, []any and map[string]any.
func DecodeData(file string, src []byte) (any, Diagnostics) {
	r := &tree.Report{}
	root := tree.Read(tree.NewSource(file, string(src)), src, tree.WorkflowLimits(), r)
	if ds := r.Diagnostics(); ds.HasErrors() {
		return nil, ds
	}
	return root.Data(), nil
}

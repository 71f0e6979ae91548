package workflows

// DecodeData reads JSON or YAML data, such as the inputs of a run, under the
// same bounds as a workflow. The data are plain: nil, bool, int, json.Number
// for integers of more than 64 bits, float64, string, []any and map[string]any.
func DecodeData(file string, src []byte) (any, Diagnostics) {
	r := &report{}
	root := readTree(newSource(file, string(src)), src, workflowLimits(), r)
	if ds := r.diagnostics(); ds.HasErrors() {
		return nil, ds
	}
	return root.data(), nil
}

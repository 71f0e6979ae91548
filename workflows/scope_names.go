package workflows

import "github.com/expr-lang/expr/types"

// What expressions can name, and of which types it is. [Env] says which of them each
// expression has.

// workflowFunctions are what the evaluator brings to the expressions of a
// workflow; here they only tell their types.
func workflowFunctions() map[string]any {
	return map[string]any{
		"file": func(string) (string, error) { return "", nil },
		"glob": func(string) ([]string, error) { return nil, nil },
	}
}

// runType is the type of run.
func runType() types.Type {
	return types.Map{"id": types.String, "dir": types.String}
}

// workflowType is the type of workflow.
func workflowType() types.Type {
	return types.Map{"name": types.String, "dir": types.String}
}

// usageType is the type of usage, with the names of run.json.
func usageType() types.Type {
	return types.Map{"input_tokens": types.Int, "output_tokens": types.Int, "cached_input_tokens": types.Int, "reasoning_tokens": types.Int}
}

// errorType is the type of a step's error. A step without one has nil, so
// expressions ask steps.x.error?.kind.
func errorType() types.Type {
	return types.Map{"kind": types.String, "message": types.String}
}

// statusNames are the functions that only `if` has.
func statusNames() map[string]types.Type {
	status := types.TypeOf(func() bool { return false })
	return map[string]types.Type{"success": status, "failure": status, "always": status}
}

// whenNames are the names of stop.when.
func whenNames() map[string]types.Type {
	return map[string]types.Type{
		"turn": types.Int, "text": types.String, "finished": types.Bool,
		"usage": usageType(), "cost_usd": types.Float64,
		"calls": types.TypeOf(func(...string) []any { return nil }),
	}
}

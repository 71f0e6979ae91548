package workflows

import (
	"github.com/expr-lang/expr/types"

	"github.com/a-seed-11b9befa/flow/workflows/internal/expression"
)

// The types of the names in expressions. [Env] documents which expressions have them.

// workflowFunctions are functions that [Env] provides to the expressions of a workflow. Only
// their types are used here.
func workflowFunctions() map[string]any {
	return map[string]any{
		"file": func(string, ...string) (string, error) { return "", nil },
		"glob": func(string) ([]string, error) { return nil, nil },
	}
}

// newGrammar returns the language with additional functions. Its messages about a function
// show an example.
func newGrammar(more map[string]any) *expression.Grammar {
	g := expression.NewGrammar(more)
	g.Example = func(function string) string {
		for _, f := range functionExamples() {
			if f.Name == function {
				return "such as " + f.Example
			}
		}
		return ""
	}
	return g
}

// usageType has the names of run.json.
func usageType() types.Type {
	return types.Map{"input_tokens": types.Int, "output_tokens": types.Int, "cached_input_tokens": types.Int, "reasoning_tokens": types.Int}
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

package view

import (
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/runner"
)

// TruncatedLine says how many outputs were truncated, and that the whole ones are in folder, as
// far as they were kept. It returns "" if none were truncated.
func TruncatedLine(results runner.StepResults, folder string) string {
	truncated, lost := 0, 0
	for step := range results.Top() {
		truncated += step.Truncated
		lost += step.Lost
	}
	line := quantity.Count(truncated, "output") + " truncated; "
	switch {
	case truncated == 0:
		return ""
	case lost == 0:
		return line + "full output in " + folder
	case lost == truncated:
		return line + "the full output was not kept"
	}
	return line + fmt.Sprintf("full output in %s, except for %d that were not kept", folder, lost)
}

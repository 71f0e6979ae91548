package workflows

import "github.com/a-seed-11b9befa/flow/workflows/diagnostic"

// What is wrong with a file, and where; see package
// [github.com/a-seed-11b9befa/flow/workflows/diagnostic].
type (
	Diagnostic  = diagnostic.Diagnostic
	Diagnostics = diagnostic.Diagnostics
	Severity    = diagnostic.Severity
	Position    = diagnostic.Position
)

// The severities.
const (
	SeverityError   = diagnostic.SeverityError
	SeverityWarning = diagnostic.SeverityWarning
)

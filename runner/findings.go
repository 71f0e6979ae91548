package runner

import (
	"errors"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A Finding is a problem at a line of a file.
type Finding struct {
	File       string // as the workflow says it
	Line, End  int    // from 1; End is at least Line; 0: the whole file
	Severity   string // error, warning or note
	Rule       string // "": none
	Message    string
	Suggestion string // "": none
}

// maxFindings is how many elements of a list of findings are read.
const maxFindings = 100_000

// ReadFindings reads a list of objects with file, line and message, and optionally severity, rule,
// end_line and suggestion. Each error says what is wrong with an element, which is left out.
func ReadFindings(list []any) (all []Finding, invalid []error) {
	if len(list) > maxFindings {
		return nil, []error{fmt.Errorf("findings: there are %s; the limit is %s", quantity.Thousands(len(list)), quantity.Thousands(maxFindings))}
	}
	for i, each := range list {
		f, err := readFinding(each)
		if err != nil {
			invalid = append(invalid, fmt.Errorf("findings[%d]: %w", i, err))
			continue
		}
		all = append(all, f)
	}
	return all, invalid
}

// checkFindings returns the error of a run with invalid findings, which names them.
func checkFindings(list []any) error {
	const maxNamed = 5
	_, invalid := ReadFindings(list)
	if len(invalid) == 0 {
		return nil
	}
	var named []string
	for _, err := range invalid[:min(len(invalid), maxNamed)] {
		named = append(named, err.Error())
	}
	if more := len(invalid) - maxNamed; more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return invalidFindings(fmt.Errorf("%s of %s invalid: %s", quantity.Thousands(len(invalid)), quantity.Count(len(list), "finding"), strings.Join(named, "; ")))
}

// ErrFindings is in the chain of the error of a run whose findings are invalid.
var ErrFindings = errors.New("the findings are invalid")

func invalidFindings(err error) error {
	return &steps.Error{Kind: steps.KindInvalidOutput, Message: err.Error(), Option: OptionFrom, Err: errors.Join(ErrFindings, err)}
}

func readFinding(value any) (f Finding, err error) {
	fields, ok := value.(map[string]any)
	if !ok {
		return f, errors.New("expected an object with file, line and message")
	}
	for _, each := range []struct {
		name string
		to   *string
		must bool
	}{
		{"file", &f.File, true}, {"message", &f.Message, true},
		{"severity", &f.Severity, false}, {"rule", &f.Rule, false}, {"suggestion", &f.Suggestion, false},
	} {
		value, given := fields[each.name]
		text, ok := value.(string)
		if each.must && text == "" || given && value != nil && !ok {
			return f, fmt.Errorf("%s: expected a text", each.name)
		}
		*each.to = text
	}
	for _, each := range []struct {
		name string
		to   *int
	}{{"line", &f.Line}, {"end_line", &f.End}} {
		n, ok := whole(fields[each.name])
		if fields[each.name] != nil && (!ok || n < 0) {
			return f, fmt.Errorf("%s: expected a whole number from 1", each.name)
		}
		*each.to = n
	}
	f.End, f.Severity = max(f.Line, f.End), level(f.Severity)
	return f, nil
}

// level is a severity in the words of SARIF. Models have many words for it.
func level(severity string) string {
	switch strings.ToLower(severity) {
	case "error", "critical", "high", "blocker", "blocking", "fatal", "major":
		return "error"
	case "note", "info", "information", "informational", "low", "minor", "hint", "suggestion", "nit", "style":
		return "note"
	}
	return "warning"
}

// whole is a number as JSON or an expression gives it, if it is a whole one.
func whole(value any) (int, bool) {
	switch n := value.(type) {
	case int:
		return n, true
	case int64:
		return int(n), true
	case float64:
		return int(n), n == float64(int(n))
	}
	return 0, false
}

package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A Finding is a problem at a line of a file.
type Finding struct {
	File       string `json:"file"`     // as the workflow says it
	Line       int    `json:"line"`     // from 1; 0: the whole file
	End        int    `json:"end_line"` // at least Line
	Severity   string `json:"severity"` // error, warning or note
	Rule       string `json:"rule"`     // "": none
	Message    string `json:"message"`
	Suggestion string `json:"suggestion"` // "": none
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
	data, err := jsonline.Encode(value)
	if err != nil {
		return f, err
	}
	var wrong *json.UnmarshalTypeError
	switch err = json.Unmarshal(data, &f); {
	case errors.As(err, &wrong) && wrong.Field != "" && wrong.Type.Kind() == reflect.String:
		err = notText(wrong.Field)
	case errors.As(err, &wrong) && wrong.Field != "":
		err = fmt.Errorf("%s: expected a whole number from 1", wrong.Field)
	case err != nil:
		err = errors.New("expected an object with file, line and message")
	case f.File == "":
		err = notText("file")
	case f.Message == "":
		err = notText("message")
	case min(f.Line, f.End) < 0:
		err = errors.New("line: expected a whole number from 1")
	}
	f.End, f.Severity = max(f.Line, f.End), level(f.Severity)
	return f, err
}

func notText(field string) error { return fmt.Errorf("%s: expected a text", field) }

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

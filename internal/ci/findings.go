package ci

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/steps"
)

// A Finding is a problem at a line of a file.
type Finding struct {
	File       string // relative to the repository, with slashes; "" where it lies outside
	Line, End  int    // from 1; End is at least Line; 0 where there is none
	Severity   string // error, warning or note
	Rule       string // "" where there is none
	Message    string
	Suggestion string
}

// mostReadFindings bounds what is read of a list.
const mostReadFindings = 100_000

// isFindings reports whether a value is a list of findings: objects, at least
// one, each with a file, a line and a message.
func isFindings(value any) bool {
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		return false
	}
	for _, each := range list {
		fields, _ := each.(map[string]any)
		_, file := fields["file"].(string)
		_, line := whole(fields["line"])
		_, message := fields["message"].(string)
		if !file || !line || !message {
			return false
		}
	}
	return true
}

// read sets the findings of the report: those that the workflow names, or else those of an
// output that is a list of findings. Their files are relative to the repository of the
// workspace, which is absolute. The error names the elements that are no findings.
func (r *Report) read(workspace string) error {
	found := r.Result.Findings
	r.Unfound = r.Result.Unfound
	if found == nil && r.Unfound == "" {
		found, r.Unfound = guessed(r.Result)
	}
	if found == nil {
		return nil
	}
	var err error
	r.Findings, err = Findings(found, workspace, cmp.Or(paths.Repository(workspace), workspace))
	return err
}

// guessed is the first output of a run that is a list of findings, or else the first that is
// an empty list, and why more may have been found.
func guessed(r *runner.Result) (found any, unfound string) {
	for _, output := range r.Outputs {
		if isFindings(output.Value) {
			found = output.Value
			break
		}
		if list, isList := output.Value.([]any); isList && len(list) == 0 && found == nil {
			found = list
		}
	}
	switch {
	case found == nil:
		unfound = "the workflow has no findings, and no output is a list of them"
	case r.Status != steps.Succeeded:
		unfound = "the run: " + string(r.Status)
	}
	return found, unfound
}

// mostRefused is how many elements an error names that are no findings.
const mostRefused = 5

// Findings reads a list of objects with `file`, `line`, `message` and optionally `severity`,
// `rule`, `end_line`, `suggestion`. Their files are relative to the workspace; those of the
// findings are relative to root, the repository's folder, and "" outside it. Both folders are
// absolute.
// The error names the elements that are no findings; the others are returned.
func Findings(value any, workspace, root string) ([]Finding, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("findings: a list was expected")
	}
	if len(list) > mostReadFindings {
		return nil, fmt.Errorf("findings: %d, of which there may be %d", len(list), mostReadFindings)
	}
	found, refused := make([]Finding, 0, len(list)), []error{}
	for i, each := range list {
		f, err := finding(each)
		if err != nil {
			refused = append(refused, fmt.Errorf("findings[%d]: %w", i, err))
			continue
		}
		f.File = within(f.File, workspace, root)
		found = append(found, f)
	}
	if more := len(refused) - mostRefused; more > 0 {
		refused = append(refused[:mostRefused], fmt.Errorf("findings: and %d more that are none", more))
	}
	return found, errors.Join(refused...)
}

func finding(value any) (Finding, error) {
	var f Finding
	fields, ok := value.(map[string]any)
	if !ok {
		return f, errors.New("an object with file, line and message was expected")
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
		if each.must && !ok || given && value != nil && !ok {
			return f, fmt.Errorf("%s: a text was expected", each.name)
		}
		*each.to = text
	}
	line, ok := whole(fields["line"])
	if fields["line"] != nil && (!ok || line < 0) {
		return f, fmt.Errorf("line: a whole number from 1 was expected")
	}
	end, _ := whole(fields["end_line"])
	f.Line, f.End = line, max(line, end)
	f.Severity = level(f.Severity)
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

// within is the path of a workspace's file in root, "" if it is outside.
func within(file, workspace, root string) string {
	if file == "" {
		return ""
	}
	at := filepath.FromSlash(file)
	if !filepath.IsAbs(at) {
		at = filepath.Join(workspace, at)
	}
	rel, err := filepath.Rel(root, at)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return path.Clean(filepath.ToSlash(rel))
}

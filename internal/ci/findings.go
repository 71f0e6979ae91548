package ci

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner"
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

// MostFindings bounds what is read of a list.
const MostFindings = 100_000

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

// FindingsOf returns the findings that the workflow of a run names, or else those of an output
// that is a list of findings. Their files are relative to the repository of the workspace, which
// is absolute.
func FindingsOf(r *runner.Result, workspace string) ([]Finding, error) {
	found := r.Findings
	for i := 0; found == nil && i < len(r.Outputs); i++ {
		if value := r.Outputs[i].Value; isFindings(value) {
			found = value
		}
	}
	if found == nil {
		return nil, nil
	}
	return Findings(found, workspace, cmp.Or(paths.Repository(workspace), workspace))
}

// Findings reads a list of objects with `file`, `line`, `message` and optionally `severity`,
// `rule`, `end_line`, `suggestion`. Their files are relative to the workspace; those of the
// findings are relative to root, the repository's folder, and "" outside it. Both folders are
// absolute.
func Findings(value any, workspace, root string) ([]Finding, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("findings: a list was expected")
	}
	if len(list) > MostFindings {
		return nil, fmt.Errorf("findings: %d, of which there may be %d", len(list), MostFindings)
	}
	found := make([]Finding, len(list))
	for i, each := range list {
		fields, ok := each.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("findings[%d]: an object with file, line and message was expected", i)
		}
		f, err := finding(fields)
		if err != nil {
			return nil, fmt.Errorf("findings[%d]: %w", i, err)
		}
		f.File = within(f.File, workspace, root)
		found[i] = f
	}
	return found, nil
}

func finding(fields map[string]any) (Finding, error) {
	var f Finding
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

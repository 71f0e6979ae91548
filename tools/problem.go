package tools

import "strings"

// Problem is one thing that makes a value invalid by its schema.
type Problem struct {
	Path    string // JSON pointer; "" is the value itself
	Message string

	missing bool // a required property is missing
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

func joinProblems(problems []Problem) string {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "; ")
}

// shorten shortens a message that quotes a value.
func shorten(s string) string {
	const most = 500
	if len(s) <= most {
		return s
	}
	return s[:runeStart([]byte(s), most)] + "…"
}

package known

import "strings"

// MaxToolName is the maximum length, in bytes, of a name that the author does not choose, such as that
// of a server's tool. No service takes longer ones.
const MaxToolName = 128

// MaxPortableToolName is the maximum length, in bytes, of an author's name. Every service takes it.
const MaxPortableToolName = 64

// IsToolName reports whether a name is valid: ASCII letters, digits, _ and -, at most [MaxToolName] bytes, a
// letter or digit first.
func IsToolName(name string) bool {
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || c != '_' && c != '-') {
			return false
		}
	}
	return name != "" && len(name) <= MaxToolName
}

// IsToolPattern reports whether a pattern can match a valid name. * matches any characters, and ?
// one.
func IsToolPattern(pattern string) bool {
	return IsToolName(strings.NewReplacer("*", "x", "?", "x").Replace(pattern))
}

// RuledBy names the tool whose rules the policy applies to a tool; "" if it has none for such
// arguments. The known names are reserved. Some are those of other agents' tools (multiedit, patch),
// so that a tool of that name is no way round the rules of write.
func RuledBy(tool string) string {
	switch tool {
	case "bash", "read", "write", "webfetch":
		return tool
	case "edit", "multiedit", "patch":
		return "write"
	case "glob", "grep", "list":
		return "read"
	}
	return ""
}

// MainArgument is the argument that says most about a call of a built-in tool: a path, a command, an
// address. It is "" for any other tool.
func MainArgument(tool string) string {
	switch tool {
	case "read", "write", "edit":
		return "filePath"
	case "bash":
		return "command"
	case "webfetch":
		return "url"
	case "glob", "grep":
		return "pattern"
	case "list":
		return "path"
	}
	return ""
}

// PlainToolName returns the name under which a server's tool is offered, and by which rules and lists name
// it: services do not take the dots that its own name may have.
func PlainToolName(name string) string { return strings.ReplaceAll(name, ".", "_") }

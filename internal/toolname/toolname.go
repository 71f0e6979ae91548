// Package toolname says what a tool can be called, and which names belong to the
// tools that the policy knows.
package toolname

import "strings"

// Longest is how many bytes a name may have that nobody here has chosen, such as
// that of a server's tool: the services that take the longest take no longer.
const Longest = 128

// Portable is how many bytes every service takes, so that an author's names have
// at most as many.
const Portable = 64

// Valid reports whether a tool can have that name: letters, digits, _ and - of
// ASCII, [Longest] bytes at most, a letter or digit first.
func Valid(name string) bool {
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || c != '_' && c != '-') {
			return false
		}
	}
	return name != "" && len(name) <= Longest
}

// ValidPattern reports whether a name can be written so where * stands for any
// run of characters, and ? for one.
func ValidPattern(pattern string) bool {
	return Valid(strings.NewReplacer("*", "x", "?", "x").Replace(pattern))
}

// RuledBy names the tool by whose rules the policy judges a tool; "" where it has
// none for the arguments of such a tool. No tool of anybody else can have a name
// that it knows. Some are those of tools that agents elsewhere have (multiedit,
// patch): they are kept, so that a tool that came under one would be no way round
// the rules of write.
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

// MainArgument is the argument of a built-in tool that says most of a call, and by
// which rules are given where there is a choice: a path, a command, an address. It
// is "" of any other tool.
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

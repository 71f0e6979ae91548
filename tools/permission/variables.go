package permission

import "strings"

// isSafeVariable reports whether a variable may be set before any command: it
// changes how text looks, not what runs.
func isSafeVariable(name string) bool {
	switch name {
	case "LANG", "LANGUAGE", "TZ", "NO_COLOR", "CLICOLOR", "FORCE_COLOR", "TERM", "COLUMNS", "LINES", "CI":
		return true
	}
	return strings.HasPrefix(name, "LC_")
}

// isFreeVariable reports whether a variable may be set for the rest of a
// script: safe ones, and those of the script's own, which are in lower case.
func isFreeVariable(name string) bool {
	if isSafeVariable(name) {
		return true
	}
	if isFixedVariable(name) {
		return false
	}
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" && strings.Trim(name, "_0123456789") != ""
}

// isFixedVariable reports whether a name in lower case means something to
// programs.
func isFixedVariable(name string) bool {
	switch name {
	case "path", "cdpath", "fpath":
		return true
	}
	return strings.HasPrefix(name, "npm_") || strings.HasSuffix(name, "_proxy")
}

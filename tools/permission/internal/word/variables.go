package word

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// IsSafeVariable reports whether a variable may be set before any command: it
// changes how text looks, not what runs.
func IsSafeVariable(name string) bool {
	switch name {
	case "LANGUAGE", "TZ", "NO_COLOR", "CLICOLOR", "FORCE_COLOR", "TERM", "COLUMNS", "LINES", "CI":
		return true
	}
	return IsLocaleVariable(name)
}

// IsHarmless reports whether a variable may be set to a value before any command: it
// changes how much a program prints, or what it makes, but not what it runs.
func IsHarmless(name string, value Word) bool {
	if value.Kind != Static || strings.ContainsAny(value.Text, "/\\$`;|&<>() ") {
		return false
	}
	if name == "GOFLAGS" {
		return isPlainBuildFlag(value.Text)
	}
	switch name {
	case "RUST_BACKTRACE", "RUST_LOG", "RUST_TEST_THREADS", "CARGO_TERM_COLOR", "CARGO_INCREMENTAL",
		"GOOS", "GOARCH", "GOARM", "GOAMD64", "GOMAXPROCS", "GOGC", "GOTRACEBACK", "GO111MODULE",
		"NODE_ENV", "APP_ENV", "RAILS_ENV", "RACK_ENV", "TEST_ENV", "LOG_LEVEL", "DEBUG", "VERBOSE", "PORT",
		"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONUTF8",
		"SOURCE_DATE_EPOCH", "DEBIAN_FRONTEND", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS":
		return true
	}
	return false
}

// isPlainBuildFlag reports whether a flag of go changes only how something is built, or
// how often a test runs.
func isPlainBuildFlag(text string) bool {
	number, ok := strings.CutPrefix(text, "-count=")
	return ok && IsDigits(number) || slices.Contains([]string{"-v", "-race", "-short", "-trimpath", "-mod=mod", "-mod=readonly", "-mod=vendor", "-buildvcs=false"}, text)
}

// IsLocaleVariable reports whether a variable sets the character encoding. In some
// encodings the shell may take two of the characters that were judged for one.
func IsLocaleVariable(name string) bool { return name == "LANG" || strings.HasPrefix(name, "LC_") }

// IsPlainLocale reports whether the encoding of a locale is UTF-8 or ASCII.
func IsPlainLocale(value Word) bool {
	name, charset, _ := strings.Cut(pattern.Fold(value.Text), ".")
	return value.Kind == Static && (charset == "utf-8" || charset == "utf8" || charset == "" && (name == "c" || name == "posix" || name == ""))
}

// SetsFreely reports whether a variable may be set to a value for the rest of a script.
func SetsFreely(name string, value Word) bool {
	return IsFreeVariable(name) || IsLocaleVariable(name) && IsPlainLocale(value)
}

// IsFreeVariable reports whether a variable may be set to any value for the rest of a
// script: a safe one, or one of the script's own, which are in lower case.
func IsFreeVariable(name string) bool {
	if IsSafeVariable(name) {
		return !IsLocaleVariable(name)
	}
	if IsFixedVariable(name) {
		return false
	}
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" && strings.Trim(name, "_0123456789") != ""
}

// IsFixedVariable reports whether a variable in lower case means something to programs.
func IsFixedVariable(name string) bool {
	switch name {
	case "path", "cdpath", "fpath":
		return true
	}
	return strings.HasPrefix(name, "npm_") || strings.HasSuffix(name, "_proxy")
}

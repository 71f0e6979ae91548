package known

import (
	"slices"
	"strings"
)

// IsLocale reports whether an environment variable sets the character encoding.
func IsLocale(name string) bool { return name == "LANG" || strings.HasPrefix(name, "LC_") }

// OnlyShows reports whether an environment variable changes only how text looks, whatever its value is.
func OnlyShows(name string) bool { return slices.Contains(showing, name) }

var showing = []string{"LANGUAGE", "TZ", "NO_COLOR", "CLICOLOR", "FORCE_COLOR", "TERM", "COLUMNS", "LINES", "CI"}

// OnlyTunes reports whether an environment variable with a plain value changes how much a program
// prints, or what it makes, but not what it runs.
func OnlyTunes(name string) bool { return slices.Contains(tuning, name) }

var tuning = []string{
	"RUST_BACKTRACE", "RUST_LOG", "RUST_TEST_THREADS", "CARGO_TERM_COLOR", "CARGO_INCREMENTAL", "GOOS", "GOARCH", "GOARM", "GOAMD64", "GOMAXPROCS", "GOGC", "GOTRACEBACK",
	"GO111MODULE", "NODE_ENV", "APP_ENV", "RAILS_ENV", "RACK_ENV", "TEST_ENV", "LOG_LEVEL", "DEBUG", "VERBOSE", "PORT", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE",
	"PYTHONHASHSEED", "PYTHONUTF8", "SOURCE_DATE_EPOCH", "DEBIAN_FRONTEND", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS",
}

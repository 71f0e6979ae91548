package term

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/a-seed-11b9befa/flow/internal/columns"
)

// InCILog reports whether w may be the log of a CI job, in which the system reads commands. It may
// also be a pipe to another program.
func InCILog(w any, env func(name string) string) bool {
	if file := fileOf(w); file != nil {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return false
		}
	}
	return env("GITHUB_ACTIONS") != "" || env("TF_BUILD") != "" || env("TEAMCITY_VERSION") != ""
}

// The beginnings of commands: for GitHub a line that starts with "::", perhaps after something that
// nobody sees; for Azure and TeamCity, and older ones of GitHub, "##" before a name in brackets.
var (
	colons = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`((?:^|[\n\r\v\f\x{85}\x{2028}\x{2029}])[\pZ\pC]*)::`)
	})
	hashes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(##[a-zA-Z]*)\[`) })
)

// Disarm breaks the commands of CI systems in a text.
func Disarm(text string) string {
	if strings.Contains(text, "::") {
		text = colons().ReplaceAllString(text, `$1\::`)
	}
	if strings.Contains(text, "##") {
		text = hashes().ReplaceAllString(text, `$1\[`)
	}
	return text
}

// JSONOutput is a writer of lines of JSON to w. On a terminal and in a job's log it escapes characters
// that act on a terminal, are invisible, or begin a command of a CI system; the JSON stays equivalent.
// No line of JSON starts with "::".
func JSONOutput(w io.Writer, env func(name string) string) io.Writer {
	if InCILog(w, env) || IsTerminal(w) {
		return &harmlessJSON{to: w}
	}
	return w
}

// A harmlessJSON writes whole lines.
type harmlessJSON struct {
	to   io.Writer
	line []byte // its beginning
}

func (h *harmlessJSON) Write(p []byte) (int, error) {
	h.line = append(h.line, p...)
	end := bytes.LastIndexByte(h.line, '\n') + 1
	var b strings.Builder
	for _, r := range hashes().ReplaceAllString(string(h.line[:end]), `$1\u005b`) {
		if !columns.Hidden(r) || r == '\n' {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	h.line = h.line[end:]
	if _, err := io.WriteString(h.to, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

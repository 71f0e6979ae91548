package held

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// Git trusts the files in its directory, and some of those that change in the course of ordinary
// work decide what it runs or where it writes. A call of git may run other programs, such as
// hooks, which may have written them.

// runsProgram finds in the list of what a rebase does next the lines that run a command.
var runsProgram = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*(?:exec|x)(?:\s|$)`) })

// maxTodo is the size of a list of what a rebase does next, in bytes.
const maxTodo = 16 << 20

// armed returns why a file of git's own can't land, or "": with its content git would run a
// program, or write where no working tree is.
func (e effect) armed() string {
	if e.Kind == Delete || e.Folder || e.From == "" {
		return ""
	}
	if e.git.isIndex() {
		files, err := readIndex(e.From)
		if err != nil {
			return "git's index can't be read"
		}
		if path := files.strays(); path != "" {
			return "git's index has a file " + path + ", which a checkout would write"
		}
	}
	if strings.HasPrefix(strings.ToLower(filepath.Base(e.Path)), "git-rebase-todo") && e.runs() {
		return "the rebase would run a command when it continues"
	}
	return ""
}

// runs reports whether a list of what a rebase does next may run a command.
func (e effect) runs() bool {
	file, err := paths.OpenRegular(e.From)
	if err != nil {
		return true
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxTodo))
	return err != nil || len(text) == maxTodo || runsProgram().Match(text)
}

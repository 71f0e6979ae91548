// Package term is what flow knows of the terminal, or the log of a CI job, that it
// writes to: whether there is one, its size, its colours and columns, and what it
// must not be told. A [Screen] takes lines for a person and holds nobody up; a
// [Block] is drawn in place under them; a [Prompt] asks. [Visible] makes text of
// models, tools and files safe to show.
//
// It knows nothing of workflows and runs.
package term

import (
	"os"

	xterm "golang.org/x/term"
)

// IsTerminal reports whether w is a file that leads to a terminal.
func IsTerminal(w any) bool {
	file, ok := w.(*os.File)
	return ok && xterm.IsTerminal(int(file.Fd()))
}

// Colored reports whether what goes to the screen may have colours.
func (s *Screen) Colored(env func(name string) string) bool {
	return env("NO_COLOR") == "" && env("TERM") != "dumb" && s.IsTerminal()
}

// Live reports whether something may be drawn in place on the screen.
func (s *Screen) Live(env func(name string) string) bool {
	return env("CI") == "" && env("TERM") != "dumb" && s.IsTerminal()
}

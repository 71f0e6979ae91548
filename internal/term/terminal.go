// Package term writes to a terminal or to the log of a CI job: its size, its colours, and the
// characters that must not reach it. A [Screen] takes lines for a person without blocking; a [Block]
// is drawn in place below them; [Ask] asks a question. [Visible] makes texts of models, tools and
// files safe to show.
//
// It knows nothing of workflows and runs.
package term

import (
	"os"

	xterm "golang.org/x/term"
)

// IsTerminal reports whether w is a file on a terminal, or a screen that is.
func IsTerminal(w any) bool {
	if screen, ok := w.(*Screen); ok {
		w = screen.to
	}
	file, ok := w.(*os.File)
	return ok && xterm.IsTerminal(int(file.Fd()))
}

// Columns returns how wide the terminal is that w is on; 0 if it is none.
func Columns(w any) int {
	if !IsTerminal(w) {
		return 0
	}
	columns, _ := NewScreen(w.(*os.File)).Size()
	return columns
}

// Colored reports whether w may have colours.
func Colored(w any, env func(name string) string) bool {
	return env("NO_COLOR") == "" && env("TERM") != "dumb" && IsTerminal(w)
}

// Live reports whether a [Block] may be drawn on the screen.
func (s *Screen) Live(env func(name string) string) bool {
	return env("CI") == "" && env("TERM") != "dumb" && IsTerminal(s)
}

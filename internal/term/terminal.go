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

// fileOf is the file that w writes to, directly or through a screen; nil if it is none.
func fileOf(w any) *os.File {
	if screen, ok := w.(*Screen); ok {
		w = screen.to
	}
	file, _ := w.(*os.File)
	return file
}

// IsTerminal reports whether w is a file on a terminal, or a screen that is.
func IsTerminal(w any) bool {
	file := fileOf(w)
	return file != nil && xterm.IsTerminal(int(file.Fd()))
}

// Size returns the columns and rows of the terminal that w is on; 0 if it is none.
func Size(w any) (columns, rows int) {
	if IsTerminal(w) {
		columns, rows, _ = xterm.GetSize(int(fileOf(w).Fd()))
	}
	return columns, rows
}

// Colored reports whether w may have colours.
func Colored(w any, env func(name string) string) bool {
	return env("NO_COLOR") == "" && env("TERM") != "dumb" && IsTerminal(w)
}

// Live reports whether a [Block] may be drawn on the screen.
func (s *Screen) Live(env func(name string) string) bool {
	return env("CI") == "" && env("TERM") != "dumb" && IsTerminal(s)
}

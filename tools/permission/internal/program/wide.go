package program

import (
	"slices"
	"strings"
)

// WideRule says of a program that does much more than a rule for all its arguments
// seems to say what that allows beside the harmless, with the arguments that do it, and
// a rule that does not. %s stands for the program's name.
type WideRule struct {
	Does, Narrower string
	// RunsFiles says that it is files of the workspace that it runs so.
	RunsFiles bool
}

// For is what is said of a program by one of its names.
func (w WideRule) For(name string) (does, narrower string) {
	return strings.ReplaceAll(w.Does, "%s", name), strings.ReplaceAll(w.Narrower, "%s", name)
}

// Whether a first argument says nothing of what is run after it. Strings that
// shells run are judged as commands, so -c of bash is fine.

func anyArgument(string) bool { return true }

func startsContainer(argument string) bool { return argument == "run" || argument == "exec" }

func givesCode(argument string) bool {
	return slices.Contains([]string{"-c", "-e", "-m", "-r", "-E", "-p", "--eval", "--print", "run", "eval", "x"}, argument)
}

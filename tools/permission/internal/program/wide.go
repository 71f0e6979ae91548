package program

import (
	"slices"
)

// WideRule says of a program that does much more than a rule for all its arguments
// seems to say what that allows beside the harmless, and a rule that does not.
type WideRule struct{ Does, Narrower string }

// What makes a program run whatever it is told to.
const (
	interpreter = "an interpreter"
	runner      = "a program that runs others"
)

// Whether a first argument says nothing of what is run after it. Strings that
// shells run are judged as commands, so -c of bash is fine.

func anyArgument(string) bool { return true }

func startsContainer(argument string) bool { return argument == "run" || argument == "exec" }

func givesCode(argument string) bool {
	return slices.Contains([]string{"-c", "-e", "-m", "-r", "-E", "-p", "--eval", "--print", "run", "eval", "x"}, argument)
}

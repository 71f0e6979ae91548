package program

import (
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// LevelOfVariable says where a variable before a command is a risk. Whether Go calls
// the C compiler is none where commands are held.
func LevelOfVariable(name string, value word.Word) Level {
	if name == "CGO_ENABLED" && (value.Is("0") || value.Is("1")) {
		return Unheld
	}
	return everywhere
}

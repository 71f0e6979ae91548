package program

import (
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Risk is something that no wildcard of a rule covers.
type Risk struct {
	Level Level

	// At is the index of the word that a rule has to spell, or -1 when no rule can.
	At int
	// Names are the ways to spell it.
	Names []string
	Why   string
	// Lands is the number, from 1, of the unit's output that the risk is about; 0 is
	// none. No rule has to spell the risk where the write rules allow that output.
	Lands int
}

// Level says where something is a risk.
type Level uint8

const (
	everywhere Level = iota
	Unheld           // only where commands are not held: the risk is about files
	WhenHeld         // only where commands are held
)

// Unspellable returns a risk that only the catch-all covers.
func Unspellable(why string) Risk { return Risk{At: -1, Why: why} }

// Form is one reading of a command: its name, or an assignment in the place of the name,
// and the words after it.
type Form struct {
	Name word.Word
	Args []word.Word
}

// AnyForm is the form of a command that may be any.
var AnyForm = Form{Name: word.Word{Kind: word.Spread}}

func FormOf(words []word.Word) Form { return Form{words[0], words[1:]} }

// eachWord returns a function that applies risk to each argument; an empty why is no
// risk. Where risk returns no names, a rule has to spell the whole word.
func eachWord(risk func(x word.Word) (why string, names []string)) func([]word.Word) []Risk {
	return func(words []word.Word) (out []Risk) {
		for i, x := range words[1:] {
			if why, names := risk(x); why != "" {
				out = append(out, Risk{At: i + 1, Names: names, Why: why})
			}
		}
		return out
	}
}

// LevelOfVariable returns where setting a variable for a command is a risk. Whether Go
// calls the C compiler does not matter where commands are held.
func LevelOfVariable(name string, value word.Word) Level {
	if name == "CGO_ENABLED" && (value.Is("0") || value.Is("1")) {
		return Unheld
	}
	return everywhere
}

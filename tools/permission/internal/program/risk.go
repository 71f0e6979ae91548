package program

import (
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Risk is something that no wildcard of a rule covers.
type Risk struct {
	Level Level

	// At is the word that a rule has to spell, -1 where none can.
	At int
	// Names are the ways to spell it.
	Names []string
	Why   string
	// Lands is the place among the unit's outs, from 1, of the files that it is about:
	// no rule has to spell it where the write rules allow those.
	Lands int
}

// Level says where something is a risk.
type Level uint8

const (
	everywhere Level = iota
	Unheld           // where commands are not held: it is about files alone
	WhenHeld         // where they are
)

// Unspellable returns a risk that only the catch-all covers.
func Unspellable(why string) Risk { return Risk{At: -1, Why: why} }

// Form is a reading of a command: its name, or the assignment that stands there,
// and what follows.
type Form struct {
	Name word.Word
	Args []word.Word
}

// AnyForm may be any command.
var AnyForm = Form{Name: word.Word{Kind: word.Spread}}

func FormOf(words []word.Word) Form { return Form{words[0], words[1:]} }

// eachWord finds the risks in words that are looked at one by one. Without names for it
// a rule has to spell the word whole.
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

// LevelOfVariable says where a variable before a command is a risk. Whether Go calls
// the C compiler is none where commands are held.
func LevelOfVariable(name string, value word.Word) Level {
	if name == "CGO_ENABLED" && (value.Is("0") || value.Is("1")) {
		return Unheld
	}
	return everywhere
}

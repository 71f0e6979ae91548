package view

import "github.com/a-seed-11b9befa/flow/internal/term"

// A Line reports one thing that happened to a person.
type Line struct {
	Place string // where it happened, as from [Place]; "" for the whole run
	Word  string // what happened: succeeded, denied; "" in a line that continues the one before
	Tone  Tone   // of the word
	Text  string // follows the word
}

// A Tone says how a word may be shown.
type Tone = term.Tone

// The tones.
const (
	Plain    = term.Plain
	Faint    = term.Faint
	Good     = term.Good
	Doubtful = term.Doubtful
	Bad      = term.Bad
)

// String returns the line without tones.
func (l Line) String() string { return l.with(l.Word) }

// Painted returns the line with its word, if it has one, replaced by what paint returns.
func (l Line) Painted(paint func(tone Tone, word string) string) string {
	if l.Word == "" {
		return l.with("")
	}
	return l.with(paint(l.Tone, l.Word))
}

func (l Line) with(word string) string {
	if l.Place == "" {
		return word + l.Text
	}
	return l.Place + ": " + word + l.Text
}

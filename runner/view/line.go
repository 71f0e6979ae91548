package view

import "github.com/a-seed-11b9befa/flow/internal/term"

// A Line reports one thing that happened to a person.
type Line struct {
	Place string    // where it happened, as from [Place]; "" for the whole run
	Word  string    // what happened: succeeded, denied; "" in a line that continues the one before
	Tone  term.Tone // of the word
	Text  string    // follows the word
}

// String returns the line without tones.
func (l Line) String() string {
	return l.Painted(func(_ term.Tone, word string) string { return word })
}

// Painted returns the line with its word, if it has one, replaced by what paint returns.
func (l Line) Painted(paint func(tone term.Tone, word string) string) string {
	text := l.Text
	if l.Word != "" {
		text = paint(l.Tone, l.Word) + text
	}
	if l.Place != "" {
		text = l.Place + ": " + text
	}
	return text
}

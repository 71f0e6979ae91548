package view

// A Line is what a person is told of one thing that happened.
type Line struct {
	Place string // where, as [Place] names it; "" for the whole run
	Word  string // what it is about: succeeded, denied; "" in a line that goes on
	Tone  Tone   // of the word
	Text  string // follows the word as it is
}

// A Tone is how a word may be shown.
type Tone int

// The tones.
const (
	Plain Tone = iota
	Faint      // nothing to look at
	Good
	Doubtful // something to look at
	Bad
)

// String is the line without tones.
func (l Line) String() string { return l.with(l.Word) }

// Painted is the line with its word as paint returns it. It is not called without
// a word.
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

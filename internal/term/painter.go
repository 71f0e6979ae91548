package term

// A Tone says how a text may be shown.
type Tone int

// The tones.
const (
	Plain Tone = iota
	Faint      // nothing to look at
	Good
	Doubtful // something to look at
	Bad
	Heading // what stands above others
)

// A Painter shows tones as colours. The zero Painter leaves texts as they are.
type Painter struct{ On bool }

// Paint returns a text in the colour of a tone.
func (p Painter) Paint(tone Tone, text string) string {
	if !p.On || text == "" || tone == Plain {
		return text
	}
	codes := [...]string{Faint: "2", Good: "32", Doubtful: "33", Bad: "31", Heading: "1"}
	return "\x1b[" + codes[tone] + "m" + text + "\x1b[0m"
}

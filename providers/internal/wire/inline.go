package wire

import (
	"bytes"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// The tags that a model puts around its thinking, which stay in the text if the service does not
// take them out.
const (
	thinkStart = "<think>"
	thinkEnd   = "</think>"
	blanks     = " \t\r\n"
)

// maxBlanks is how many bytes of blanks may come before the thinking; more of them are the text.
const maxBlanks = 4 << 10

// A Text collects the text of an answer as it comes. If the text begins with thinking between
// tags, that becomes a block of its own once it is complete. The zero value is not ready; see [NewText].
type Text struct {
	answer  *Answer
	part    *Part
	held    []byte // begins with thinking, or may do so
	decided bool   // what comes is text
	trim    bool   // but for blanks, which have followed the thinking
}

// NewText returns an empty text of an answer.
func NewText(answer *Answer) Text { return Text{answer: answer} }

// Plain says that the service takes thinking out itself: the text has none.
func (t *Text) Plain() {
	if !t.decided {
		t.decided = true
		t.say(string(t.held))
	}
}

// Append adds a piece of the text, which may end in the middle of a tag.
func (t *Text) Append(piece string) {
	if t.decided {
		t.say(piece)
		return
	}
	searched := max(0, len(t.held)-len(thinkEnd))
	t.held = append(t.held, piece...)
	text := bytes.TrimLeft(t.held, blanks)
	switch {
	case len(t.held)-len(text) > maxBlanks:
		t.Plain()
	case bytes.HasPrefix(text, []byte(thinkStart)):
		if at := bytes.Index(t.held[searched:], []byte(thinkEnd)); at >= 0 {
			rest := string(t.held[searched+at+len(thinkEnd):])
			t.held = t.held[:searched+at]
			t.think()
			t.say(rest)
		}
	case !strings.HasPrefix(thinkStart, string(text)):
		t.Plain()
	}
}

// End adds what was kept because more of it might have come. A call is the end of a text, too.
func (t *Text) End() {
	if bytes.HasPrefix(bytes.TrimLeft(t.held, blanks), []byte(thinkStart)) && !t.decided {
		t.think()
	}
	t.Plain()
}

// think adds what was kept as thinking.
func (t *Text) think() {
	_, thinking, _ := strings.Cut(string(t.held), thinkStart)
	if thinking != "" {
		t.answer.Add(providers.Block{Type: providers.BlockThinking}, thinking)
	}
	t.held, t.decided, t.trim = nil, true, true
}

func (t *Text) say(text string) {
	if t.trim {
		text = strings.TrimLeft(text, blanks)
		t.trim = text == ""
	}
	t.answer.AppendTo(&t.part, providers.BlockText, text)
}

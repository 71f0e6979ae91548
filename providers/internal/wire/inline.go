package wire

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// The tags that a model puts around its thinking, which stay in the text if the service does not
// take them out.
const (
	thinkStart = "<think>"
	thinkEnd   = "</think>"
)

// maxBlanks is how many bytes of blanks may come before the thinking; more of them are the text.
const maxBlanks = 4 << 10

// A Text collects the text of an answer as it comes. If the text begins with thinking between
// tags, that becomes a block of its own. The zero value is not ready; see [NewText].
type Text struct {
	answer   *Answer
	text     *Part
	thinking *Part
	state    textState
	held     string // what has come and is not decided
}

type textState int

const (
	beginning textState = iota
	inThinking
	afterThinking // nothing but blanks have come since
	inText
)

// NewText returns an empty text of an answer.
func NewText(answer *Answer) Text { return Text{answer: answer} }

// Plain says that the service takes thinking out itself: the text has none.
func (t *Text) Plain() {
	if t.state == beginning {
		t.state = inText
		t.say(t.take())
	}
}

// Append adds a piece of the text, which may end in the middle of a tag.
func (t *Text) Append(piece string) {
	if t.state == inText { // nearly all pieces
		t.say(piece)
		return
	}
	t.held += piece
	if t.state == beginning {
		t.begin()
	}
	if t.state == inThinking {
		t.think()
	}
	if t.state == afterThinking {
		if t.held = strings.TrimLeft(t.held, " \t\r\n"); t.held != "" {
			t.state = inText
			t.say(t.take())
		}
	}
}

// begin decides whether the text begins with thinking.
func (t *Text) begin() {
	text := strings.TrimLeft(t.held, " \t\r\n")
	switch {
	case len(t.held)-len(text) > maxBlanks:
		t.state = inText
		t.say(t.take())
	case strings.HasPrefix(text, thinkStart):
		t.state, t.held = inThinking, text[len(thinkStart):]
	case !strings.HasPrefix(thinkStart, text):
		t.state = inText
		t.say(t.take())
	}
}

// think adds what is certainly thinking, and keeps what may be a part of the end.
func (t *Text) think() {
	thinking, rest, ended := strings.Cut(t.held, thinkEnd)
	if ended {
		t.state, t.held = afterThinking, rest
	} else {
		split := len(t.held)
		for n := min(len(thinkEnd)-1, split); n > 0; n-- {
			if strings.HasSuffix(t.held, thinkEnd[:n]) {
				split -= n
				break
			}
		}
		thinking, t.held = t.held[:split], t.held[split:]
	}
	t.answer.AppendTo(&t.thinking, providers.BlockThinking, thinking)
}

// End adds what was kept because more of it might have come. A call is the end of a text, too.
func (t *Text) End() {
	held := t.take()
	switch t.state {
	case inThinking:
		t.answer.AppendTo(&t.thinking, providers.BlockThinking, held)
	case beginning, inText:
		t.say(held)
	}
}

func (t *Text) take() string {
	held := t.held
	t.held = ""
	return held
}

func (t *Text) say(text string) { t.answer.AppendTo(&t.text, providers.BlockText, text) }

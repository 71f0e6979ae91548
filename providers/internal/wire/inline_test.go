package wire

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Thinking at the beginning of a text is taken out, whatever pieces the text comes in.
func TestTextWithThinking(t *testing.T) {
	for _, tt := range []struct{ name, text, thinking, rest string }{
		{"none", "Four.", "", "Four."},
		{"thinking", "<think>2 + 2</think>Four.", "2 + 2", "Four."},
		{"blanks around it", "\n<think>\n2 + 2\n</think>\n\n{\"n\": 4}\n", "\n2 + 2\n", "{\"n\": 4}\n"},
		{"empty thinking", "<think>\n\n</think>\n\nFour.", "\n\n", "Four."},
		{"nothing but thinking", "<think>2 + 2</think>", "2 + 2", ""},
		{"thinking that was cut off", "<think>2 + 2</thi", "2 + 2</thi", ""},
		{"another tag", "<thinker>x</thinker>", "", "<thinker>x</thinker>"},
		{"the beginning of the tag", "<thi", "", "<thi"},
		{"blanks", " \n", "", " \n"},
		{"a tag in the text", "It writes <think>x</think>.", "", "It writes <think>x</think>."},
		{"a second one", "<think>a</think>b<think>c</think>", "a", "b<think>c</think>"},
		{"a smaller-than sign in it", "<think>a < b </ c</think>yes", "a < b </ c", "yes"},
	} {
		for size := 1; size <= len(tt.text); size++ {
			answer := NewAnswer(nil)
			text := NewText(answer)
			for rest := tt.text; rest != ""; rest = rest[min(size, len(rest)):] {
				text.Append(rest[:min(size, len(rest))])
			}
			text.End()
			got := map[providers.BlockType]string{}
			for _, b := range answer.Finish() {
				got[b.Type] += b.Text
			}
			if got[providers.BlockThinking] != tt.thinking || got[providers.BlockText] != tt.rest {
				t.Errorf("%s, in pieces of %d: thinking %q, text %q", tt.name, size, got[providers.BlockThinking], got[providers.BlockText])
			}
		}
	}
}

// Blanks without end are the text: they are not kept until something comes after them.
func TestTextOfBlanks(t *testing.T) {
	for _, piece := range []string{" ", strings.Repeat("\n", maxBlanks+1)} {
		answer := NewAnswer(nil)
		text := NewText(answer)
		for n := 0; n <= maxBlanks; n += len(piece) {
			text.Append(piece)
		}
		text.Append("<think>")
		if blocks := answer.Finish(); len(blocks) != 1 || blocks[0].Type != providers.BlockText || len(blocks[0].Text) != maxBlanks+1+len("<think>") {
			t.Errorf("pieces of %d: %d blocks", len(piece), len(blocks))
		}
	}
}

// A service that takes the thinking out itself may send a text that looks like it.
func TestPlainText(t *testing.T) {
	answer := NewAnswer(nil)
	text := NewText(answer)
	text.Append("<thi")
	text.Plain()
	text.Append("nk>x</think>")
	text.End()
	if blocks := answer.Finish(); len(blocks) != 1 || blocks[0].Text != "<think>x</think>" {
		t.Errorf("%+v", blocks)
	}
}

// BenchmarkText is the way of a long text without thinking.
func BenchmarkText(b *testing.B) {
	piece := strings.Repeat("word ", 4)
	for b.Loop() {
		text := NewText(NewAnswer(nil))
		for range 100 {
			text.Append(piece)
		}
		text.End()
	}
}

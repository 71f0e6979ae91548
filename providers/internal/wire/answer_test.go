package wire

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
)

func TestAnswer(t *testing.T) {
	var events []providers.Event
	a := NewAnswer(func(e providers.Event) { events = append(events, e) })
	text := a.Start(providers.Block{Type: providers.BlockText})
	call := a.Start(providers.Block{Type: providers.BlockToolCall, ID: "c", Name: "f"})
	text.Append("a")
	text.Append("")
	call.Append(`{"x`)
	text.Append("b")
	text.Settle("abc")
	if diff := cmp.Diff([]providers.Block{
		{Type: providers.BlockText, Text: "abc"},
		{Type: providers.BlockToolCall, ID: "c", Name: "f", Arguments: []byte(`{"x`)},
	}, a.Partial()); diff != "" {
		t.Error(diff)
	}
	text.Finish()
	text.Append("too late")
	call.Settle("{}")
	blocks := a.Finish()
	wantText := providers.Block{Type: providers.BlockText, Text: "abc"}
	wantCall := providers.Block{Type: providers.BlockToolCall, ID: "c", Name: "f", Arguments: []byte("{}")}
	if diff := cmp.Diff([]providers.Block{wantText, wantCall}, blocks); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]providers.Event{
		{Type: providers.BlockStarted, Index: 0, Block: providers.Block{Type: providers.BlockText}},
		{Type: providers.BlockStarted, Index: 1, Block: providers.Block{Type: providers.BlockToolCall, ID: "c", Name: "f"}},
		{Type: providers.BlockDelta, Index: 0, Delta: "a"},
		{Type: providers.BlockDelta, Index: 1, Delta: `{"x`},
		{Type: providers.BlockDelta, Index: 0, Delta: "b"},
		{Type: providers.BlockDelta, Index: 0, Delta: "c"},
		{Type: providers.BlockFinished, Index: 0, Block: wantText},
		{Type: providers.BlockFinished, Index: 1, Block: wantCall},
	}, events); diff != "" {
		t.Error(diff)
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct{ wire, kept, sent string }{
		{"", "{}", "{}"},
		{" ", "{}", "{}"},
		{"null", "{}", "{}"},
		{`""`, "{}", "{}"},
		{`"null"`, "{}", "{}"},
		{` {"a": 1} `, ` {"a": 1} `, ` {"a": 1} `},
		{`{"a`, `{"a`, `{"invalid_json":"{\"a"}`},
	} {
		kept := arguments([]byte(c.wire))
		if string(kept) != c.kept {
			t.Errorf("%q kept as %s, want %s", c.wire, kept, c.kept)
		}
		if sent := ArgumentsText(providers.Block{Arguments: kept}); sent != c.sent {
			t.Errorf("%q sent as %s, want %s", c.wire, sent, c.sent)
		}
	}
	if sent := ArgumentsText(providers.Block{}); sent != "{}" {
		t.Errorf("no arguments sent as %s", sent)
	}
}

// What is beyond the bounds is dropped and told, and of the rest an excerpt
// stays.
func TestAnswerBounds(t *testing.T) {
	mib := strings.Repeat("ä", 1<<19)
	fill := func(p *Part, n int) {
		for range n {
			p.Append(mib)
		}
	}
	text, thinking := providers.Block{Type: providers.BlockText}, providers.Block{Type: providers.BlockThinking}
	call := providers.Block{Type: providers.BlockToolCall, Name: "f"}
	tests := []struct {
		name string
		fill func(a *Answer)
		want string // in the error; "" for none
	}{
		{"as much as there may be", func(a *Answer) {
			for _, block := range []providers.Block{text, thinking, call, call} {
				fill(a.Start(block), 4)
			}
		}, ""},
		{"text", func(a *Answer) { fill(a.Start(text), 17) }, "more than 16 MiB"},
		{"text of two blocks", func(a *Answer) { fill(a.Start(text), 9); fill(a.Start(text), 8) }, "more than 16 MiB"},
		{"arguments", func(a *Answer) { fill(a.Start(call), 17) }, "more than 16 MiB"},
		{"text that is settled", func(a *Answer) { a.Start(text).Settle(strings.Repeat(mib, 17)) }, "more than 16 MiB"},
		{"text that is settled as less", func(a *Answer) {
			p := a.Start(text)
			fill(p, 16)
			p.Settle(mib)
			fill(p, 15)
		}, ""},
		{"text that had ended", func(a *Answer) {
			p := a.Start(text)
			fill(p, 16)
			p.Finish()
			a.Start(text).Append("x")
		}, "more than 16 MiB"},
		{"blocks", func(a *Answer) {
			for range 10_001 {
				a.Start(text)
			}
		}, "more than 10000 blocks"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := NewAnswer(nil)
			test.fill(a)
			kept := 0
			for _, b := range a.Partial() {
				kept += len(b.Text) + len(b.Arguments)
				if !utf8.ValidString(b.Text) {
					t.Error("a character was cut")
				}
			}
			switch {
			case test.want == "":
				if a.Err() != nil || kept < 8<<20 {
					t.Errorf("%d bytes kept, error %v", kept, a.Err())
				}
			case !errors.Is(a.Err(), errTooMuch) || !strings.Contains(a.Err().Error(), test.want) || kept > 64<<10:
				t.Errorf("%d bytes kept, error %v, want one with %q", kept, a.Err(), test.want)
			}
		})
	}
}

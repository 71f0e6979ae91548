package wire

import (
	"strings"
	"testing"

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
		kept := Arguments([]byte(c.wire))
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

func TestCallIDs(t *testing.T) {
	long := strings.Repeat("x", 50)
	foreign, own := providers.Message{Provider: "other"}, providers.Message{Provider: "mine"}
	ids := NewCallIDs("mine", 40)
	short := ids.Call(foreign, long)
	if len(short) > 40 || ids.Result(long) != short || NewCallIDs("mine", 40).Call(foreign, long) != short {
		t.Errorf("long id sent as %q, its result as %q", short, ids.Result(long))
	}
	if other := ids.Call(foreign, long+"y"); other == short {
		t.Error("two ids became one")
	}
	if got := ids.Call(own, long); got != long || ids.Result(long) != long {
		t.Errorf("own id sent as %q, its result as %q", got, ids.Result(long))
	}
	if got := ids.Call(foreign, "toolu_1"); got != "toolu_1" || ids.Result("toolu_1") != "toolu_1" {
		t.Errorf("short id sent as %q", got)
	}
}

func TestNewCallID(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := NewCallID()
		if seen[id] || len(id) > 40 {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}

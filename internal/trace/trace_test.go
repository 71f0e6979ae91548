package trace

import "testing"

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestParents(t *testing.T) {
	for text, valid := range map[string]bool{
		parent: true, parent[:53] + "00": true, "01" + parent[2:] + "-more": true,
		"": false, "x": false, parent + "-more": false, "ff" + parent[2:]: false, parent[:54]: false, parent + "0": false,
		"00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01": false,
		"00-00000000000000000000000000000000-b7ad6b7169203331-01": false,
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01": false,
		"00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01": false,
	} {
		if got := Valid(text); got != valid {
			t.Errorf("%s: valid: %v", text, got)
		}
	}
}

// Each process has a trace of its own, unless one is around it, and each unit a span of its own.
func TestNames(t *testing.T) {
	one, two, inside := New("r", 1, ""), New("r", 2, ""), New("r", 2, parent)
	if one.ID() == two.ID() || one.Span("a~1") == two.Span("a~1") || one.Span("a~1") == one.Span("a") || one != New("r", 1, "no parent") {
		t.Error("names are mixed up")
	}
	ctx := InCall(With(t.Context(), inside, "a~1"), "c1")
	if got := Header(ctx); got[:36] != parent[:36] || !Valid(got) || got == parent || got == Header(With(t.Context(), inside, "a~1")) {
		t.Errorf("a command in a call gets %s", got)
	}
	if got := Header(With(t.Context(), Around(parent), "a~1")); got != parent {
		t.Errorf("passed on: %s", got)
	}
	if got := Header(InCall(With(t.Context(), Around("x"), "a~1"), "c1")); got != "" {
		t.Errorf("passed on: %s", got)
	}
}

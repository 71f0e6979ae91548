package authority

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// TestPrograms: servers that are named, and are programs.
func TestPrograms(t *testing.T) {
	w, found := workflows.Parse("flow.yaml", []byte(`name: flow
mcp:
  near: {command: [near-server]}
  other: {command: [other-server]}
  far: {url: "https://example.com/mcp"}
model: openai/gpt-5
steps:
  - {id: ask, prompt: Hi., tools: ["near_*", "other_*", "far_*"]}
  - {id: near, run: near-server}
`), workflows.Options{})
	if w == nil {
		t.Fatal(found)
	}
	for _, tt := range []struct{ names, want string }{
		{"near", "near"},
		{"near other far", "near other"},
		{"far", ""},
		{"none", ""},
	} {
		if got := strings.Join(Of(w).Programs(strings.Fields(tt.names)), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.names, got, tt.want)
		}
	}
}

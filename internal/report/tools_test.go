package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Those that are required come first, and those that may be left out
// are marked; of a schema that can't be read there are none.
func TestToolsListParameters(t *testing.T) {
	tests := []struct{ schema, want string }{
		{`{"properties": {"z": {}, "a": {"b": 2}, "m": {}}, "required": ["a"]}`, "a, m?, z?"},
		{`{"properties": {}}`, ""}, {`{}`, ""}, {``, ""}, {`[]`, ""}, {`{"properties": {"a"`, ""},
	}
	for _, tt := range tests {
		got := report.BuiltIn([]tools.Spec{{Name: "edit", Description: "Edits.\nTwice.", Parameters: json.RawMessage(tt.schema)}}).Text()
		if want := "edit {" + tt.want + "}\n    Edits.\n    Twice.\n\n"; got != want {
			t.Errorf("%s: %q, want %q", tt.schema, got, want)
		}
	}
}

func TestOffers(t *testing.T) {
	schema := json.RawMessage(`{"properties": {"path": {}, "lines": {}}, "required": ["path"]}`)
	offers := []host.Offer{
		{Step: "pages", Agent: "writer", Hidden: []string{"bash"}, Absent: []string{"github_issues"}, Tools: []host.OfferedTool{
			{Name: "read", Description: "Reads a file.\nAll of it.", Parameters: schema},
			{Name: "write", Pinned: []string{"mode", "owner"}},
		}},
		{Step: "g/tag", Calls: true, Tools: []host.OfferedTool{{Name: "bash\x1b", Description: strings.Repeat("long ", 40)}}},
	}
	want := `pages: the model has 2 tools, agent writer
  read {path, lines?}
      Reads a file.
  write {}
      pinned: mode, owner
  not offered, because no rule allows a call: bash
  not available: github_issues

g/tag: calls 1 tool
  bash\x1b {}
      ` + strings.Repeat("long ", 20)[:99] + "…\n"
	if diff := cmp.Diff(want, (report.ToolList{Steps: offers}).Text()); diff != "" {
		t.Errorf("offers (-want +got):\n%s", diff)
	}
	if got, want := (report.ToolList{}).Text(), "no step has tools\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

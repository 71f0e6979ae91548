package report_test

import (
	"encoding/json"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/report"
	"github.com/a-seed-11b9befa/flow/tools"
)

// Parameters are listed in the order of their schema, and those that may be left out
// are marked; of a schema that can't be read there are none.
func TestToolsListParametersInOrder(t *testing.T) {
	tests := []struct{ schema, want string }{
		{`{"properties": {"z": {}, "a": {"b": 2}, "m": {}}, "required": ["a"]}`, "z?, a, m?"},
		{`{"properties": {}}`, ""}, {`{}`, ""}, {``, ""}, {`[]`, ""}, {`{"properties": {"a"`, ""},
	}
	for _, tt := range tests {
		got := report.Tools([]tools.Spec{{Name: "edit", Description: "Edits.\nTwice.", Parameters: json.RawMessage(tt.schema)}})
		if want := "edit {" + tt.want + "}\n    Edits.\n    Twice.\n\n"; got != want {
			t.Errorf("%s: %q, want %q", tt.schema, got, want)
		}
	}
}

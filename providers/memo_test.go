package providers

import "testing"

// TestToolMemo compares tools by what they say.
func TestToolMemo(t *testing.T) {
	memo, translated := new(ToolMemo[string]), 0
	for _, name := range []string{"read", "read", "grep"} {
		wire := memo.Of([]ToolSpec{{Name: name}}, func(tools []ToolSpec) string {
			translated++
			return tools[0].Name
		})
		if wire != name {
			t.Errorf("tools %s, want %s", wire, name)
		}
	}
	if translated != 2 {
		t.Errorf("%d translated, want 2", translated)
	}
}

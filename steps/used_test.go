package steps

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A sum has everything of both, and changes neither: not even the list of
// denials of which both are made.
func TestSumOfWhatWasUsed(t *testing.T) {
	denials := make([]Denial, 1, 4) // with room that a sum must not write to
	denials[0].Tool = "first"
	first := Used{Turns: 1, ToolCalls: 2, Denied: denials, Lost: 1, Unpriced: []string{"b"}, Usage: &providers.Usage{InputTokens: 3}}
	second := Used{
		Turns: 10, Truncated: 1, Cached: 2, SavedUSD: 0.5, Denied: []Denial{{Tool: "second"}},
		Unpriced: []string{"a", "b"}, Usage: &providers.Usage{InputTokens: 4, OutputTokens: 1}, CostUSD: new(2.0),
	}
	want := Used{
		Turns: 11, ToolCalls: 2, Truncated: 1, Lost: 1, Cached: 2, SavedUSD: 0.5, Denied: []Denial{{Tool: "first"}, {Tool: "second"}},
		Unpriced: []string{"a", "b"}, Usage: &providers.Usage{InputTokens: 7, OutputTokens: 1}, CostUSD: new(2.0),
	}
	if diff := cmp.Diff(want, first.Plus(second)); diff != "" {
		t.Errorf("Plus (-want +got):\n%s", diff)
	}
	if written := denials[:2][1].Tool; written != "" {
		t.Errorf("Plus has written %q behind the list of the first", written)
	}
	var sum Used
	sum.Add(first)
	sum.Add(second)
	if diff := cmp.Diff(want, sum); diff != "" {
		t.Errorf("Add (-want +got):\n%s", diff)
	}
	sum.Denied[0].Tool, *sum.Usage, *sum.CostUSD = "changed", providers.Usage{}, 0
	if first.Denied[0].Tool != "first" || first.Usage.InputTokens != 3 || second.Usage.InputTokens != 4 || *second.CostUSD != 2 {
		t.Errorf("a change to the sum has changed what it is of: %+v, %+v", first, second)
	}
}

package workflows

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func contains(ds Diagnostics, message string) bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return strings.Contains(d.Message, message) })
}

// TestReachIsTransitive compares which steps may be referred to, in lists made
// at random, with a search that follows needs one by one.
func TestReachIsTransitive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		size := 2 + random.IntN(12)
		needs := make([][]int, size)
		var src strings.Builder
		src.WriteString("name: x\nsteps:\n")
		for i := range size {
			fmt.Fprintf(&src, "- id: s%d\n  run: x\n", i)
			if i > 0 && random.IntN(2) == 0 {
				needs[i] = []int{i - 1} // the one above
				continue
			}
			var ids []string
			for j := range i {
				if random.IntN(4) == 0 {
					needs[i] = append(needs[i], j)
					ids = append(ids, fmt.Sprintf("s%d", j))
				}
			}
			fmt.Fprintf(&src, "  needs: [%s]\n", strings.Join(ids, ", "))
		}
		from, to := random.IntN(size), random.IntN(size)
		text := strings.Replace(src.String(), fmt.Sprintf("- id: s%d\n  run: x\n", from), fmt.Sprintf("- id: s%d\n  run: echo ${{ steps.s%d.text }}\n", from, to), 1)
		_, ds := Parse("x.yaml", []byte(text), Options{})
		if got, want := !ds.HasErrors(), follows(needs, from, to); got != want {
			t.Fatalf("s%d refers to s%d: allowed %v, want %v in\n%s", from, to, got, want, text)
		}
	}
}

// follows reports whether a step waits for another, by way of others too.
func follows(needs [][]int, from, to int) bool {
	return slices.ContainsFunc(needs[from], func(need int) bool { return need == to || follows(needs, need, to) })
}

// TestCycles shows that each cycle is found, and none where there is none.
func TestCycles(t *testing.T) {
	tests := []struct{ what, steps, want string }{
		{"two", "{id: a, needs: [b], run: x}, {id: b, needs: [a], run: x}", "a → b → a"},
		{"by the one above", "{id: a, needs: [c], run: x}, {id: b, run: x}, {id: c, run: x}", "a → c → b → a"},
		{"apart from others", "{id: z, run: x}, {id: a, needs: [b], run: x}, {id: b, needs: [a, z], run: x}, {id: y, run: x}", "a → b → a"},
		{"inside a group", "{id: g, steps: [{id: a, needs: [b], run: x}, {id: b, run: x}]}", "a → b → a"},
		{"none", "{id: a, needs: [b], run: x}, {id: b, needs: [], run: x}", ""},
		{"a diamond", "{id: a, run: x}, {id: b, needs: [a], run: x}, {id: c, needs: [a], run: x}, {id: d, needs: [b, c], run: x}", ""},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			_, ds := Parse("x.yaml", []byte("name: x\nsteps: ["+tt.steps+"]\n"), Options{})
			if tt.want == "" && len(ds) > 0 || tt.want != "" && !contains(ds, "steps wait for each other: "+tt.want) {
				t.Errorf("got %v, want %q", ds, tt.want)
			}
		})
	}
}

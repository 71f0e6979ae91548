package steps

import (
	"fmt"
	"testing"
)

// BenchmarkConversation gives the cost of one turn, with one call, in
// conversations of different lengths: it does not grow with them.
func BenchmarkConversation(b *testing.B) {
	for _, turns := range []int{20, 200, 2000} {
		b.Run(fmt.Sprintf("%d turns", turns), func(b *testing.B) {
			plays := make([]play, turns)
			for i := range plays {
				plays[i] = calls(fmt.Sprintf(`echo {"n": %d}`, i))
			}
			plays = append(plays, says("done"))
			set := toolbox(b)
			b.ReportAllocs()
			for n := 0; n < b.N; n += turns {
				a := Agent{
					Model: playing(plays...), Prompt: "go", Tools: set,
					Hooks: Hooks{Observe: func(Event) {}},
				}
				if r := a.Run(b.Context()); r.Status != Succeeded {
					b.Fatal(r.Error)
				}
			}
		})
	}
}

// BenchmarkAdd gives the cost of adding an element with three denied calls to
// sums of different lengths: it does not grow with them.
func BenchmarkAdd(b *testing.B) {
	one := Used{Turns: 1, Denied: make([]Denial, 3)}
	for _, elements := range []int{200, 2_000, 20_000} {
		b.Run(fmt.Sprintf("%d elements", elements), func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; n < b.N; n += elements {
				var sum Used
				for range elements {
					sum.Add(one)
				}
			}
		})
	}
}

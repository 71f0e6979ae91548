package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// What a driver is told of a run that is resumed: of each unit what becomes of it, once, and
// twice only if it goes on at first.
func TestRevived(t *testing.T) {
	for _, tt := range []struct{ name, workflow, text, want string }{
		{"what did not succeed starts over", file("- {id: a, run: x}", "- {id: b, run: x}"), `
			> run | began a~1 | ended a succeeded | began b~1 | ended b failed | end failed | resumed`,
			"b starts over"},
		{"what was cut off goes on", file("- {id: a, run: x}"), `
			> run | began a~1 | decided stop | ended a cancelled | end cancelled | resumed`,
			"a goes on"},
		{"a group goes on, and what failed inside it starts over", file("- {id: g, steps: [{id: a, run: x}, {id: b, run: x}]}"), `
			> run | began g~1 | began g/a~1 | ended g/a succeeded | began g/b~1 | ended g/b failed | ended g failed | end failed | resumed`,
			"g/b starts over, g goes on"},
		{"elements wait for room", file("- {id: a, foreach: [1], max_parallel: 1, on_error: continue, run: x}"), `
			> run | decided a elements=2 | began a[0]~1 | ended a[0] failed | began a[1]~1 | ended a[1] failed | ended a failed | end failed | resumed`,
			"a[0] is owed, a[1] is owed, a[0] starts over, a goes on"},
		{"what depends on what starts over does, too",
			file("- {id: a, run: x, on_error: continue}", "- {id: b, run: 'echo ${{ steps.a.status }}'}", "- {id: c, run: x}"), `
			> run | began a~1 | ended a failed forgiven | began b~1 | ended b succeeded | began c~1 | ended c failed | end failed | resumed`,
			"a starts over, c starts over, b starts over"},
		{"what goes on, and depends on what starts over, starts over after all",
			file("- {id: a, run: x, on_error: continue}", "- {id: g, steps: [{id: b, run: 'echo ${{ steps.a.status }}'}, {id: c, run: x}]}"), `
			> run | began a~1 | ended a failed forgiven | began g~1 | began g/b~1 | ended g/b succeeded | began g/c~1 | ended g/c failed | ended g failed | end failed | resumed`,
			"a starts over, g/c starts over, g goes on, g starts over"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var told []string
			p := New(parse(t, tt.workflow), Options{Revived: func(u journal.Unit, how Revival) {
				told = append(told, fmt.Sprintf("%s %s", u.WithAttempt(0), []string{"is owed", "goes on", "starts over"}[how]))
			}})
			tell(t, p, tt.text, 3, 0)
			if got := strings.Join(told, ", "); got != tt.want {
				t.Errorf("it was told\n%s\nwant\n%s", got, tt.want)
			}
			if slices.Sort(told); len(slices.Compact(slices.Clone(told))) != len(told) {
				t.Errorf("something is told twice: %q", told)
			}
		})
	}
}

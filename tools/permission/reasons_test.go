package permission

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestReasons compares what users and models are told with testdata/reasons.txt:
// a command on a line that begins with $, and the decision with its parts below.
func TestReasons(t *testing.T) {
	const golden = "testdata/reasons.txt"
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	m := newSandbox(t)
	p := build(t, m, Config{}, Rules{
		"bash":  {{"git *", Allow}, {"git push *", Ask}, {"rm -rf *", Deny}, {"sed *", Allow}, {"cat *", Allow}, {"env *", Allow}, {"find *", Allow}, {"echo *", Allow}, {"sh -c *", Allow}, {"awk *", Allow}, {"cp *", Allow}, {"ln *", Allow}},
		"write": {{"docs/**", Allow}, {"docs/private/**", Deny}},
		"read":  {{"*", Allow}, {"config/**", Deny}},
	})
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "$ ")
		if !ok {
			continue
		}
		d := p.Decide(bashCall(m.path(strings.ReplaceAll(command, `\n`, "\n"))))
		fmt.Fprintf(&out, "$ %s\n%s\n", command, strings.ReplaceAll(describe(d), m.base, ""))
	}
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(text), out.String()); diff != "" && !*update {
		t.Errorf("reasons (-want +got, rewrite with -update):\n%s", diff)
	}
}

// describe writes a decision and its parts.
func describe(d Decision) string {
	var out strings.Builder
	refused := ""
	if d.Never {
		refused = ", and no rule can allow it"
	}
	fmt.Fprintf(&out, "%s%s: %s\n", d.Verdict, refused, d.Reason)
	for _, part := range d.Parts {
		fmt.Fprintf(&out, "  %-5s [%s] %s: %s\n", part.Verdict, part.Rule, strings.ReplaceAll(part.Source, "\n", `\n`), part.Reason)
	}
	return out.String()
}

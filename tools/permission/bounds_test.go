package permission

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/bash"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/command"
)

// numbered repeats a format with numbers from 0 on.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestBounds goes beyond each bound on a command by a little: it is refused with a
// reason that says which. Just below it, it is judged.
func TestBounds(t *testing.T) {
	m := newSandbox(t)
	p := build(t, m, Config{}, Rules{"bash": only("*", Allow), "write": only("**", Allow)})
	for _, c := range []struct {
		name, below, beyond, why string
	}{
		{"length", "echo " + strings.Repeat("a", command.MaxSource-5), "echo " + strings.Repeat("a", command.MaxSource-4), "longer than 32 KiB"},
		{"commands", strings.Repeat("ls;", command.MaxCommands), strings.Repeat("ls;", command.MaxCommands+1), "more than 256 commands"},
		{"substitutions", strings.Repeat("echo $(", command.MaxDepth) + "ls" + strings.Repeat(")", command.MaxDepth), strings.Repeat("echo $(", command.MaxDepth+1) + "ls" + strings.Repeat(")", command.MaxDepth+1), "nested more than 16 deep"},
		{"wrappers", strings.Repeat("env ", command.MaxDepth) + "ls", strings.Repeat("env ", command.MaxDepth+1) + "ls", "nested too deep"},
		{"brackets", "echo " + strings.Repeat("'('", bash.MaxNesting), "echo " + strings.Repeat("'('", bash.MaxNesting+1), "nested too deep"},
		{"words of braces", "echo {1..1024}", "echo {1..32}{1..32}{1..2}", "braces make too many words"},
		{"words of all braces", "echo" + strings.Repeat(" {1..1024}", 3), "echo" + strings.Repeat(" {1..1024}", 5), "braces make too many words"},
		{"words of an input", "ls < {1..32}{1..32}", "ls < {1..32}{1..32}{1..2}", "braces make too many words"},
		{"paths", "ls " + numbered("%x ", maxLooks-1), "ls " + numbered("%x ", maxLooks+1), "too many words"},
	} {
		if got := p.Decide(bashCall(c.below)); strings.Contains(got.Reason, c.why) {
			t.Errorf("%s: below the bound: %s", c.name, got.Reason)
		}
		if got := p.Decide(bashCall(c.beyond)); !got.Never || !strings.Contains(got.Reason, c.why) {
			t.Errorf("%s: beyond the bound: never %t, %s", c.name, got.Never, got.Reason)
		}
	}
}

// TestManyFiles: a glob in a folder with more files than are looked at may become
// any of them.
func TestManyFiles(t *testing.T) {
	m := newSandbox(t)
	for i := range maxLooks + 1 {
		if err := os.WriteFile(filepath.Join(m.path("/ws/docs"), fmt.Sprint("f", i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := build(t, m, Config{}, Rules{"bash": only("cat *", Allow)})
	for command, want := range map[string]Verdict{"cat docs/*": Deny, "cat docs/f*": Deny, "cat docs/f12*": Allow, "cat src/*": Allow} {
		if got := p.Decide(bashCall(command)); got.Verdict != want {
			t.Errorf("%s: %v (%s), want %v", command, got.Verdict, got.Reason, want)
		}
	}
}

// TestLongPatterns: a rule may have long words; one of very many words is a mistake.
func TestLongPatterns(t *testing.T) {
	word := strings.Repeat("a", 5000)
	p, err := New(Config{Root: t.TempDir(), Domains: []Domain{{Layers: []Rules{{"bash": {{"git *", Allow}, {"git " + word, Deny}}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]Verdict{"git " + word: Deny, "git status": Allow, "git aaa*": Deny} {
		if got := p.Decide(bashCall(command)); got.Verdict != want {
			t.Errorf("%.20s: %v, want %v: %s", command, got.Verdict, want, got.Reason)
		}
	}
	rules := Rules{"bash": {{strings.Repeat("a ", 1000), Allow}}}
	if _, err := New(Config{Root: t.TempDir(), Domains: []Domain{{Layers: []Rules{rules}}}}); err == nil {
		t.Error("1,000 words are accepted")
	}
}

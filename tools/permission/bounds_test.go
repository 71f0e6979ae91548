package permission

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/bash"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/reach"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
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
		{"length", "echo " + strings.Repeat("a", script.MaxSource-5), "echo " + strings.Repeat("a", script.MaxSource-4), "longer than 32 KiB"},
		{"commands", strings.Repeat("ls;", script.MaxCommands), strings.Repeat("ls;", script.MaxCommands+1), "more than 256 commands"},
		{"substitutions", strings.Repeat("echo $(", script.MaxDepth) + "ls" + strings.Repeat(")", script.MaxDepth), strings.Repeat("echo $(", script.MaxDepth+1) + "ls" + strings.Repeat(")", script.MaxDepth+1), "nested more than 16 deep"},
		{"wrappers", strings.Repeat("env ", script.MaxDepth) + "ls", strings.Repeat("env ", script.MaxDepth+1) + "ls", "nested too deep"},
		{"evals", strings.Repeat("eval ", script.MaxDepth) + "ls", strings.Repeat("eval ", script.MaxDepth+1) + "ls", "nested too deep"},
		{"brackets", "echo " + strings.Repeat("'('", bash.MaxNesting), "echo " + strings.Repeat("'('", bash.MaxNesting+1), "nested too deep"},
		{"words of braces", "echo {1..1024}", "echo {1..32}{1..32}{1..2}", "braces make too many words"},
		{"words of all braces", "echo" + strings.Repeat(" {1..1024}", 3), "echo" + strings.Repeat(" {1..1024}", 5), "braces make too many words"},
		{"words in a declaration", "export {1..32}{1..32}", "export {1..32}{1..32}{1..2}", "braces make too many words"},
		{"words of an input", "ls < {1..32}{1..32}", "ls < {1..32}{1..32}{1..2}", "braces make too many words"},
		{"globs", "ls " + numbered("a%d* ", reach.MaxGlobs), "ls " + numbered("a%d* ", reach.MaxGlobs+1), "too many globs"},
		{"paths", "ls " + numbered("%x ", reach.MaxLooks-1), "ls " + numbered("%x ", reach.MaxLooks+1), "too many words"},
		{"files to write", "touch " + numbered("docs/%x ", reach.MaxWritten), "touch " + numbered("docs/%x ", reach.MaxWritten+1), "writes too many files"},
		{"files to copy", "cp -t docs " + numbered("%x ", 30), "cp -t docs " + numbered("%x ", reach.MaxCopies+1), "copies or links too many"},
		{"links", numbered("ln -s x docs/%x;", 150), "ln -s -t docs " + numbered("docs/%x ", 700), "copies or links too many"},
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
	for i := range reach.MaxLooks + 1 {
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

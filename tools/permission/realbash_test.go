//go:build unix

package permission

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRealBash generates commands out of every construct, runs them in a real
// bash whose programs are stubs that log their names and arguments, and checks
// that the walk saw whatever was run: a deny rule for each logged command has to
// hit under a catch-all that allows. FLOW_PERMISSION_GENERATED says how many
// commands to compare.
func TestRealBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("NO COMMANDS WERE COMPARED: there is no bash")
	}
	n := 150
	if more, err := strconv.Atoi(os.Getenv("FLOW_PERMISSION_GENERATED")); err == nil {
		n = more
	}
	b := newStubs(t, bash)
	random := rand.New(rand.NewPCG(1, uint64(n)))
	ran := 0
	for range n {
		command := generate(random, 3)
		for _, argv := range b.run(t, command) {
			ran++
			rules := Rules{"bash": {{"*", Allow}, {argv, Deny}}, "write": {{"**", Allow}}}
			p, err := New(Config{Root: b.dir, Home: b.dir, Domains: []Domain{{Layers: []Rules{rules}}}})
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Decide(bashCall(command)); got.Verdict != Deny {
				t.Errorf("%s\nran %q, which no part shows", command, argv)
			}
		}
	}
	t.Logf("%d commands compared, %d programs run", n, ran)
	if ran < n/4 {
		t.Errorf("only %d programs were run", ran)
	}
}

// stubs is a folder in which bash finds only programs that log their calls.
type stubs struct{ bash, dir, bin, log string }

var stubNames = []string{"aa", "bb", "cc", "dd"}

func newStubs(t *testing.T, bash string) stubs {
	t.Helper()
	b := stubs{bash: bash, dir: t.TempDir(), bin: t.TempDir()}
	b.log = filepath.Join(t.TempDir(), "log")
	// One write a call, for the parts of a pipe run at once.
	script := fmt.Sprintf("#!%s\nIFS=$'\\037'\nprintf '%%s\\n' \"${0##*/}$IFS$*\" >>%q\n", bash, b.log)
	for _, name := range stubNames {
		if err := os.WriteFile(filepath.Join(b.bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"env", "xargs", "timeout", "nice", "nohup", "find"} {
		if real, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(real, filepath.Join(b.bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"f1.txt", "f2.txt"} {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte("aa\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// run returns the distinct command lines that a command runs.
func (b stubs) run(t *testing.T, command string) []string {
	t.Helper()
	if err := os.RemoveAll(b.log); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.bash, "--norc", "--noprofile", "-c", command)
	cmd.Dir = b.dir
	cmd.Env = []string{"PATH=" + b.bin, "HOME=" + b.dir, "LC_ALL=C.UTF-8"}
	// A generated loop may have no end: all that it started goes with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	// Waiting for the output to close waits for what runs in the background.
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // its status says nothing: what was logged counts
	log, _ := os.ReadFile(b.log)
	var out []string
	for line := range bytes.Lines(log) {
		words := strings.Split(strings.TrimSuffix(string(line), "\n"), "\x1f")
		// A rule cannot say every word: keep those before such a one.
		if i := slices.IndexFunc(words, func(w string) bool { return !printableASCII(w) || strings.ContainsAny(w, "*? ") }); i >= 0 {
			words = words[:i]
		}
		if len(words) > 0 {
			out = append(out, strings.Join(words, " "))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// generate returns a command that is at most depth constructs deep.
func generate(r *rand.Rand, depth int) string {
	if depth == 0 {
		return simpleCommand(r, 0)
	}
	sub := func() string { return generate(r, depth-1) }
	forms := []func() string{
		func() string { return simpleCommand(r, depth) },
		func() string { return simpleCommand(r, depth) },
		func() string { return sub() + "; " + sub() },
		func() string { return sub() + " && " + sub() },
		func() string { return sub() + " || " + sub() },
		func() string { return sub() + " | " + sub() },
		func() string { return "{ " + sub() + "; }" },
		func() string { return "( " + sub() + " )" },
		func() string { return "if " + sub() + "; then " + sub() + "; else " + sub() + "; fi" },
		func() string { return "for v in " + argument(r, depth) + "; do " + sub() + "; done" },
		func() string { return "case " + argument(r, depth) + " in *) " + sub() + ";; esac" },
		func() string { return "! " + sub() },
		func() string { return "v=" + argument(r, depth) + "; " + sub() },
		func() string { return "f() { " + sub() + "; }; f" },
		func() string { return "[[ -n " + argument(r, depth) + " ]] && " + sub() },
		func() string { return "eval " + single(sub()) },
		func() string { return "trap " + single(sub()) + " EXIT" },
		func() string { return sub() + " <<EOF\n" + argument(r, depth) + "\nEOF\n" },
		func() string { return "time " + sub() },
		func() string { return sub() + soup(r) + sub() },
		func() string { return "until " + sub() + "; do " + sub() + "; break; done" },
		func() string { return "while ! " + sub() + "; do " + sub() + "; break; done" },
	}
	return forms[r.IntN(len(forms))]()
}

// soup returns what may stand between two commands: comments, newlines and
// backslashes in any order, where a parser may lose its place.
func soup(r *rand.Rand) string {
	tokens := []string{" #", "\n", "\\\n", "\\", " ", "x", ";", "\n#", "'", "\"", "`#", "${#x}", " #\\\n", "\\\\\n", "a#b", "\t#", "&#"}
	var out strings.Builder
	for range 1 + r.IntN(5) {
		out.WriteString(tokens[r.IntN(len(tokens))])
	}
	return out.String() + "\n"
}

// single quotes a script.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func simpleCommand(r *rand.Rand, depth int) string {
	prefixes := []string{
		"", "", "", "", "env ", "env A=b ", "env -i PATH=\"$PATH\" ", "nice ", "nohup ", "timeout 5 ", "command ", "exec ", "X=1 ", "LANG=C ",
		"builtin command ", "find f1.txt -exec ", "echo x | xargs ", "builtin eval ",
	}
	prefix := prefixes[r.IntN(len(prefixes))]
	words := []string{prefix + spell(r, stubNames[r.IntN(len(stubNames))])}
	for range r.IntN(3) {
		words = append(words, argument(r, depth))
	}
	command := strings.Join(words, " ")
	if strings.HasPrefix(prefix, "find") {
		command += ` {} \;`
	}
	redirects := []string{"", "", "", " >out", " 2>/dev/null", " <f1.txt", " <<<" + argument(r, depth)}
	return command + redirects[r.IntN(len(redirects))]
}

// spell writes a name in one of the shell's many ways.
func spell(r *rand.Rand, name string) string {
	ways := []string{
		name, name, name, `"` + name + `"`, "'" + name + "'", `\` + name, name[:1] + `""` + name[1:], "$'\\x" + fmt.Sprintf("%x", name[0]) + "'" + name[1:],
		name[:1] + "\\\n" + name[1:], "{" + name + ",x}", "{,}" + name, "$(echo " + name + ")", "`echo " + name + "`", "${none:-" + name + "}",
		"$'" + name + "\\0z'", name[:1] + "$none" + name[1:], "$'\\" + fmt.Sprintf("%o", name[0]) + "'" + name[1:],
		"$'\\u00" + fmt.Sprintf("%x", name[0]) + "'" + name[1:], "$\"" + name + "\"", "{" + name + ",}", "${IFS}" + name, "$'\\x{" + fmt.Sprintf("%x", name[0]) + "}'" + name[1:],
	}
	return ways[r.IntN(len(ways))]
}

func argument(r *rand.Rand, depth int) string {
	plain := []string{
		"x", "-n", "*.txt", "f?.txt", "'a b'", `"q"`, "$none", `"$none"`, "~", "{1..3}", "{a,b}c", "$((1+2))", `\*`, "a{b", "f[12].txt", "$'t\\tu'",
		"--", "a=~/b", "{3..1}", "{a..c}", "{01..03}", "x{,y}z", "{a,{b,c}}d", `"{a,b}"`, "\\{a,b}", "{a,b\\,c}", "{a", "a,b}", "{}", "{1..x}", "~/z", "'~'",
		"{a..e..2}", "{-1..1}", "${none:-{a,b}}", "{\"a b\",c}", "{$none,k}", "$'\\cA'", "1a=~", "=~", "a=~\"\"x", "a+=~", "$'\\e'",
	}
	if depth == 0 || r.IntN(3) > 0 {
		return plain[r.IntN(len(plain))]
	}
	inner := generate(r, depth-1)
	ways := []string{
		"$(" + inner + "\n)", `"$(` + inner + "\n)\"", "<(" + inner + "\n)", "${none:-$(" + inner + "\n)}", `"a$(` + inner + "\n)b\"", "$(( $(" + inner + "\n) 1 ))",
		"${none:=$(" + inner + "\n)}", "${PATH#$(" + inner + "\n)}", "${PATH/$(" + inner + "\n)/q}",
	}
	return ways[r.IntN(len(ways))]
}

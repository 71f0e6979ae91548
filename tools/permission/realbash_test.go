package permission

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// TestRealBash generates commands, runs those that are allowed in a real bash
// whose programs are stubs that log how they were called, and checks that each
// call was judged. FLOW_PERMISSION_GENERATED says how many commands are run.
func TestRealBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("NO COMMANDS WERE COMPARED: there is no bash")
	}
	n, end := generatedCommands(3000)
	const workers = 4
	var compared, programs atomic.Int64
	var wait sync.WaitGroup
	for i := range workers {
		b := newStubs(t, bash)
		g := grammar{rand.New(rand.NewPCG(uint64(i), uint64(n)))}
		wait.Go(func() {
			for range n / workers / 2 {
				if time.Now().After(end) {
					return
				}
				programs.Add(b.compareSeen(t, g))
				programs.Add(b.compareAllowed(t, g))
				compared.Add(2)
			}
		})
	}
	wait.Wait()
	t.Logf("%d commands compared, %d programs run", compared.Load(), programs.Load())
	if programs.Load() < compared.Load()/2 {
		t.Errorf("only %d programs were run", programs.Load())
	}
}

// generatedCommands returns how many commands to generate, and when to stop on a
// machine that is too slow for them.
func generatedCommands(usual int) (n int, end time.Time) {
	if more, err := strconv.Atoi(os.Getenv("FLOW_PERMISSION_GENERATED")); err == nil {
		return more, time.Now().Add(time.Hour)
	}
	return usual, time.Now().Add(8 * time.Second)
}

// compareSeen runs a command that the catch-all allows: a deny rule for each
// logged call has to hit.
func (b stubs) compareSeen(t *testing.T, g grammar) (programs int64) {
	anything := Rules{"bash": {{"*", Allow}, {"never *", Deny}}, "write": only("**", Allow)}
	command, ran := b.runAllowed(t, g, anything)
	for _, argv := range ran {
		rule := expressible(argv)
		if rule == "" {
			continue
		}
		rules := Rules{"bash": {{"*", Allow}, {rule, Deny}}, "write": anything["write"]}
		if got := b.policy(t, rules).Decide(bashCall(command)); got.Verdict != Deny {
			t.Errorf("%s\nran %q, which no part shows", command, argv)
		}
	}
	return int64(len(ran))
}

// expressible returns a rule for the words of a call that a rule can say, from
// its name on.
func expressible(argv []string) string {
	if i := slices.IndexFunc(argv, func(w string) bool { return !pattern.PrintableASCII(w) || strings.ContainsAny(w, "*? ") }); i >= 0 {
		argv = argv[:i]
	}
	return strings.TrimSuffix(strings.Join(argv, " "), ":*")
}

// allowPool are rules of which some are given to compareAllowed: those for the
// stubs come first.
var allowPool = []string{
	"aa *", "bb *", "cc *", "dd *", "bb", "bb x *", "cc * x", "dd -n *", "aa f2* *", "cc ?z *", "dd x=* *", "aa * * x", "bb ~* *",
	"env *", "xargs *", "find *", "command *", "builtin *", "exec *", "eval *", "trap *", "bash -c *", "alias *", "shopt *", "set *", "export *", "declare *",
}

const stubRules = 13

// compareAllowed runs a command that some rules allow: one of them has to cover
// each logged call.
func (b stubs) compareAllowed(t *testing.T, g grammar) (programs int64) {
	rules := Rules{"write": only("**", Allow)}
	var covers []*regexp.Regexp
	for i, pattern := range allowPool {
		if i < stubRules && g.IntN(2) > 0 {
			continue
		}
		rules["bash"] = append(rules["bash"], Rule{pattern, Allow})
		if i < stubRules {
			covers = append(covers, ruleExpression(pattern))
		}
	}
	command, ran := b.runAllowed(t, g, rules)
	for _, argv := range ran {
		line := strings.Join(argv, "\x1f") + "\x1f"
		if !slices.ContainsFunc(covers, func(e *regexp.Regexp) bool { return e.MatchString(line) }) {
			t.Errorf("%s\nran %q, which no rule allows (%v)", command, argv, rules["bash"][:len(covers)])
		}
	}
	return int64(len(ran))
}

// ruleExpression returns a rule as a regular expression over a call whose words
// each end in \x1f.
func ruleExpression(pattern string) *regexp.Regexp {
	var out strings.Builder
	words := strings.Fields(pattern)
	for i, word := range words {
		switch {
		case word == "*" && i == len(words)-1:
			out.WriteString("([^\x1f]*\x1f)*")
		case word == "*":
			out.WriteString("([^\x1f]*\x1f)+")
		default:
			out.WriteString(strings.NewReplacer(`\*`, "[^\x1f]*", `\?`, "[^\x1f]").Replace(regexp.QuoteMeta(word)) + "\x1f")
		}
	}
	return regexp.MustCompile("^" + out.String() + "$")
}

// runAllowed generates commands until one is allowed, and runs it.
func (b stubs) runAllowed(t *testing.T, g grammar, rules Rules) (command string, ran [][]string) {
	p := b.policy(t, rules)
	for {
		command = g.script(1 + g.IntN(3))
		if d := p.Decide(bashCall(command)); d.Verdict == Allow {
			read, err := p.Read(command, "")
			if err != nil {
				t.Error(err)
			}
			return command, b.run(t, read.Script)
		}
	}
}

func (b stubs) policy(t *testing.T, rules Rules) *Policy {
	p, err := New(Config{Root: b.dir, Home: b.dir, Domains: []Domain{{Layers: []Rules{rules}}}})
	if err != nil {
		t.Error(err)
		return &Policy{}
	}
	return p
}

// stubs is a folder in which bash finds only programs that log their calls.
type stubs struct{ bash, dir, bin string }

var stubNames = []string{"aa", "bb", "cc", "dd"}

// logDescriptor is where the stubs write; all that a command starts inherits it.
const logDescriptor = 9

func newStubs(t *testing.T, bash string) stubs {
	t.Helper()
	b := stubs{bash: bash, dir: t.TempDir(), bin: t.TempDir()}
	shell := "/bin/sh"
	if dash, err := exec.LookPath("dash"); err == nil {
		shell = dash // it starts faster
	}
	// One write a call, for the parts of a pipe run at once.
	script := fmt.Sprintf("#!%s\nIFS='\x1f'\nprintf '%%s\\0' \"${0##*/}$IFS$*\" >&%d\n", shell, logDescriptor)
	for _, name := range stubNames {
		if err := os.WriteFile(filepath.Join(b.bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"env", "xargs", "timeout", "nice", "nohup", "find", "bash"} {
		if real, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(real, filepath.Join(b.bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Symlink(b.bin, filepath.Join(b.dir, "bin")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f1.txt", "f2.txt", "aa", "name"} {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte("aa\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// run returns the calls that a command makes, those of what it leaves in the
// background too.
func (b stubs) run(t *testing.T, command string) (ran [][]string) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Error(err)
		return nil
	}
	defer read.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.bash, "--norc", "--noprofile", "-c", command)
	cmd.Dir = b.dir
	cmd.Env = []string{"PATH=" + b.bin, "HOME=" + b.dir, "LC_ALL=C.UTF-8"}
	cmd.ExtraFiles = append(make([]*os.File, logDescriptor-3), write)
	// A generated loop may have no end: all that it started goes with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		write.Close()
		return nil
	}
	write.Close()
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	log, _ := io.ReadAll(io.LimitReader(read, 1<<20)) // ends with the last that was started
	stop()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait() // its status says nothing: what was logged counts
	for call := range bytes.SplitSeq(log, []byte{0}) {
		if len(call) > 0 {
			ran = append(ran, strings.Split(strings.TrimSuffix(string(call), "\x1f"), "\x1f"))
		}
	}
	return ran
}

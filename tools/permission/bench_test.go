package permission

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/command"
)

// usualPolicy is a policy as a step of a code review has it.
func usualPolicy(t testing.TB, m sandbox) *Policy {
	t.Helper()
	rules := Rules{"read": {{"config/**", Deny}}, "write": {{"docs/**", Allow}}}
	for _, pattern := range []string{
		"git log *", "git diff *", "git show *", "git status *", "git ls-files *", "ls *", "cat *", "head *", "tail *", "grep *",
		"rg *", "find *", "wc *", "sort *", "uniq *", "sed *", "awk *", "diff *", "echo *", "printf *", "go build *", "go test *",
		"env *", "xargs *", "bash -c *", "eval *", "git * main",
	} {
		rules["bash"] = append(rules["bash"], Rule{pattern, Allow})
	}
	rules["bash"] = append(rules["bash"], Rule{"rm *", Deny}, Rule{"git push *", Deny}, Rule{"*", Deny})
	p, err := New(Config{Root: m.path("/ws"), Home: m.path("/home/u"), Domains: []Domain{{Layers: []Rules{rules}}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// widePolicy has rules that may fit any path and any command.
func widePolicy(t testing.TB, m sandbox) *Policy {
	t.Helper()
	rules := Rules{"bash": {{"*", Allow}, {"* x *", Deny}}, "write": {{"docs/**", Allow}}}
	for i := range 12 {
		rules["bash"] = append(rules["bash"], Rule{fmt.Sprintf("prog%d * push *", i), Deny})
		rules["read"] = append(rules["read"], Rule{fmt.Sprintf("**/secret%d*/**", i), Deny})
		rules["write"] = append(rules["write"], Rule{fmt.Sprintf("**/no%d/**", i), Deny})
	}
	return build(t, m, Config{}, rules)
}

func BenchmarkOrdinary(b *testing.B) {
	p := usualPolicy(b, newSandbox(b))
	for _, command := range []string{
		"git log --oneline -5",
		`cd docs && grep -rn "TODO" . | head -20 > log.txt`,
		`for f in docs/*.md; do echo "== $f"; done; git diff HEAD~1 --stat | wc -l`,
	} {
		b.Run(command, func(b *testing.B) {
			call := bashCall(command)
			for b.Loop() {
				p.Decide(call)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	p := usualPolicy(b, newSandbox(b))
	for b.Loop() {
		p.Readable("docs/a.md")
	}
}

// hostile returns commands of 32 KiB that are made to be slow.
func hostile() map[string]string {
	fill := func(head, unit, tail string) string {
		return head + strings.Repeat(unit, (command.MaxSource-len(head)-len(tail))/len(unit)) + tail
	}
	count := func(head, format string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < command.MaxSource-200; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	links := strings.Repeat("ln -s x docs/y;", 100)
	for i := range 150 {
		links += fmt.Sprintf("ln -s x docs/%x;", i)
	}
	nest := func(open, middle, close string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(close, n)
	}
	return map[string]string{
		"words":           fill("cat ", "a ", ""),
		"other words":     count("cat ", "%x "),
		"other marks":     count("cat ", "%x="+strings.Repeat("x=", 60)+" "),
		"other files":     count("rm ", "docs/%x "),
		"other outputs":   count("cat ", ">docs/%x "),
		"linked outputs":  count(links+"cat ", ">docs/%x/a "),
		"other settings":  count("env ", "a%x=b "),
		"lost words":      count(strings.Repeat("cd docs;", 40)+"cat ", "%x "),
		"lost moves":      count(strings.Repeat("cd docs;", 40)+"mv -t docs ", "%x "),
		"other options":   count("git log ", "--a%x=b "),
		"other revisions": count("git show ", "a%x:b "),
		"other evals":     count("eval $X ", "%x "),
		"other places":    count("cd docs;cd ../src;cd ../docs;cat ", "%x "),
		"other home":      count("cat ", "~/%x "),
		"links":           count(links+"cat ", "%x "),
		"linked globs":    count(links+"cat ", "a%x* "),
		"moves":           count("mv -t docs ", "docs/%x "),
		"pipes":           fill("ls", "|ls", ""),
		"continued":       fill("ls ", "a \\\n", ""),
		"long word":       fill("cat ", "a", ""),
		"slashes":         fill("cat ", "a/", ""),
		"up and down":     fill("cat ", "docs/../", "x"),
		"paths":           fill("cat ", "docs/a ", ""),
		"globs":           fill("cat ", "*a ", ""),
		"long glob":       fill("cat ", "*a", ""),
		"marks":           fill("cat ", "a=b@", ""),
		"marked words":    fill("cat ", "a=@ ", ""),
		"dynamic":         fill("git ", "$x ", "main"),
		"wrappers":        fill("", "env ", "ls"),
		"unreadable":      fill("xargs --what ", "a/b ", ""),
		"quoted words":    fill("xargs --what '", "a/b ", "'"),
		"semicolons":      fill("", "ls;", ""),
		"parentheses":     nest("(", "ls", ")", 16000),
		"braces":          fill("ls ", "{a,b}", ""),
		"many braces":     fill("ls ", "{a,b} ", ""),
		"deep braces":     "ls " + nest("{a,", "b", "}", 900),
		"substitution":    nest("$(", "ls", ")", 10000),
		"backquotes":      fill("", "`", ""),
		"loops":           nest("for i in x;do ", "ls", ";done", 1600),
		"cd loops":        "cd docs;" + nest("for i in x;do ", "ls", ";done", 1600),
		"cds":             fill("", "cd docs;", ""),
		"ifs":             nest("if ls;then ", "ls", ";fi", 120) + strings.Repeat(" ", command.MaxSource-2048),
		"heredocs":        fill("cat ", "<<a ", "\n"),
		"assignments":     fill("", "a=b ", "ls"),
		"redirects":       fill("ls ", ">docs/x ", ""),
		"parameters":      "echo " + nest("${x:-", "y", "}", 5000),
		"tests":           "[[ " + nest("( ", "a", " )", 8000) + " ]]",
		"arithmetic":      "echo $((" + nest("(", "1", ")", 16000) + "))",
		"quotes":          fill("cat ", `"a"`, ""),
		"strings":         fill("bash -c '", "ls a;", "'"),
		"evals":           fill("", "eval ", "ls"),
		"sed":             fill("sed ", "-e p ", ""),
		"git":             fill("git ", "-c a ", "log"),
		"git colons":      fill("git show ", "a:", ""),
		"mv":              fill("mv ", "docs/a.md ", ""),
		"finds":           fill("find . ", `-exec ls \; `, ""),
		"escapes":         fill("cat $'", `\x41`, "'"),
		"cases":           fill("case a in ", "a) ls;; ", "esac"),
	}
}

// TestHostile holds each hostile command to a time that is generous for a busy
// machine and for the race detector; BenchmarkHostile measures.
func TestHostile(t *testing.T) {
	m := newSandbox(t)
	for rules, p := range map[string]*Policy{"usual": usualPolicy(t, m), "wide": widePolicy(t, m)} {
		for name, command := range hostile() {
			if len(command) > 32<<10 {
				t.Errorf("%s: %d bytes are refused at once", name, len(command))
			}
			start := time.Now()
			p.Decide(bashCall(command))
			// What takes a minute has no bound; BenchmarkHostile shows how long each takes.
			if took := time.Since(start); took > time.Minute {
				t.Errorf("%s, %s rules: took %v", name, rules, took)
			}
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	p := usualPolicy(b, newSandbox(b))
	for name, command := range hostile() {
		b.Run(name, func(b *testing.B) {
			call := bashCall(command)
			for b.Loop() {
				p.Decide(call)
			}
		})
	}
}

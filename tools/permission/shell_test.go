package permission

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestShell runs the cases of testdata/shell. A block of a file holds rules
// ("rule KEY VERDICT PATTERN") and then cases ("VERDICT: COMMAND", where never
// is a verdict too). A line "held" says that commands run held. A command that begins with a double quote is a Go string
// when it can be read as one.
func TestShell(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{ // what globs become
		{Path: "/ws/stock/a.md"}, {Path: "/ws/stock/b.md"}, {Path: "/ws/tree/sub/main.go"}, {Path: "/ws/private/x"},
	})
	for _, c := range shellCases(t) {
		t.Run(c.name, func(t *testing.T) {
			p := c.policy(t, m)
			got := p.Decide(c.call(m))
			want := strings.Replace(c.want, "never", "deny", 1)
			if got.Verdict.String() != want || c.want == "never" && !got.Never {
				t.Errorf("%s\ngot %v (never %t): %s\nwant %s", c.command, got.Verdict, got.Never, got.Reason, c.want)
			}
			if got.Never && got.Verdict != Deny {
				t.Error("a never that does not deny")
			}
		})
	}
}

type shellCase struct {
	name, want, command string
	rules               Rules
	held                bool
}

func (c shellCase) policy(t testing.TB, m sandbox) *Policy {
	t.Helper()
	rules := Rules{}
	for key, list := range c.rules {
		for _, r := range list {
			rules[key] = append(rules[key], Rule{m.path(r.Pattern), r.Verdict})
		}
	}
	p, err := New(Config{Root: m.path("/ws"), Home: m.path("/home/u"), Held: func() bool { return c.held }, Domains: []Domain{{Layers: []Rules{rules}}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (c shellCase) call(m sandbox) Call { return bashCall(m.path(c.command)) }

// bashCall returns a call of bash.
func bashCall(command string) Call {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return Call{Tool: "bash", Input: input}
}

// shellCases reads the cases of all files.
func shellCases(t testing.TB) (cases []shellCase) {
	t.Helper()
	files, err := filepath.Glob("testdata/shell/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(file), ".txt")
		for block := range strings.SplitSeq(string(text), "\n\n") {
			cases = append(cases, shellBlock(t, base, block)...)
		}
	}
	return cases
}

func shellBlock(t testing.TB, file, block string) (cases []shellCase) {
	t.Helper()
	rules, held := Rules{}, false
	for line := range strings.SplitSeq(block, "\n") {
		if line == "held" {
			held = true
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "rule "); ok {
			fields := strings.SplitN(rest, " ", 3)
			verdict, err := ParseVerdict(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			rules[fields[0]] = append(rules[fields[0]], Rule{fields[2], verdict})
			continue
		}
		want, command, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("%s: line %q", file, line)
		}
		if unquoted, err := strconv.Unquote(command); err == nil && command[0] == '"' {
			command = unquoted
		}
		cases = append(cases, shellCase{file + "/" + command, want, command, rules, held})
	}
	return cases
}

package permission

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// maxFalseDenials are how many of the ordinary commands may be denied, by level.
var maxFalseDenials = map[string]int{"held": 2, "not held": 20}

// TestOrdinary judges what coding agents run all day, under policies that allow it.
func TestOrdinary(t *testing.T) {
	m := newSandbox(t)
	cases := agentCases(t, m, "ordinary.txt")
	if len(cases) != 200 {
		t.Fatalf("%d commands", len(cases))
	}
	for level, most := range maxFalseDenials {
		t.Run(level, func(t *testing.T) {
			denied := 0
			for _, c := range cases {
				c.held = level == "held"
				if d := c.policy(t, m).Decide(c.call(m)); d.Verdict != Allow {
					denied++
					t.Logf("%s\n%s", c.command, d.Reason)
				}
			}
			t.Logf("%d of %d are denied", denied, len(cases))
			if denied > most {
				t.Errorf("%d of %d are denied, more than %d", denied, len(cases), most)
			}
		})
	}
}

// agentCases reads a table of commands in blocks that each begin with rules.
func agentCases(t testing.TB, m sandbox, name string) (cases []shellCase) {
	t.Helper()
	text, err := os.ReadFile("testdata/agents/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		rules := Rules{}
		for line := range strings.SplitSeq(strings.TrimSpace(block), "\n") {
			fields := strings.SplitN(line, " ", 4)
			switch {
			case strings.HasPrefix(line, "# "):
			case fields[0] == "rule":
				verdict, err := ParseVerdict(fields[2])
				if err != nil {
					t.Fatal(err)
				}
				rules[fields[1]] = append(rules[fields[1]], Rule{fields[3], verdict})
			default:
				if unquoted, err := strconv.Unquote(line); err == nil && line[0] == '"' {
					line = unquoted
				}
				cases = append(cases, shellCase{name: line, command: line, rules: rules})
			}
		}
	}
	return cases
}

// TestHostileCommands judges what does harm: none of it is allowed, but what only the kernel
// has to keep from files, where commands are held or everywhere.
func TestHostileCommands(t *testing.T) {
	m := newSandbox(t)
	cases := agentCases(t, m, "hostile.txt")
	if len(cases) != 200 {
		t.Fatalf("%d commands", len(cases))
	}
	for _, c := range cases {
		command, files := strings.CutPrefix(c.command, "files: ")
		command, kernel := strings.CutPrefix(command, "kernel: ")
		c.command = command
		for _, c.held = range []bool{false, true} {
			want := Deny
			if kernel || files && c.held {
				want = Allow
			}
			if d := c.policy(t, m).Decide(c.call(m)); d.Verdict != want {
				t.Errorf("held %t: %s\n%s: %s", c.held, c.command, d.Verdict, d.Reason)
			}
		}
	}
}

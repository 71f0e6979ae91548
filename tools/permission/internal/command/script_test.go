package command

import (
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

func textOf(words []Word) string {
	var out []string
	for _, x := range words {
		if x.Kind == Unknown {
			x.Text = "?" + x.Text
		}
		out = append(out, x.Text)
	}
	return strings.Join(out, " ")
}

// TestUnits: a script comes apart into all that it runs, reads and writes by name.
func TestUnits(t *testing.T) {
	dir := t.TempDir()
	roots := rootsOf(dir)
	for command, want := range map[string]string{
		"git log | wc -l":                       "git log; wc -l",
		"a && b || c; d & e":                    "a; b; c; d; e",
		"if a; then b; else c; fi":              "a; b; c",
		"for f in x y; do echo $f; done":        "echo x; echo y",
		"f=x; cat \"$f\"":                       "; cat x",
		"cat \"$(id)\" <(ls)":                   "id; ls; cat ? ?",
		"ls > out 2>&1":                         "> out; ls",
		"cat < in":                              "cat",
		"timeout 5 rm x":                        "rm x",
		"env A=b ls":                            "env A=b; ls",
		"xargs grep x":                          "xargs; grep x ?",
		"find . -exec rm {} +":                  "find . -exec; rm ?.",
		"bash -c 'ls; id'":                      "bash -c ls; id; ls; id",
		"eval ls '; id'":                        "eval ls ; id; ls; id",
		"while read -r l; do echo \"$l\"; done": "read -r l; echo ?",
		"coproc ls":                             "! coproc",
		"select x in a; do :; done":             "! select",
		"ls '\x00'":                             "! the command holds a control character",
		"ls (":                                  "! the command cannot be read",
		"# nothing":                             "! there is no command",
		"true \"${a:-'$(id)'}\"":                "! the expansion",
		strings.Repeat("ls;", MaxCommands+1):    "! it has more than",
		"exec {fd}> out":                        "> out; exec",
	} {
		found, err := Parse(roots, command, dir, false)
		var parts []string
		for _, u := range found.Parts {
			text := textOf(u.own)
			if u.IsRedirect() && len(u.Writes) > 0 {
				text = "> " + textOf(u.Writes)
			} else if u.IsRedirect() && len(u.Reads) > 0 {
				text += " < " + textOf(u.Reads)
			}
			parts = append(parts, text)
		}
		got := strings.Join(parts, "; ")
		if err != nil {
			got = "! " + err.Error()
		} else if strings.HasPrefix(want, "!") {
			got = "! " + found.Outside
		}
		if got != want && !(strings.HasPrefix(want, "!") && strings.HasPrefix(got, want)) {
			t.Errorf("%.60s\n got %q\nwant %q", command, got, want)
		}
	}
}

func rootsOf(dir string) place.Roots { return place.Roots{Workspace: dir, WorkspaceGiven: dir} }

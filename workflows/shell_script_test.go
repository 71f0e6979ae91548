package workflows

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hostileValues are values that would do something, were they read as code.
func hostileValues() []string {
	return []string{"plain", "two  words", "", "-n", "*", "~", "$HOME", "$(touch pwned)", "`touch pwned`", "a; touch pwned", "'", `"`, `\`, "a\nb", "\t", "!x", "}", "${x}", "a[$(touch pwned)]", "é"}
}

// TestValuesAreWords runs scripts in bash and sh: whatever a value is, it stays
// one word.
func TestValuesAreWords(t *testing.T) {
	scripts := map[string]string{
		"bare":          `printf '<%s>' ${{ inputs.x }}`,
		"quoted":        `printf '<%s>' "${{ inputs.x }}"`,
		"assignment":    "y=${{ inputs.x }}\nprintf '<%s>' \"$y\"",
		"substitution":  `printf '<%s>' "$(printf '%s.' ${{ inputs.x }})" | sed 's/\.>$/>/'`,
		"default":       `printf '<%s>' "${nope:-${{ inputs.x }}}"`,
		"bare default":  `printf '<%s>' ${nope:-${{ inputs.x }}}`,
		"case":          `case ${{ inputs.x }} in ${{ inputs.x }}) printf '<%s>' ${{ inputs.x }};; *) echo other;; esac`,
		"loop":          `for i in ${{ inputs.x }}; do printf '<%s>' "$i"; done`,
		"inner shell":   `sh -c 'printf "<%s>" "$1"' sh ${{ inputs.x }}`,
		"function":      `f() { printf '<%s>' "$1"; }; f ${{ inputs.x }}`,
		"in the middle": `printf '%s' "<"${{ inputs.x }}">"`,
	}
	for what, source := range scripts {
		t.Run(what, func(t *testing.T) {
			w := parseRight(t, "name: x\ninputs: {x: {type: string}}\nsteps:\n  - run: |\n      "+strings.ReplaceAll(source, "\n", "\n      ")+"\n")
			for _, value := range hostileValues() {
				r, err := w.Steps[0].Command.Script.Render(Env{"inputs": map[string]any{"x": value}})
				if err != nil {
					t.Fatal(err)
				}
				for _, shell := range []string{"bash", "sh"} {
					if got := runShell(t, shell, r); got != "<"+value+">" {
						t.Errorf("%s: %q came out as %q from\n%s", shell, value, got, r.Source)
					}
				}
			}
		})
	}
}

func runShell(t *testing.T, shell string, r Rendered) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(shell, "-c", r.Source)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/home/x"}
	for _, v := range r.Values {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s\n%s", shell, err, out, r.Source)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Errorf("%s: a value ran as code in\n%s", shell, r.Source)
	}
	return string(out)
}

func TestHereDocument(t *testing.T) {
	w := parseRight(t, "name: x\ninputs: {x: {type: string}}\nsteps:\n  - run: |\n      cat <<EOF\n      <${{ inputs.x }}>\n      EOF\n")
	for _, value := range hostileValues() {
		r, err := w.Steps[0].Command.Script.Render(Env{"inputs": map[string]any{"x": value}})
		if err != nil {
			t.Fatal(err)
		}
		if got := runShell(t, "bash", r); got != "<"+value+">\n" {
			t.Errorf("%q came out as %q", value, got)
		}
	}
}

func TestRender(t *testing.T) {
	w := parseRight(t, "name: x\ninputs: {x: {}}\nsteps:\n  - run: echo FLOW_VALUE_ \"a ${{ inputs.x }}\" ${{ inputs.x }} # ${{ 1 }}\n")
	script := w.Steps[0].Command.Script
	got, err := script.Render(Env{"inputs": map[string]any{"x": map[string]any{"b": []any{1, nil}}}})
	if err != nil {
		t.Fatal(err)
	}
	want := Rendered{
		Source: `echo FLOW_VALUE_ "a ${FLOW_VALUE__1}" "${FLOW_VALUE__2}"`,
		Values: []Variable{{"FLOW_VALUE__1", `{"b":[1,null]}`}, {"FLOW_VALUE__2", `{"b":[1,null]}`}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := script.Render(Env{"inputs": map[string]any{"x": "a\x00b"}}); err == nil || !strings.Contains(err.Error(), "NUL") {
		t.Errorf("a NUL: %v", err)
	}
}

func TestShown(t *testing.T) {
	w := parseRight(t, "name: x\ninputs: {x: {type: string}}\nsteps:\n  - run: 'grep -q ${{ inputs.x }} \"a/${{ inputs.x }}\"'\n")
	script := w.Steps[0].Command.Script
	for value, want := range map[string]string{
		"todo":                   `grep -q todo "a/todo"`,
		"a b":                    `grep -q 'a b' "a/a b"`,
		"":                       `grep -q '' "a/"`,
		"two\nlines":             `grep -q 'two lines' "a/two lines"`,
		strings.Repeat("é", 100): `grep -q ` + strings.Repeat("é", 60) + `… "a/` + strings.Repeat("é", 60) + `…"`,
	} {
		r, err := script.Render(Env{"inputs": map[string]any{"x": value}})
		if err != nil {
			t.Fatal(err)
		}
		if got := script.Shown(r); got != want {
			t.Errorf("%q is shown as\n%s, want\n%s", value, got, want)
		}
	}
}

package command

import (
	"strings"
	"testing"
)

// TestRows: each row has a class and facts that something reads, and no name has two rows.
func TestRows(t *testing.T) {
	const classes list = "text names reader edit runner tester interpreter wrapper service other"
	const facts list = "run files out inplace outside fine flags valued long longvalued says whole dash code writes orhere except commands connects plain spell words stdin guard unless opens cluster changes lists filter wraps operands " +
		"assigns number builtin copies folders executes when script carries only replaces reader"
	seen := map[string]bool{}
	rows := 0
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		rows++
		if len(fields) < 2 || !classes.has(fields[1]) {
			t.Errorf("no class: %s", line)
			continue
		}
		for name := range list(fields[0]).all() {
			if seen[name] || strings.ToLower(name) != name && name != "Rscript" {
				t.Errorf("%q is in two rows, or can't be the name of a program here", name)
			}
			seen[name] = true
		}
		for _, field := range fields[2:] {
			if name, _, _ := strings.Cut(field, "="); !facts.has(name) {
				t.Errorf("%s: the fact %q", fields[0], name)
			}
		}
	}
	if rows < 100 {
		t.Errorf("%d rows", rows)
	}
	if p := Named("no-such-program"); p.Class != "other" || len(p.facts) > 0 {
		t.Errorf("%+v", *p)
	}
}

// TestLoops: a loop over words is judged for each of them, and printed once.
func TestLoops(t *testing.T) {
	dir := t.TempDir()
	s, err := Parse(rootsOf(dir), `for p in ./a ./b; do go test "$p"; done`, dir, false)
	var got []string
	for _, p := range s.Parts {
		got = append(got, textOf(p.own))
	}
	if text := strings.Join(got, "; "); err != nil || text != "go test ./a; go test ./b" {
		t.Errorf("%s (%v)", text, err)
	}
	if want := `for p in './a' './b'; do 'go' 'test' "${p}"; done`; s.Text != want {
		t.Errorf("got  %s\nwant %s", s.Text, want)
	}
}

// TestAssignedOnce: what is substituted in an assignment is judged once.
func TestAssignedOnce(t *testing.T) {
	dir := t.TempDir()
	if s, _ := Parse(rootsOf(dir), "n=$(git log -1); echo $n", dir, false); len(s.Parts) != 3 {
		t.Errorf("%d parts", len(s.Parts))
	}
}

// TestNumbers: arithmetic is judged over what only ever is a number.
func TestNumbers(t *testing.T) {
	dir := t.TempDir()
	for command, want := range map[string]bool{
		"i=0; while test $i -lt 3; do echo $i; i=$((i+1)); done": true, "i=1; j=$((i*2)); echo $((i+j))": true, "for i in 1 2 3; do echo $((i+1)); done": true,
		"echo $((1+2))": true, "i=0; echo $(( (i + 1) % 2 ))": true,
		"echo $((i))": false, "i=x; echo $((i))": false, "i=0; i='a[$(id)]'; echo $((i))": false, "read -r i; echo $((i))": false, "i=0; read -r i; echo $((i))": false,
		"true && i=0; echo $((i))": false, "i=0; echo $((i++))": false, "i=0; echo $((i=2))": false, "for i in a 1; do echo $((i)); done": false, "i=0; source x; echo $((i))": false,
		"i=0; i+=1; echo $((i))": false, "i=0; re{ad,} i; echo $((i))": false, "i=0; r\\ead i; echo $((i))": false, "i=0; $x i; echo $((i))": false, "echo $((a[$(id)]))": false, "(i=0); echo $((i))": false,
	} {
		s, err := Parse(rootsOf(dir), command, dir, true)
		if got := err == nil && s.Outside == ""; got != want {
			t.Errorf("%s: %t (%v %s)", command, got, err, s.Outside)
		}
	}
}

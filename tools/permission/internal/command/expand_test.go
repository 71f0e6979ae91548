package command

import (
	"os/exec"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/bash"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// TestExpandAsBash compares what becomes of words with what a real bash makes of
// them.
func TestExpandAsBash(t *testing.T) {
	program, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("NO WORDS WERE COMPARED: there is no bash")
	}
	words := []string{
		`a`, `'a b'`, `"a b"`, `a\ b`, `a"b"'c'`, `\a\\b`, `"\a\\\$\"\x"`, `'\a'`, `""`, `''`, `a""`, "a\\\nb", "\"a\\\nb\"",
		`{a,b}`, `x{a,b}y`, `{a,{b,c}}`, `{a,b}{c,d}`, `{a}`, `{}`, `{a,b`, `a,b}`, `{,a}`, `{a,}`, `{,}`, `{,}x`, `{a\,b,c}`, `"{a,b}"`, `\{a,b}`,
		`{"a b",c}`, `{'a,b',c}`, `{1..3}`, `{3..1}`, `{1..7..3}`, `{7..1..2}`, `{01..3}`, `{1..03}`, `{-2..1}`, `{a..e}`, `{e..a..2}`, `{A..C}`,
		`{-01..1}`, `{1..3..0}`, `{1..x}`, `{1..2..3..4}`, `{1..2,3}`, `{a..b,c}`, `{1,2..3}`, `{..}`, `{a..}`, `{x,1..3}`, `{1..3}{a,b}`, `{{a,b},c}`,
		`a{b,c}{d,e}f`, `{a,b}}`, `{{a,b}`, `{a,b,}`, `{a,,b}`, `{ab..cd}`, `{1..3..-1}`, `{+1..3}`, `{1..+3}`,
		`$'a\tb'`, `$'\x41\102\u0043'`, `$'a\0b'c`, `$'\''`, `$'\e\E\a\b\f\n\r\v\\\"\?'`, `$'\q\8'`, `$'\x4'`,
		`$'\x412'`, `$'\1234'`, `$'\u41'`, `$'\U1F600'`, `$'\c'`, `a$'b'c`, `$((1))`, `~`, `~/a`, `a~`, `"~"`, `'~/a'`, `\~`, `~"/a"`, `a=~`,
		`@(a`, `!`, `#a`, `a#b`, `[`, `]`, `a]`, `^`, `%a`, `a:b`, `=a`,
	}
	compared := 0
	for _, text := range words {
		file, err := bash.Parse("f " + text)
		if err != nil {
			continue // bash may read it; the engine refuses it
		}
		call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
		if !ok || len(file.Stmts) != 1 {
			continue
		}
		w := &walker{roots: place.Roots{Home: "/h"}, script: &Script{}, budget: 9}
		got := w.words(call.Args[1:])
		if w.refused != "" {
			t.Errorf("%s: %s", text, w.refused)
		}
		if w.script.Outside != "" {
			continue
		}
		cmd := exec.Command(program, "-c", `f() { for a; do printf '%s\037' "$a"; done; }; f `+text)
		cmd.Env = []string{"HOME=/h", "LC_ALL=C.UTF-8"}
		out, err := cmd.Output()
		if err != nil {
			continue
		}
		compared++
		compareWords(t, text, got, strings.Split(strings.TrimSuffix(string(out), "\x1f"), "\x1f"), len(out) == 0)
	}
	if compared < len(words)*3/4 {
		t.Errorf("only %d of %d words were compared", compared, len(words))
	}
}

// compareWords checks that what is taken for known is what bash makes of it.
func compareWords(t *testing.T, text string, got []Word, want []string, none bool) {
	t.Helper()
	for _, w := range got {
		if w.Many {
			return // any number of words
		}
	}
	if none {
		want = nil
	}
	if len(got) != len(want) {
		t.Errorf("%s: got %v, bash %q", text, got, want)
		return
	}
	for i, w := range got {
		if w.Kind == Static && w.Text != want[i] {
			t.Errorf("%s: word %d: got %q, bash %q", text, i, w.Text, want[i])
		}
	}
}

package term

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/columns"
)

func TestVisible(t *testing.T) {
	tests := map[string]string{
		"":                      "",
		"plain text, häuser 世界": "plain text, häuser 世界",
		"a\nb\tc\r":             `a\nb\tc\r`,
		"\x1b[2J":               `\x1b[2J`,
		"bell \a back \b":       `bell \a back \b`,
		"c1 \u009b31m":          `c1 \u009b31m`,
		"right-to-left \u202e!": `right-to-left \u202e!`,
		"bad \xff byte":         `bad \xff byte`,
		"\ufffd stays":          "\ufffd stays",
		"no-break\u00a0space":   `no-break\u00a0space`,
	}
	for text, want := range tests {
		if got := Visible(text); got != want {
			t.Errorf("Visible(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestVisibleLines(t *testing.T) {
	got := VisibleLines("a\r\nb\tc\n\x1b[31mred\n")
	if want := "a\nb    c\n\\x1b[31mred\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestShorten(t *testing.T) {
	tests := []struct {
		text string
		n    int
		want string
	}{
		{"short", 5, "short"},
		{"longer", 5, "long…"},
		{"世界世界", 4, "世界世界"},
		{"世界世界", 3, "世界…"},
		{"x", 0, "…"},
	}
	for _, tt := range tests {
		if got := Shorten(tt.text, tt.n); got != tt.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, seed := range []string{"", "a\n::x", "\x1b[2J", "\xff\xfe", "世界\u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Visible(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, columns.Hidden) {
			t.Errorf("Visible(%q) = %q", text, got)
		}
		if Visible(got) != got {
			t.Errorf("visible text changes: %q", got)
		}
	})
}

func TestDisarm(t *testing.T) {
	tests := map[string]string{
		"plain: text\n":          "plain: text\n",
		"a :: b\n":               "a :: b\n",
		"::set-env x\n":          "\\::set-env x\n",
		"a\n \t::add-path x":     "a\n \t\\::add-path x",
		"\u00a0::set-env x":      "\u00a0\\::set-env x",
		"a\n\v\u3000::x::y":      "a\n\v\u3000\\::x::y",
		"\ufeff::x":              "\ufeff\\::x",
		"a\u2028::x\u0085::y":    "a\u2028\\::x\u0085\\::y",
		"é ::x \xff::y":          "é ::x \xff::y",
		"a ##vso[task.x]":        "a ##vso\\[task.x]",
		"##[error]x":             "##\\[error]x",
		"##teamcity[x]":          "##teamcity\\[x]",
		"list [1] # [2] ## a[3]": "list [1] # [2] ## a[3]",
	}
	for text, want := range tests {
		if got := Disarm(text); got != want {
			t.Errorf("Disarm(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzDisarm(f *testing.F) {
	for _, seed := range []string{"::x", "a\n  ::x", "##vso[x]", "##[x]", "#####[", "\r::x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Disarm(text)
		for line := range strings.SplitSeq(strings.ReplaceAll(got, "\r", "\n"), "\n") {
			if strings.HasPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::") {
				t.Errorf("a line starts with a command: %q", line)
			}
		}
		if strings.Contains(got, "##[") || strings.Contains(got, "##vso[") {
			t.Errorf("a command is whole: %q", got)
		}
	})
}

func TestScreen(t *testing.T) {
	var out bytes.Buffer
	s := NewScreen(&out)
	s.Write([]byte("secret-token is not known yet\n"))
	s.Hide(strings.NewReplacer("secret-token", "***").Replace)
	s.Write([]byte("secret-token\n::error::x\n"))
	want := "secret-token is not known yet\n***\n\\::error::x\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	broken := NewScreen(brokenWriter{})
	if n, err := broken.Write([]byte("gone")); n != 4 || err != nil {
		t.Errorf("a screen that nobody reads: %d, %v", n, err)
	}
}

// A brokenWriter is a pipe whose reader has gone away.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, bytes.ErrTooLarge }

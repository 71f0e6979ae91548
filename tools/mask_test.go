package tools

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"testing"
)

func TestMaskString(t *testing.T) {
	key := "-----BEGIN KEY-----\nMIIEow0123\nIBAAKCAQ456\nx\n-----END KEY-----\n"
	mask := NewMask([]string{"", "abc", "s3cr3t", "s3cr3t-longer", `q"uo\te&<`, "with space/slash", "padded-value\n", key})
	encoded, _ := json.Marshal(`q"uo\te&<`)
	tests := []struct {
		name string
		in   string
		want string
	}{
		{"nothing secret", "an abc of nothing", "an abc of nothing"},
		{"empty", "", ""},
		{"as it is", "a s3cr3t, s3cr3t.", "a ***, ***."},
		{"the longest", "s3cr3t-longer s3cr3t-long", "*** ***-long"},
		{"its beginning only", "s3cr3", "s3cr3"},
		{"JSON", string(encoded), `"***"`},
		{"JSON without HTML", `"q\"uo\\te&<"`, `"***"`},
		{"a query", "?a=" + url.QueryEscape("with space/slash"), "?a=***"},
		{"a path", "/a/" + url.PathEscape("with space/slash"), "/a/***"},
		{"without its newline", "padded-value", "***"},
		{"a line of a key", "00002| MIIEow0123", "00002| ***"},
		{"a short line of a key", "00004| x", "00004| x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := mask.String(test.in); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestMaskBase64(t *testing.T) {
	const secret = "a-secret-of-some-length?>"
	mask := NewMask([]string{secret})
	for _, before := range []string{"", "u", "us", "user:"} {
		for _, after := range []string{"", "x", "xy", "xyz"} {
			for _, alphabet := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
				in := alphabet.EncodeToString([]byte(before + secret + after))
				got := mask.String(in)
				if !strings.Contains(got, masked) || len(got) > 3+6+6 {
					t.Errorf("%q + secret + %q: %q became %q", before, after, in, got)
				}
			}
		}
	}
}

func TestMaskNil(t *testing.T) {
	if m := NewMask([]string{"", "a", "none", "dummy"}); m != nil {
		t.Errorf("a mask of nothing: %v", m)
	}
	var m *Mask
	var b bytes.Buffer
	w := m.Writer(&b)
	io.WriteString(w, "text")
	if err := w.Close(); err != nil || b.String() != "text" || m.String("text") != "text" {
		t.Errorf("got %q, %v", b.String(), err)
	}
}

func TestMaskWriter(t *testing.T) {
	mask := NewMask([]string{"s3cr3t", "s3cr3t-longer", "otherx"})
	const in = "s3cr3 s3cr3t s3cr3t-longer s3cr3t-lotherx ot"
	want := mask.String(in)
	if want != "s3cr3 *** *** ***-l*** ot" {
		t.Fatalf("got %q", want)
	}
	for size := 1; size <= len(in); size++ {
		var b bytes.Buffer
		w := mask.Writer(&b)
		for rest := in; len(rest) > 0; {
			n := min(size, len(rest))
			io.WriteString(w, rest[:n])
			rest = rest[n:]
		}
		if err := w.Close(); err != nil || b.String() != want {
			t.Errorf("by %d: got %q, %v", size, b.String(), err)
		}
	}
}

// TestMaskWriterHolds proves that only what may be a secret is held back.
func TestMaskWriterHolds(t *testing.T) {
	var b bytes.Buffer
	w := NewMask([]string{"s3cr3t"}).Writer(&b)
	io.WriteString(w, "progress: 10% s3c")
	if b.String() != "progress: 10% " {
		t.Errorf("got %q", b.String())
	}
}

// FuzzMask checks that however a text is split, the same comes out, and no
// secret in it.
func FuzzMask(f *testing.F) {
	f.Add("a s3cr3t b", "s3cr3t", "cr3t", uint8(3))
	f.Add("aaaaaaaaaa", "aaaa", "aaaab", uint8(1))
	f.Fuzz(func(t *testing.T, in, one, two string, size uint8) {
		mask := NewMask([]string{one, two})
		want := mask.String(in)
		var b bytes.Buffer
		w := mask.Writer(&b)
		for rest := in; len(rest) > 0; {
			n := min(int(size)+1, len(rest))
			io.WriteString(w, rest[:n])
			rest = rest[n:]
		}
		if err := w.Close(); err != nil || b.String() != want {
			t.Errorf("got %q, want %q, %v", b.String(), want, err)
		}
		if len(one) >= shortestSecret && !strings.Contains(one+two, "*") && strings.Contains(want, one) {
			t.Errorf("%q is in %q", one, want)
		}
	})
}

package tools

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
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
	if got := NewMask([]string{"", "a", "none", "dummy"}).String("a none dummy"); got != "a none dummy" {
		t.Errorf("short values: %q", got)
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

// TestMaskWriterHolds proves that only the last line is held back.
func TestMaskWriterHolds(t *testing.T) {
	var b bytes.Buffer
	w := NewMask([]string{"s3cr3t"}).Writer(&b)
	io.WriteString(w, "progress: 10%\nprogress: s3c")
	if b.String() != "progress: 10%\n" {
		t.Errorf("got %q", b.String())
	}
}

// TestMaskSpellings: a secret in what programs print of it.
func TestMaskSpellings(t *testing.T) {
	const secret = `hunter-4f9A8b7C$d5E+l/01 "é'&`
	mask := NewMask([]string{secret})
	long := strings.Repeat("x", 70)
	encoded := base64.StdEncoding.EncodeToString([]byte(long + secret + long))
	hexed := hex.EncodeToString([]byte(long + secret + long))
	for name, text := range map[string]string{
		"base64":             encoded,
		"base64 of URLs":     base64.URLEncoding.EncodeToString([]byte(long + secret + long)),
		"hex":                hexed,
		"HEX":                strings.ToUpper(hexed),
		"path":               url.PathEscape(secret),
		"query":              url.QueryEscape(secret),
		"urllib.parse.quote": "hunter-4f9A8b7C%24d5E%2Bl%2F01%20%22%C3%A9%27%26",
		"JSON in ASCII":      `hunter-4f9A8b7C$d5E+l/01 \"\u00e9'&`,
		"JSON in JSON":       `hunter-4f9A8b7C$d5E+l/01 \\\"é'&`,
	} {
		t.Run(name, func(t *testing.T) {
			got := mask.String("<" + text + ">")
			if !strings.Contains(got, masked) {
				t.Errorf("%q became %q", text, got)
			}
			checkSplits(t, mask, "<"+text+">", got)
		})
	}
}

// checkSplits has a text written in pieces of every length.
func checkSplits(t *testing.T, mask *Mask, in, want string) {
	t.Helper()
	for size := 1; size <= len(in); size++ {
		var b bytes.Buffer
		w := mask.Writer(&b)
		for rest := in; len(rest) > 0; {
			n := min(size, len(rest))
			io.WriteString(w, rest[:n])
			rest = rest[n:]
		}
		if err := w.Close(); err != nil || b.String() != want {
			t.Fatalf("by %d: got %q, want %q, %v", size, b.String(), want, err)
		}
	}
}

// FuzzMask checks that however a text is split, the same comes out, and no secret in it.
func FuzzMask(f *testing.F) {
	f.Add("a s3cr3t b", "s3cr3t", "cr3t", uint8(3))
	f.Add("aaaaaaaaaa", "aaaa", "aaaab", uint8(1))
	f.Add("x6161616161\n00012| 61 YWFh\r\n\tYWFhYQ==", "aaaaaa", "012345", uint8(2))
	f.Add("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0123456789abcdefMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY----- and", "", "", uint8(7))
	f.Add("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U AKIAIOSFODNN7EXAMPLE", "", "", uint8(7))
	period := strings.Repeat("abc", 12)
	f.Add(strings.Repeat(period+"abx", 3)+period+"abd", period+"abd", period+period+"q", uint8(30))
	f.Add(strings.Repeat("616263\n 00012| ", 30)+"71 "+strings.Repeat(`YWJj\n`, 40), period+"q", period, uint8(9))
	f.Add(strings.Repeat("sk-ant-eyJ", 90)+".eyJ"+strings.Repeat("A", 1200), period, "", uint8(100))
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

// TestAddToMask: a secret that comes up later is hidden from then on, by writers that
// were there before, too.
func TestAddToMask(t *testing.T) {
	m := NewMask([]string{"hunter-22"})
	var out strings.Builder
	w := m.Writer(&out)
	io.WriteString(w, "late-secret hunter-22\n")
	for range 2 {
		if err := m.Add("late-secret"); err != nil {
			t.Fatal(err)
		}
	}
	io.WriteString(w, "late-secret hunter-22\n")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "late-secret ***\n*** ***\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if err := m.Add("short"); err != nil || m.String("short") != "short" {
		t.Errorf("a value of five bytes: %v, %q", err, m.String("short"))
	}
	var none *Mask
	if err := none.Add("late-secret"); err != nil {
		t.Errorf("nil: %v", err)
	}
	var err error
	for i := 0; err == nil && i <= maxAdded; i++ {
		err = m.Add(fmt.Sprintf("secret-%d", i))
	}
	if err == nil {
		t.Error("a mask takes secrets without an end")
	}
}

// TestMaskHidesNothingElse: what stands behind many beginnings of tokens and of secrets is shown,
// however the text comes.
func TestMaskHidesNothingElse(t *testing.T) {
	mask := NewMask([]string{strings.Repeat("ab", 2000) + "Z"})
	for _, piece := range []string{"eyJ", "sk-ant-", "ab", "61 62 ", "YWJhYmFi", "6162\n"} {
		text := strings.Repeat(piece, 40_000) + "\nif !ok { return ErrDenied }\n"
		if got := mask.String(text); got != text {
			t.Errorf("%q: %d of %d bytes, ending in %q", piece, len(got), len(text), got[max(0, len(got)-40):])
		}
		var b strings.Builder
		w := mask.Writer(&b)
		for part := range slices.Chunk([]byte(text), 100) {
			if _, err := w.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil || b.String() != text {
			t.Errorf("%q in pieces: %d of %d bytes, %v", piece, b.Len(), len(text), err)
		}
	}
}

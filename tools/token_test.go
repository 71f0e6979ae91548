package tools

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/testkit"
)

// body36 is as random as a token's.
const body36 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

// TestMaskTokens: what services hand out is known by its shape. The tokens are put
// together here, so that no scanner takes this file for a leak.
func TestMaskTokens(t *testing.T) {
	key := beginKey + "OPENSSH PRIVATE KEY-----\n" + strings.Repeat(strings.Repeat("b3BlbnNz", 8)+"\n", 5) + "-----END OPENSSH PRIVATE KEY-----"
	for name, token := range map[string]string{
		"GitHub":           "gh" + "p_" + body36,
		"GitHub, of a job": "gh" + "s_" + body36,
		"GitHub, fine":     "github" + "_pat_" + body36 + "_" + body36,
		"GitLab":           "glpat" + "-" + body36[:20],
		"AWS":              "AK" + "IAIOSFODNN7EXAMPLE",
		"Google":           "AI" + "zaSy" + body36[:33],
		"OpenAI":           "sk-" + body36 + body36[:12],
		"OpenAI, project":  "sk-" + "proj-" + body36 + "_-" + body36,
		"OpenAI, short":    "sk-" + "proj-" + body36 + "T3BlbkFJ" + body36[:4],
		"Anthropic, short": "sk-" + "ant-" + body36 + body36[:4],
		"Anthropic":        "sk-" + "ant-api03-" + body36 + "-" + body36 + "AA",
		"OpenRouter":       "sk-" + "or-v1-" + strings.Repeat("0a1b", 16),
		"Slack":            "xox" + "b-123456789012-1234567890123-" + body36[:24],
		"Stripe":           "sk" + "_live_" + body36[:24],
		"npm":              "np" + "m_" + body36,
		"Hugging Face":     "h" + "f_" + body36[:34],
		"JSON web token":   "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
		"PEM":              key,
		"PEM in JSON":      strings.ReplaceAll(key, "\n", `\n`),
		"PEM with numbers": strings.ReplaceAll(key, "\n", "\n00007| "),
	} {
		t.Run(name, func(t *testing.T) {
			mask := NewMask(nil)
			in, want := "key="+token+" and (so on).", "key=*** and (so on)."
			if got := mask.String(in); got != want {
				t.Errorf("%q became %q", in, got)
			}
			checkSplits(t, mask, in, want)
		})
	}
}

// TestMaskNoToken: what only looks a little like one stays.
func TestMaskNoToken(t *testing.T) {
	mask := NewMask(nil)
	for _, text := range []string{
		"ghp_ and npm_config_registry, hf_hub_download, AKIA, sk-learn-pipelines-with-a-very-long-name-of-words",
		"disk-ant-colony-optimization-for-the-travelling-salesman-2024", "a risk-proj-2024-with-many-many-words-in-its-name-0",
		"a file -----BEGIN CERTIFICATE-----\n" + strings.Repeat("MIIEowIBAAKCAQEA", 4) + "\n-----END CERTIFICATE-----",
		"it begins with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----.",
		"eyJhbGciOiJIUzI1NiJ9", "4f1d2c3b4a5968778695a4b3c2d1e0f00f1e2d3c", strings.Repeat("a1B2", 100),
	} {
		if got := mask.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
		checkSplits(t, mask, text, text)
	}
}

// TestMaskHostile: text that begins tokens without end is masked in bounded time.
func TestMaskHostile(t *testing.T) {
	mask := NewMask([]string{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", strings.Repeat("ab", 2000)})
	if raceEnabled {
		t.Skip("nothing runs beside a search, and the detector makes it many times as slow")
	}
	const size = 1 << 20
	for _, piece := range []string{
		"eyJ", "sk-ant-", "glpat-", beginKey + "PRIVATE KEY-----\n", "a", "61", "61\n", "61 ", "YWFh", "YWFh\r\n   00001| ", `\n`,
		strings.Repeat("ab", 1999) + "x", strings.Repeat("6162", 1999) + "x", strings.Repeat("61 62\n", 1999) + "x",
		strings.Repeat("YWJhYmFi", 660) + "x", strings.Repeat(`YWFh\n`, 990) + "x", strings.Repeat("%61", 2999) + "x",
	} {
		took := testkit.CPUTime(func() { mask.String(strings.Repeat(piece, 1+size/len(piece))) })
		if took > 5*time.Second { // it is less than 0.2 s
			t.Errorf("%d bytes of %.20q took %v", size, piece, took)
		}
	}
}

// TestMaskHostilePieces: the same holds for what comes byte by byte.
func TestMaskHostilePieces(t *testing.T) {
	mask := NewMask([]string{strings.Repeat("ab", 20_000)})
	for _, in := range []string{strings.Repeat("ab", 60_000), strings.Repeat(beginKey+"PRIVATE KEY-----\n", 5_000)} {
		began := time.Now()
		var b strings.Builder
		w := mask.Writer(&b)
		for i := range len(in) {
			io.WriteString(w, in[i:i+1])
		}
		if err := w.Close(); err != nil || b.String() != mask.String(in) {
			t.Errorf("got %d bytes, %v", b.Len(), err)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%d bytes took %v", len(in), took)
		}
	}
}

// TestMaskTokensJSON: what is masked in JSON stays JSON.
func TestMaskTokensJSON(t *testing.T) {
	in, err := json.Marshal(map[string]string{"key": "gh" + "p_" + body36, "pem": beginKey + "PRIVATE KEY-----\n" + body36 + body36 + "\n-----END PRIVATE KEY-----\n"})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(NewMask(nil).JSON(in)); got != `{"key":"***","pem":"***\n"}` {
		t.Errorf("got %s", got)
	}
}

func BenchmarkMask(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog, package tools, func (m *Mask) String(s string) string.\n", 1000)
	mask := NewMask([]string{"a-secret-of-some-length", "hunter-4f9A8b7C6d5E+leak/01"})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		mask.String(text)
	}
}

// BenchmarkMaskHostile has a text in which a long secret nearly stands everywhere.
func BenchmarkMaskHostile(b *testing.B) {
	mask := NewMask([]string{strings.Repeat("ab", 2000)})
	for _, piece := range []string{"eyJ", "61 62\n", strings.Repeat("YWJhYmFi", 660) + "x"} {
		b.Run(piece[:3], func(b *testing.B) {
			text := strings.Repeat(piece, 1+(1<<20)/len(piece))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				mask.String(text)
			}
		})
	}
}

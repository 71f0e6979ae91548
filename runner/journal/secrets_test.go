package journal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/tools"
)

// A value is put back where the same variable has it, and nowhere else; what is no
// secret comes back as it was, whatever it looks like.
func TestSecretsArePutBack(t *testing.T) {
	values := map[string]string{"TOKEN": "s3cr3t-value", "LONGER": "s3cr3t-value-longer", "QUOTED": "a\"b\nc<d", "STARS": "**pass***word", "SHORT": "abc", "DIGITS": "12345678"}
	secrets := secretsOf(values, "run-1")
	hides := newVeil(secrets)
	for _, text := range []string{
		"nothing", "a s3cr3t-value, and s3cr3t-value-longer", "\ns3cr3t-value\\", values["QUOTED"], "x **pass***word **", "***", "*****", "** * ***",
		"***TOKEN:0000***", "\x01TOKEN\x02", `\u002a**`, "abc", "ns3cr3t-value",
	} {
		data, err := jsonline.Encode(map[string]any{"text": text, "n": 12345678, text: []string{text}})
		if err != nil {
			t.Fatal(err)
		}
		written := hides.hide(data)
		for name, value := range values {
			if name != "SHORT" && name != "DIGITS" && bytes.Contains(written, []byte(value)) {
				t.Errorf("%q: %s has the value of %s", text, written, name)
			}
		}
		if back := hides.reveal(written); !sameJSON(t, data, back) || Hidden(back) {
			t.Errorf("%q was written as %s and came back as %s", text, written, back)
		}
	}
	written := hides.hide([]byte(`{"a":"s3cr3t-value ***"}`))
	if got := string(Unnamed(written)); got != `{"a":"*** \u002a**"}` {
		t.Errorf("without names: %s", got)
	}
	for name, other := range map[string]Secrets{
		"another value": secretsOf(map[string]string{"TOKEN": "s3cr3t-other"}, "run-1"),
		"no value":      secretsOf(nil, "run-1"),
		"another run":   secretsOf(values, "run-2"),
	} {
		back := newVeil(other).reveal(written)
		if names := HiddenNames(back); !Hidden(back) || len(names) != 1 || names[0] != "TOKEN" {
			t.Errorf("%s: %s, %q", name, back, names)
		}
	}
	// What looks like a secret has no name, and does not come back.
	if back := hides.reveal(hides.hide([]byte(`"ghp_0123456789abcdefghijABCDEFGHIJ012345"`))); !Hidden(back) || HiddenNames(back) != nil {
		t.Errorf("a token came back as %s", back)
	}
}

func secretsOf(values map[string]string, salt string) Secrets {
	var all []string
	for _, value := range values {
		all = append(all, value)
	}
	return Secrets{Mask: tools.NewMask(all).JSONWith, Values: values, Salt: salt}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var values [2]any
	for i, data := range [][]byte{a, b} {
		if err := json.Unmarshal(data, &values[i]); err != nil {
			t.Fatalf("%v: %s", err, data)
		}
	}
	before, _ := json.Marshal(values[0])
	after, _ := json.Marshal(values[1])
	return bytes.Equal(before, after)
}

// Whatever the data is, it stays JSON, nobody can write what stands for a secret, and
// what is put back is what was there.
func FuzzSecrets(f *testing.F) {
	for _, text := range []string{"s3cr3t-value", "***TOKEN:1a2b***", "*****", `\***`, "a\\s3cr3t-value", "s3cr3t-values3cr3t-value", "\x01\x02"} {
		f.Add(text, "s3cr3t-value")
	}
	f.Add("aaaaaaaaaaaaaaaaaaa", "aaaaaa")
	f.Add("n**\n**", "**\n**")
	f.Fuzz(func(t *testing.T, text, value string) {
		text, value = strings.ToValidUTF8(text, ""), strings.ToValidUTF8(value, "")
		data, err := jsonline.Encode([]string{text})
		if err != nil {
			t.Skip()
		}
		v := newVeil(secretsOf(map[string]string{"TOKEN": value}, "r"))
		written := v.hide(data)
		back := v.reveal(written)
		if !json.Valid(written) || !json.Valid(back) {
			t.Fatalf("%q: written %s, back %s", text, written, back)
		}
		if !Hidden(back) && !sameJSON(t, data, back) {
			t.Fatalf("%q came back as %s", text, back)
		}
	})
}

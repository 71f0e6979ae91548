package wire

import (
	"encoding/json"
	"testing"
)

func TestRefrain(t *testing.T) {
	tests := []struct {
		name        string
		piece, next string
		want        string
		same        bool
	}{
		{"another text", `{"i":0,"text":"a"}`, `{"i":0,"text":"b c é"}`, "b c é", true},
		{"no text", `{"i":0,"text":"a"}`, `{"i":0,"text":""}`, "", true},
		{"blanks behind the key", `{"i":0, "text": "a"}`, `{"i":0, "text": "b"}`, "b", true},
		{"something else beside it", `{"i":0,"text":"a"}`, `{"i":1,"text":"b"}`, "", false},
		{"more beside it", `{"text":"a"}`, `{"text":"b","i":0}`, "", false},
		{"a text to unescape", `{"text":"a"}`, `{"text":"\n"}`, "", false},
		{"what is no UTF-8", `{"text":"a"}`, "{\"text\":\"\xff\"}", "", false},
		{"what is no JSON", `{"text":"a"}`, "{\"text\":\"\n\"}", "", false},
		{"no text to learn from", `{"text":""}`, `{"text":"b"}`, "", false},
		{"learned from an escape", `{"text":"\n"}`, `{"text":"b"}`, "", false},
		{"two keys", `{"text":"a","more":{"text":"a"}}`, `{"text":"b","more":{"text":"a"}}`, "", false},
		{"two spellings of a key", `{"text":"a","TEXT":"a"}`, `{"text":"b","TEXT":"a"}`, "", false},
		{"a shorter one", `{"text":"a"}`, `{"text":"}`, "", false},
		{"nothing", `{"text":"a"}`, ``, "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var r Refrain
			if text, same := r.Text([]byte(test.next)); same {
				t.Errorf("%q is known before anything is learned", text)
			}
			r.Learn([]byte(test.piece), "text", textIn(test.piece))
			if text, same := r.Text([]byte(test.next)); same != test.same || text != test.want {
				t.Errorf("got %q, %v", text, same)
			}
		})
	}
}

func TestRefrainsThatAreNone(t *testing.T) {
	var r Refrain
	for range mostRefrains {
		if !r.Learn([]byte(`{"text":"a"}`), "text", "a") {
			t.Error("it is not learned")
		}
	}
	if r.Learn([]byte(`{"text":"a"}`), "text", "a") {
		t.Error("it learns from each piece")
	}
}

// FuzzRefrain compares with a decoder.
func FuzzRefrain(f *testing.F) {
	f.Add(`{"i":0,"text":"a"}`, `{"i":0,"text":"b"}`)
	f.Add(`{"text":"a","Text":"a"}`, `{"text":"b","Text":"a"}`)
	f.Fuzz(func(t *testing.T, piece, next string) {
		var r Refrain
		if !json.Valid([]byte(piece)) || !r.Learn([]byte(piece), "text", textIn(piece)) {
			return
		}
		text, same := r.Text([]byte(next))
		if same && (!json.Valid([]byte(next)) || text != textIn(next)) {
			t.Errorf("%q after %q: got %q", next, piece, text)
		}
	})
}

func textIn(piece string) string {
	var p struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal([]byte(piece), &p) // some are none
	return p.Text
}

package jsonline

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// FuzzAppendString compares with encoding/json.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "text", "a\"b\\c/d<e>&f", "\x00\x01\b\f\n\r\t\x1f\x7f", "é 世界 🙂", "a\xffb\xc3", "\u2028\u2029\ufffd", "\xed\xa0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(s); err != nil {
			t.Fatal(err)
		}
		if got := string(AppendString(nil, s)); got != strings.TrimSuffix(want.String(), "\n") {
			t.Errorf("%q: %s, want %s", s, got, want.String())
		}
	})
}

func TestObject(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(o *Object)
		want  string
	}{
		{"empty", func(*Object) {}, `{}`},
		{"members", func(o *Object) {
			o.Int("a", -1)
			o.Text("b", "x\n")
			o.Bool("c", true)
			o.JSON("e", []byte("{\n \"f\": [1, 2]}"))
			o.Float("h", 1e-9)
		}, `{"a":-1,"b":"x\n","c":true,"e":{"f":[1,2]},"h":1e-9}`},
		{"what is left out", func(o *Object) {
			o.TextIf("a", "")
			o.TextIf("c", "x")
		}, `{"c":"x"}`},
		{"inner", func(o *Object) {
			o.Object("a", func(o *Object) { o.Int("b", 1) })
			o.Object("c", func(*Object) {})
			o.List("d", 2, func(o *Object, i int) { o.Int("e", int64(i)) })
			o.List("f", 0, nil)
			o.Int("g", 1)
		}, `{"a":{"b":1},"c":{},"d":[{"e":0},{"e":1}],"f":[],"g":1}`},
	} {
		var o Object
		c.write(&o)
		if got, err := o.Line(); err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestObjectFails(t *testing.T) {
	var o Object
	o.JSON("a", []byte("{"))
	if _, err := o.Line(); err == nil {
		t.Error("what is no JSON was written")
	}
	o = Object{}
	o.Float("a", math.NaN())
	if _, err := o.Line(); err == nil {
		t.Error("what is no number was written")
	}
	o = Object{}
	wrong := errors.New("wrong")
	o.Fail(wrong)
	o.Fail(errors.New("later"))
	if _, err := o.Line(); err != wrong {
		t.Errorf("error %v", err)
	}
}

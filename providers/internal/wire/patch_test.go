package wire

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// The cases of RFC 7386, appendix A, as far as the target is an object, and
// what it leaves open.
func TestMergePatch(t *testing.T) {
	for _, c := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"n":12345678901234567890,"t":"<&>"}`, `{"a":0.10}`, `{"a":0.10,"n":12345678901234567890,"t":"<&>"}`},
	} {
		if got := mergePatch([]byte(c.target), []byte(c.patch)); string(got) != c.want {
			t.Errorf("%s with %s: %s, want %s", c.target, c.patch, got, c.want)
		}
	}
	for _, patch := range []string{"", "{", `{"a":`} {
		if got := mergePatch([]byte(`{}`), []byte(patch)); got != nil {
			t.Errorf("patch %q: %s, want none", patch, got)
		}
	}
}

func TestPatchedRequest(t *testing.T) {
	req, err := http.NewRequest("POST", "http://h/", strings.NewReader(`{"model":"m","options":{"seed":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := patchBody(req, []byte(`{"options":{"num_ctx":8192},"stream_options":null}`)); err != nil {
		t.Fatal(err)
	}
	const want = `{"model":"m","options":{"num_ctx":8192,"seed":1}}`
	again, err := req.GetBody()
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []io.Reader{req.Body, again} {
		var b bytes.Buffer
		if _, err := b.ReadFrom(body); err != nil || b.String() != want {
			t.Errorf("body %s, error %v, want %s", b.String(), err, want)
		}
	}
	if req.ContentLength != int64(len(want)) {
		t.Errorf("length %d", req.ContentLength)
	}
	if err := patchBody(req, []byte(`{`)); err == nil {
		t.Error("a patch that is no JSON")
	}
}

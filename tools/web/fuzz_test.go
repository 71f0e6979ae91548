package web

import (
	"net/url"
	"testing"
	"unicode/utf8"
)

// FuzzConvert turns whatever a server sends into text that a model can read, in
// little time.
func FuzzConvert(f *testing.F) {
	f.Add([]byte(`<h1>a</h1><table><tr><td>b<ul><li><a href="x">c</a></ul></table>`), "text/html")
	f.Add([]byte("\xff\xfe<\x00p\x00>\x00"), "text/html; charset=utf-16")
	f.Add([]byte("<base href=:><a href='//[x'>y</a><pre><code class=go>z"), "text/html; charset=shift_jis")
	f.Add([]byte("\ufeff{}"), "application/json; charset=x")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		if len(body) > 64<<10 {
			return
		}
		address := &url.URL{Scheme: "https", Host: "example.com", Path: "/a/b"}
		p := &page{address: address, status: 200, contentType: contentType, body: body}
		text := p.text(p.mediaType())
		if !utf8.Valid(text) {
			t.Fatalf("no UTF-8: %q", text)
		}
		for _, format := range []string{asMarkdown, asText} {
			converted, err := convert(t.Context(), text, address, format)
			if err == nil && !utf8.Valid(converted) {
				t.Errorf("%s: no UTF-8: %q", format, converted)
			}
		}
	})
}

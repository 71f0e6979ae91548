package wire

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

type read struct {
	Name, Data string
	Bare, Cut  bool
}

func readAll(contentType string, body io.Reader) ([]read, error) {
	events := newEventStream(&http.Response{Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(body)})
	var list []read
	for {
		e, err := events.next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, read{e.Name, string(e.Data), e.Bare, e.Cut})
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		name, contentType, body string
		want                    []read
	}{
		{"nothing", "", "", nil},
		{"one", "", "data: a\n\n", []read{{Data: "a"}}},
		{"named", "", "event: e\ndata: a\n\ndata: b\n\n", []read{{Name: "e", Data: "a"}, {Data: "b"}}},
		{"a name alone is no event", "", "event: e\n\ndata: a\n\n", []read{{Data: "a"}}},
		{"no blank after the colon, or two", "", "data:a\n\ndata:  b\n\n", []read{{Data: "a"}, {Data: " b"}}},
		{"several lines", "", "data: a\ndata: b\n\n", []read{{Data: "a\nb"}}},
		{"CRLF", "", "event: e\r\ndata: a\r\n\r\n", []read{{Name: "e", Data: "a"}}},
		{"comments, ids and blank lines", "", ": c\n\n\nid: 7\nretry: 1\ndata: a\n: c\n\n", []read{{Data: "a"}}},
		{"a byte order mark", "", "\ufeffdata: a\n\n", []read{{Data: "a"}}},
		{"the last one without a blank line", "", "data: a\n\ndata: b\n", []read{{Data: "a"}, {Data: "b", Cut: true}}},
		{"the last one without an end of line", "", "data: a", []read{{Data: "a", Cut: true}}},
		{"bare JSON", "", "data: a\n\n{\n  \"error\": 1\n}\n\ndata: b\n\n", []read{{Data: "a"}, {Data: "{\n  \"error\": 1\n}", Bare: true}, {Data: "b"}}},
		{"a document", "application/json", "{\n\n\"a\": 1}\n", []read{{Data: "{\n\n\"a\": 1}\n", Bare: true, Cut: true}}},
		{"an empty document", "application/problem+json", " \n", nil},
		{"lines", "application/x-ndjson", "{\"a\": 1}\n\n{\"a\": 2}\r\n{\"a\"", []read{{Data: "{\"a\": 1}", Bare: true}, {Data: "{\"a\": 2}", Bare: true}, {Data: "{\"a\"", Bare: true, Cut: true}}},
		{"lines that are none", "application/x-ndjson; charset=utf-8", "data: a\n", []read{{Data: "data: a", Bare: true}}},
		{"text that is no event", "text/plain", "hello\nworld\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, body := range map[string]io.Reader{
				"whole": strings.NewReader(c.body), "byte by byte": iotest.OneByteReader(strings.NewReader(c.body)),
			} {
				got, err := readAll(c.contentType, body)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			}
		})
	}
}

func TestLongLine(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	got, err := readAll("", strings.NewReader("data: "+long+"\n\ndata: a\n\n"))
	if err != nil || len(got) != 2 || got[0].Data != long {
		t.Errorf("%d events, error %v", len(got), err)
	}
}

func TestEventsTooLong(t *testing.T) {
	endless := func(line string) io.Reader { return &repeating{line: []byte(line)} }
	for name, body := range map[string]io.Reader{
		"a line without an end":    endless("x"),
		"an event without an end":  endless("data: " + strings.Repeat("x", 1<<16) + "\n"),
		"bare JSON without an end": endless("[" + strings.Repeat("1,", 1<<15) + "\n"),
	} {
		if err := drain(body); !errors.Is(err, errTooMuch) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := readAll("application/json", endless("x")); !errors.Is(err, errTooMuch) {
		t.Errorf("document without an end: error %v", err)
	}
}

// drain reads all events and keeps none.
func drain(body io.Reader) error {
	events := newEventStream(&http.Response{Body: io.NopCloser(body)})
	for {
		if _, err := events.next(); err != nil {
			return err
		}
	}
}

// repeating gives the same bytes again and again.
type repeating struct {
	line []byte
	rest []byte
}

// Read never ends.
func (r *repeating) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(r.rest) == 0 {
			r.rest = r.line
		}
		m := copy(p[n:], r.rest)
		r.rest = r.rest[m:]
		n += m
	}
	return n, nil
}

func TestBodyThatFails(t *testing.T) {
	broken := errors.New("broken")
	got, err := readAll("", io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("events %v, error %v", got, err)
	}
}

func FuzzEvents(f *testing.F) {
	f.Add("", "event: e\r\ndata: a\r\n\r\n{\n\"x\": 1\n}\ndata: b")
	f.Add("application/json", "{}")
	f.Fuzz(func(t *testing.T, contentType, body string) {
		whole, err := readAll(contentType, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		slow, err := readAll(contentType, iotest.OneByteReader(strings.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, slow); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkEvents(b *testing.B) {
	body := bytes.Repeat([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"word\"}}]}\n\n"), 1000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		events := newEventStream(&http.Response{Body: io.NopCloser(bytes.NewReader(body))})
		for {
			if _, err := events.next(); err != nil {
				break
			}
		}
	}
}

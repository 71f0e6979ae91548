package files

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/a-seed-11b9befa/flow/tools"
)

func TestNotes(t *testing.T) {
	tests := []struct {
		name string
		got  string
		want string
	}{
		{"nothing to say", (&search{}).note(nil, ""), ""},
		{"what was missed", (&search{missed: 3}).note(nil, "No line matches."), "No line matches. What could not be opened was passed over: 3."},
		{"too many files", (&search{}).note(errTooMany, ""), "There are more files than a search looks at; name a smaller folder."},
		{"no time left", (&grep{matches: 1}).note(errTime), "Stopped after 1m0s; a smaller path, an include or a pattern that starts with plain text is faster."},
		{"files are found", globbed(1, "*"), ""},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, test.got, test.want)
		}
	}
}

func TestSearchStopsAtTooManyFiles(t *testing.T) {
	w := workspace(t, Options{Root: tree(t, map[string]string{"a": "", "b/c": "", "d": ""})})
	real, folder, err := w.openFolder("")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	s := search{w: w, files: maxFiles - 2}
	var visited []string
	err = s.walk(t.Context(), real, folder, func(f found) error {
		visited = append(visited, f.relative)
		return nil
	})
	if !errors.Is(err, errTooMany) || strings.Join(visited, " ") != "a b/c" {
		t.Errorf("got %v, visited %v", err, visited)
	}
}

func TestSearchDepth(t *testing.T) {
	deep := strings.Repeat("d/", maxDepth+3)
	w := workspace(t, Options{Root: tree(t, map[string]string{deep + "f": "needle\n", "d/f": "needle\n"})})
	answer := call(t, w, "grep", args{"pattern": "needle"})
	if want := "d/f:1: needle\nWhat could not be opened was passed over: 1."; answer.Content != want {
		t.Errorf("got %q, want %q", answer.Content, want)
	}
}

func TestSearchReadError(t *testing.T) {
	x, err := compileLine("a")
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("input/output error")
	found, _, err := x.search(t.Context(), io.MultiReader(strings.NewReader("a\nb\n"), iotest.ErrReader(broken)), false, 10)
	if !errors.Is(err, broken) || len(found) != 1 {
		t.Errorf("got %v, %v", found, err)
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("input/output error")
	out := tools.NewOutput(tools.OutputOptions{})
	n := numbered{out: out}
	in := bufio.NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)))
	if err := n.copy(t.Context(), in); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// TestReadLongLines has lines that are longer than the reader's buffer, one of
// them with \r\n at its end.
func TestReadLongLines(t *testing.T) {
	long := strings.Repeat("x", 3*readBuffer)
	for _, in := range []string{long, long + "\n", long + "\nb\n", "a\n" + long + "\nb"} {
		var b strings.Builder
		n := numbered{out: &b}
		if err := n.copy(t.Context(), bufio.NewReaderSize(strings.NewReader(in), readBuffer)); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for line := range strings.Lines(b.String()) {
			_, text, _ := strings.Cut(line, "| ")
			got.WriteString(text)
		}
		if got.String() != in || n.result() != (tools.Result{}) {
			t.Errorf("%d bytes became %d, %+v", len(in), got.Len(), n.result())
		}
		past := numbered{out: io.Discard, offset: 9}
		if err := past.copy(t.Context(), bufio.NewReaderSize(strings.NewReader(in), readBuffer)); err != nil || !past.result().Failed {
			t.Errorf("got %+v, %v", past.result(), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("one\ntwo\r\nthree", int64(1), int64(1))
	f.Add("", int64(0), int64(0))
	f.Add("\n\n\xff", int64(2), int64(9))
	f.Fuzz(func(t *testing.T, in string, offset, limit int64) {
		if offset < 0 || limit < 0 || strings.Contains(in, "\r") {
			return // the schema refuses the first two
		}
		var b strings.Builder
		n := numbered{out: &b, offset: offset, limit: limit}
		if err := n.copy(t.Context(), bufio.NewReaderSize(strings.NewReader(in), 16)); err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(in, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		total := int64(len(lines))
		wanted := lines[min(offset, total):]
		if limit > 0 && limit < int64(len(wanted)) {
			wanted = wanted[:limit]
		}
		got := 0
		for line := range strings.Lines(b.String()) {
			_, text, _ := strings.Cut(line, "| ")
			if got >= len(wanted) || text != wanted[got] {
				t.Fatalf("line %d of %q from %d, at most %d: got %q", got, in, offset, limit, text)
			}
			got++
		}
		if past := offset > 0 && offset >= total; got != len(wanted) || n.result().Failed != past {
			t.Errorf("%q from %d: %d lines, %+v", in, offset, got, n.result())
		}
	})
}

package tools

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// memory is a file of a whole output that takes so many bytes.
type memory struct {
	bytes.Buffer
	room   int
	opened int
	closed bool
}

var errDiskFull = errors.New("no space left on device")

func (m *memory) Write(p []byte) (int, error) {
	if m.room > 0 && m.Len()+len(p) > m.room {
		n, _ := m.Buffer.Write(p[:m.room-m.Len()])
		return n, errDiskFull
	}
	return m.Buffer.Write(p)
}

func (m *memory) Close() error {
	m.closed = true
	return nil
}

func (m *memory) spill() (io.WriteCloser, string, error) {
	m.opened++
	return m, "outputs/1-x.txt", nil
}

func numbers(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

func TestOutput(t *testing.T) {
	whole := "; the whole output is in outputs/1-x.txt; read it"
	tests := []struct {
		name   string
		limits Limits
		in     string
		want   string
		cut    bool
	}{
		{name: "nothing"},
		{name: "short", in: "one\ntwo", want: "one\ntwo"},
		{name: "all that fits", limits: Limits{Lines: 3}, in: numbers(1, 3), want: numbers(1, 3)},
		{name: "head", limits: Limits{Lines: 3}, in: numbers(1, 5), cut: true,
			want: "1\n2\n3\n… 2 lines (4 bytes) left out" + whole},
		{name: "tail", limits: Limits{Lines: 3, Keep: KeepTail}, in: numbers(1, 5), cut: true,
			want: "… 2 lines (4 bytes) left out" + whole + "\n3\n4\n5\n"},
		{name: "both", limits: Limits{Lines: 4, Keep: KeepBoth}, in: numbers(1, 1005), cut: true,
			want: "1\n2\n… 1,001 lines (3,904 bytes) left out" + whole + "\n1004\n1005\n"},
		{name: "both of an odd number", limits: Limits{Lines: 3, Keep: KeepBoth}, in: numbers(1, 5), cut: true,
			want: "1\n… 2 lines (4 bytes) left out" + whole + "\n4\n5\n"},
		{name: "both, and all fits", limits: Limits{Bytes: 10, Keep: KeepBoth}, in: "aaaaaaaa\nb", want: "aaaaaaaa\nb"},
		{name: "bytes at line ends", limits: Limits{Bytes: 7}, in: "abc\nde\nf\n", cut: true,
			want: "abc\nde\n… 1 line (2 bytes) left out" + whole},
		{name: "no line fits", limits: Limits{Bytes: 3}, in: "abcdef\n", cut: true,
			want: "… 1 line (7 bytes) left out" + whole},
		{name: "a long line", limits: Limits{LineChars: 5}, in: "a\nübermäßig\nb\n", cut: true,
			want: "a\nüberm … 6 bytes of this line left out\nb\n… long lines are shortened" + whole},
		{name: "a line of the limit", limits: Limits{LineChars: 5}, in: "ööööö\nb\n", want: "ööööö\nb\n"},
		{name: "a long last line", limits: Limits{LineChars: 5}, in: "abcdefgh", cut: true,
			want: "abcde … 3 bytes of this line left out\n… long lines are shortened" + whole},
		{name: "a long line in the tail", limits: Limits{LineChars: 2, Lines: 2, Keep: KeepTail}, in: "12\n34\nabcd\nef", cut: true,
			want: "… 2 lines (6 bytes) left out" + whole + "\nab … 2 bytes of this line left out\nef"},
		{name: "no text", in: "a\xff\xfe\x00b\n\xe2\x82\nc", want: "a\uFFFDb\n\uFFFD\nc"},
	}
	for _, test := range tests {
		for _, size := range []int{1, 3, 1 << 20} {
			t.Run(fmt.Sprintf("%s by %d", test.name, size), func(t *testing.T) {
				var m memory
				o := NewOutput(OutputOptions{Limits: test.limits, Spill: m.spill, Hint: "read it"})
				text := writeBy(t, o, test.in, size)
				if text.Content != test.want || text.Truncated != test.cut {
					t.Errorf("got %q, truncated %v\nwant %q, %v", text.Content, text.Truncated, test.want, test.cut)
				}
				if text.Bytes != int64(len(test.in)) {
					t.Errorf("got %d bytes, want %d", text.Bytes, len(test.in))
				}
				checkFile(t, &m, text, test.in)
			})
		}
	}
}

// checkFile checks that a file is there when something was cut, and only then,
// and that it holds all.
func checkFile(t *testing.T, m *memory, text Text, whole string) {
	t.Helper()
	if !text.Truncated {
		if m.opened != 0 || text.Path != "" {
			t.Errorf("a file %q was opened for what was not truncated", text.Path)
		}
		return
	}
	if m.opened != 1 || !m.closed || text.Path != "outputs/1-x.txt" {
		t.Errorf("opened %d times, closed: %v, path %q", m.opened, m.closed, text.Path)
	}
	if m.String() != whole {
		t.Errorf("the file has %d bytes, not the %d that were written", m.Len(), len(whole))
	}
}

func writeBy(t *testing.T, o *Output, in string, size int) Text {
	t.Helper()
	for len(in) > 0 {
		n := min(size, len(in))
		if _, err := io.WriteString(o, in[:n]); err != nil {
			t.Fatal(err)
		}
		in = in[n:]
	}
	text, err := o.Close()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestOutputDefaults(t *testing.T) {
	t.Run("bytes", func(t *testing.T) {
		var m memory
		row := strings.Repeat("0", 99) + "\n"
		text := writeBy(t, NewOutput(OutputOptions{Spill: m.spill}), strings.Repeat(row, 1000), 4096)
		want := strings.Repeat(row, 512) + "… 488 lines (48,800 bytes) left out; the whole output is in outputs/1-x.txt"
		if text.Content != want {
			t.Errorf("got %d bytes that end with %q", len(text.Content), text.Content[len(text.Content)-200:])
		}
	})
	t.Run("lines", func(t *testing.T) {
		var m memory
		o := NewOutput(OutputOptions{Limits: Limits{Keep: KeepBoth}, Spill: m.spill})
		text := writeBy(t, o, numbers(1, 5123), 4096)
		want := numbers(1, 1000) + "… 3,123 lines (15,615 bytes) left out; the whole output is in outputs/1-x.txt\n" + numbers(4124, 5123)
		if text.Content != want {
			t.Errorf("got %.300q", text.Content)
		}
	})
}

func TestOutputDiskErrors(t *testing.T) {
	refused := func() (io.WriteCloser, string, error) { return nil, "", errDiskFull }
	small := memory{room: 10}
	tests := []struct {
		name  string
		spill Spill
		want  string
		path  string
		kept  bool
	}{
		{name: "all of it", spill: new(memory).spill, path: "outputs/1-x.txt", kept: true,
			want: "1\n2\n… 98 lines (288 bytes) left out; the whole output is in outputs/1-x.txt; read it"},
		{name: "no file", want: "1\n2\n… 98 lines (288 bytes) left out"},
		{name: "not opened", spill: refused, want: "1\n2\n… 98 lines (288 bytes) left out, and lost: no space left on device"},
		{name: "full", spill: small.spill, path: "outputs/1-x.txt",
			want: "1\n2\n… 98 lines (288 bytes) left out; only the first 10 bytes are in outputs/1-x.txt, the rest is lost: no space left on device"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := NewOutput(OutputOptions{Limits: Limits{Lines: 2}, Spill: test.spill, Hint: "read it"})
			text := writeBy(t, o, numbers(1, 100), 7)
			if text.Content != test.want || text.Path != test.path || !text.Truncated || text.Lost == test.kept {
				t.Errorf("got %q, path %q, lost: %v", text.Content, text.Path, text.Lost)
			}
		})
	}
}

func TestOutputClosed(t *testing.T) {
	o := NewOutput(OutputOptions{})
	if _, err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(o, "x"); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Write after Close: %v", err)
	}
	if _, err := o.Close(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Close after Close: %v", err)
	}
}

func TestOutputMasked(t *testing.T) {
	var m memory
	o := NewOutput(OutputOptions{Limits: Limits{Lines: 2}, Spill: m.spill, Mask: NewMask([]string{"tok-5f2e9c"})})
	text := writeBy(t, o, "a tok-5f2e9c\nb\nc tok-5f2e9c\n", 3)
	if want := "a ***\nb\n… 1 line (6 bytes) left out; the whole output is in outputs/1-x.txt"; text.Content != want {
		t.Errorf("got %q, want %q", text.Content, want)
	}
	if want := "a ***\nb\nc ***\n"; m.String() != want {
		t.Errorf("the file has %q, want %q", m.String(), want)
	}
}

// A revealed text is real; of a secret that does not fit into its line nothing
// is shown, and in the file there is none.
func TestOutputRevealed(t *testing.T) {
	mask := NewMask([]string{"tok-5f2e9c", "tok-5f2e9c-and-so-on-and-on-and-on-and-on"})
	tests := []struct {
		name string
		in   string
		want string
		file string
	}{
		{name: "fits", in: "a tok-5f2e9c\nb\n", want: "a tok-5f2e9c\nb\n"},
		{name: "too many lines", in: "tok-5f2e9c\nb\ntok-5f2e9c\n", want: "tok-5f2e9c\nb\n… 1 line (11 bytes) left out; the whole output is in outputs/1-x.txt", file: "***\nb\n***\n"},
		{name: "a line that ends in a secret", in: "0123456789 tok-5f2e9c and more\n",
			want: "0123456789  … 19 bytes of this line left out\n… long lines are shortened; the whole output is in outputs/1-x.txt", file: "0123456789 *** and more\n"},
		{name: "a secret longer than is looked at", in: "0123456789 tok-5f2e9c-and-so-on-and-on-and-on-and-on-\n",
			want: "0123456789  … 42 bytes of this line left out\n… long lines are shortened; the whole output is in outputs/1-x.txt", file: "0123456789 ***-\n"},
		{name: "a line that is cut behind one", in: "tok-5f2e9c 0123456789\n",
			want: "tok-5f2e9c 01234 … 5 bytes of this line left out\n… long lines are shortened; the whole output is in outputs/1-x.txt", file: "*** 0123456789\n"},
	}
	for _, test := range tests {
		for _, size := range []int{1, 3, 1 << 20} {
			t.Run(fmt.Sprintf("%s by %d", test.name, size), func(t *testing.T) {
				var m memory
				var whole bytes.Buffer
				o := NewOutput(OutputOptions{Limits: Limits{Lines: 2, LineChars: 16}, Spill: m.spill, Mask: mask, Reveal: true, Copy: &whole})
				text := writeBy(t, o, test.in, size)
				if text.Content != test.want {
					t.Errorf("got %q\nwant %q", text.Content, test.want)
				}
				if m.String() != test.file {
					t.Errorf("the file has %q, want %q", m.String(), test.file)
				}
				if whole.String() != test.in {
					t.Errorf("the copy has %q", whole.String())
				}
			})
		}
	}
}

func TestOutputConcurrent(t *testing.T) {
	var m memory
	o := NewOutput(OutputOptions{Spill: m.spill})
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 5000 {
				io.WriteString(o, "one line\n")
			}
		})
	}
	writers.Wait()
	text, err := o.Close()
	if err != nil || text.Lines != 20000 || strings.Count(m.String(), "one line\n") != 20000 {
		t.Errorf("got %d lines, %v", text.Lines, err)
	}
}

// discard counts, and keeps nothing.
type discard struct{ n int64 }

func (d *discard) Write(p []byte) (int, error) {
	d.n += int64(len(p))
	return len(p), nil
}

func (*discard) Close() error { return nil }

// TestOutputMemory writes much more than may be held, as short lines, as long
// ones, and as one without end.
func TestOutputMemory(t *testing.T) {
	const total, most = 200 << 20, 4 << 20
	for _, line := range []string{"y\n", strings.Repeat("x", 300) + "\n", strings.Repeat("x", 3000) + "\n", "no end ", "\xff\x00\n"} {
		t.Run(fmt.Sprintf("%.5q", line), func(t *testing.T) {
			var d discard
			block := bytes.Repeat([]byte(line), 32<<10/len(line))
			o := NewOutput(OutputOptions{
				Limits: Limits{Keep: KeepBoth},
				Mask:   NewMask([]string{"a secret", "another secret"}),
				Spill:  func() (io.WriteCloser, string, error) { return &d, "x", nil },
			})
			size := total
			if testing.Short() || raceEnabled || len(line) < 10 || len(line) > 2000 {
				size /= 8 // what takes longer here: its memory is that of any size
			}
			before, highest := heap(), uint64(0)
			for n := 0; n < size; n += len(block) {
				o.Write(block)
				if n%(16<<20) < len(block) {
					highest = max(highest, heap())
				}
			}
			if highest > before+most {
				t.Errorf("memory grew from %d to %d", before, highest)
			}
			text, _ := o.Close()
			if text.Bytes != d.n || len(text.Content) > 52<<10 {
				t.Errorf("%d bytes were counted, %d kept in the file, %d shown", text.Bytes, d.n, len(text.Content))
			}
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// FuzzOutput compares an output with what a model of it says that knows all of
// the text at once.
func FuzzOutput(f *testing.F) {
	f.Add("one\ntwo\nthree\n", uint16(2), uint16(100), uint16(10), uint8(0), uint64(1))
	f.Add("a\xff\x00b\n\nlonger line ö\n", uint16(3), uint16(30), uint16(4), uint8(1), uint64(2))
	f.Add("\xff", uint16(0), uint16(3), uint16(49), uint8(0), uint64(92)) // fits to the byte
	f.Add(strings.Repeat("x\n", 500), uint16(10), uint16(1000), uint16(100), uint8(2), uint64(3))
	f.Fuzz(func(t *testing.T, in string, lines, most, chars uint16, keep uint8, seed uint64) {
		limits := Limits{Lines: int(lines), Bytes: int(most), LineChars: int(chars), Keep: []Keep{KeepHead, KeepTail, KeepBoth}[keep%3]}
		var m memory
		o := NewOutput(OutputOptions{Limits: limits, Spill: m.spill})
		random := rand.New(rand.NewPCG(seed, 0))
		for rest := in; len(rest) > 0; {
			n := 1 + random.IntN(len(rest))
			io.WriteString(o, rest[:n])
			rest = rest[n:]
		}
		text, err := o.Close()
		if err != nil {
			t.Fatal(err)
		}
		checkFile(t, &m, text, in)
		checkText(t, text, in, limits.or(defaultLimits))
	})
}

func checkText(t *testing.T, text Text, in string, l Limits) {
	t.Helper()
	if !utf8.ValidString(text.Content) || strings.ContainsRune(text.Content, 0) {
		t.Errorf("no text: %q", text.Content)
	}
	if text.Bytes != int64(len(in)) || text.Lines != int64(len(slicesOfLines(in))) {
		t.Errorf("got %d lines, %d bytes", text.Lines, text.Bytes)
	}
	if notice := 120; len(text.Content) > l.Bytes+notice {
		t.Errorf("%d bytes are shown, the limit is %d", len(text.Content), l.Bytes)
	}
	if cut := needsCut(in, l); text.Truncated != cut {
		t.Errorf("truncated: %v, want %v", text.Truncated, cut)
	}
	if !text.Truncated && text.Content != string(appendHarmless(nil, []byte(in))) {
		t.Errorf("got %q for %q", text.Content, in)
	}
	kept, left := keptLines(text.Content)
	if text.Truncated && kept+left != text.Lines {
		t.Errorf("%d lines are shown and %d left out of %d: %q", kept, left, text.Lines, text.Content)
	}
}

func slicesOfLines(in string) []string {
	return strings.SplitAfter(strings.TrimSuffix(in, "\n")+"\n", "\n")[:strings.Count(strings.TrimSuffix(in, "\n")+"\n", "\n")*min(1, len(in))]
}

// needsCut says from the whole text whether a limit is passed.
func needsCut(in string, l Limits) bool {
	size := 0
	for _, line := range slicesOfLines(in) {
		text := strings.TrimSuffix(line, "\n")
		if utf8.RuneCountInString(text) > l.LineChars {
			return true
		}
		size += len(appendHarmless(nil, []byte(text))) + 1
	}
	if in != "" && !strings.HasSuffix(in, "\n") {
		size--
	}
	return len(slicesOfLines(in)) > l.Lines || size > l.Bytes
}

// keptLines counts the lines of a content, and reads how many it says are left
// out.
func keptLines(content string) (kept, left int64) {
	for line := range strings.Lines(content) {
		if strings.HasPrefix(line, "… ") && strings.Contains(line, "outputs/1-x.txt") {
			fmt.Sscanf(strings.ReplaceAll(line, ",", ""), "… %d line", &left)
			continue
		}
		kept++
	}
	return kept, left
}

func BenchmarkOutput(b *testing.B) {
	for _, line := range []string{"y\n", strings.Repeat("x", 79) + "\n", strings.Repeat("x", 3000) + "\n"} {
		for _, mask := range []*Mask{nil, NewMask([]string{"sk-0123456789", "a longer secret"})} {
			b.Run(fmt.Sprintf("lines of %d masked %v", len(line), mask != nil), func(b *testing.B) {
				block := bytes.Repeat([]byte(line), 32<<10/len(line))
				var d discard
				o := NewOutput(OutputOptions{
					Limits: Limits{Keep: KeepBoth}, Mask: mask,
					Spill: func() (io.WriteCloser, string, error) { return &d, "x", nil },
				})
				b.SetBytes(int64(len(block)))
				for b.Loop() {
					o.Write(block)
				}
			})
		}
	}
}

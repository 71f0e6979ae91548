package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A picture is what a terminal shows that breaks long lines anew when it is resized, as most do. It knows
// what flow writes: colours, lines, moving up by rows, and clearing what is below.
type picture struct {
	lines   []string // above the cursor, which is at the beginning of a line
	pending string
}

var (
	upAndClear = regexp.MustCompile(`^\r\x1b\[(\d+)A\x1b\[J`)
	colour     = regexp.MustCompile(`\x1b\[\d+m`)
)

// rowsOf is how many rows a line takes.
func rowsOf(line string, columns int) int {
	return max(1, (len([]rune(colour.ReplaceAllString(line, "")))+columns-1)/columns)
}

func (p *picture) write(t *testing.T, data string, columns int) {
	p.pending += strings.ReplaceAll(data, "\r\n", "\n")
	for p.pending != "" {
		if up := upAndClear.FindStringSubmatch(p.pending); up != nil {
			rows, _ := strconv.Atoi(up[1])
			for rows > 0 && len(p.lines) > 0 {
				rows -= rowsOf(p.lines[len(p.lines)-1], columns)
				p.lines = p.lines[:len(p.lines)-1]
			}
			if rows < 0 {
				t.Fatalf("the cursor is in the middle of a line")
			}
			p.pending = p.pending[len(up[0]):]
			continue
		}
		line, rest, whole := strings.Cut(p.pending, "\n")
		if !whole || strings.Contains(line, "\r") {
			return
		}
		p.lines, p.pending = append(p.lines, line), rest
	}
}

// text is what the rows of the screen show, without colours.
func (p *picture) text(columns, rows int) string {
	var shown []string
	for _, line := range p.lines {
		runes := []rune(colour.ReplaceAllString(line, ""))
		for len(runes) > columns {
			shown, runes = append(shown, string(runes[:columns])), runes[columns:]
		}
		shown = append(shown, string(runes))
	}
	return strings.Join(shown[max(len(shown)-rows+1, 0):], "\n") + "\n"
}

const elementsWorkflow = `name: docs
model: script/s.yaml
tools: [bash]
permissions: {bash: allow}
prices: {script/s.yaml: {input: 3, output: 15}}
steps:
  - id: pages
    foreach: ${{ 0..59 }}
    label: src/${{ item }}.go
    max_parallel: 40
    on_error: continue
    prompt: Document ${{ item }}.
`

// Of sixty elements the first ten end, of which one fails, and forty others work.
const elementsScript = `steps:
  pages[3]: [{error: {status: 400, message: no such page}}]
  "*":
    - calls:
        - name: bash
          arguments: {command: "${{ int(find(prompt, '([0-9]+)', 1)) < 10 ? 'true' : 'sleep 1000' }}", description: waits}
      usage: {input_tokens: 1000, output_tokens: 100}
    - text: done
`

// TestProgressOnTerminal: forty elements that work at once are a bar and as many lines as there is room
// for, however large the terminal is and becomes.
func TestProgressOnTerminal(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "flow.yaml"), elementsWorkflow)
	write(t, filepath.Join(dir, "s.yaml"), elementsScript)
	m := newTerminal(t, 120, 40)
	cmd := exec.Command("flow", "run", "flow.yaml")
	cmd.Stdout = new(bytes.Buffer)
	m.start(dir, cmd)
	seen := new(picture)
	for _, size := range [][2]int{{120, 40}, {80, 24}, {60, 16}, {100, 30}} {
		columns, rows := size[0], size[1]
		m.resize(uint16(columns), uint16(rows))
		shown := m.shows(seen, columns, rows, "53,900 tokens", 3)
		t.Logf("%d columns, %d rows:\n%s", columns, rows, shown)
		checkProgress(t, shown, columns, rows)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	left := m.shows(seen, 100, 30, "run folder", 1)
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v", err)
	}
	if strings.Contains(left, "running") || strings.Count(left, "pages[3] (src/3.go): failed") != 1 {
		t.Errorf("left on the terminal:\n%s", left)
	}
}

// checkProgress checks what is shown of forty running elements.
func checkProgress(t *testing.T, shown string, columns, rows int) {
	t.Helper()
	units := strings.Count(shown, "s  pages[")
	var more int
	if _, rest, found := strings.Cut(shown, "… and "); found {
		fmt.Sscan(rest, &more)
	}
	if units+more != 40 || units < rows/3 {
		t.Errorf("%d units and %d more on %d rows", units, more, rows)
	}
	for _, once := range []string{"pages: ██", "█x▒▒", "▒·", "10 of 60, 1 failed, 40 running", "… and ", "\nall ", "53,900 tokens, $0.22"} {
		if strings.Count(shown, once) != 1 {
			t.Errorf("%q is there %d times", once, strings.Count(shown, once))
		}
	}
	for line := range strings.Lines(shown) {
		if n := len([]rune(line)) - 1; n > columns {
			t.Errorf("%d of %d columns: %s", n, columns, line)
		}
	}
}

func (m *terminal) resize(columns, rows uint16) {
	m.t.Helper()
	if err := unix.IoctlSetWinsize(int(m.end.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		m.t.Fatal(err)
	}
}

// shows reads until the terminal has shown a text so often.
func (m *terminal) shows(seen *picture, columns, rows int, text string, times int) string {
	m.t.Helper()
	m.SetReadDeadline(time.Now().Add(patience))
	for drawn := 0; drawn < times; {
		b := make([]byte, 1<<16)
		n, err := m.Read(b)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			m.t.Fatal(err)
		}
		if seen.write(m.t, string(b[:n]), columns); strings.Contains(seen.text(columns, rows), text) {
			drawn++
		}
		if err != nil {
			m.t.Fatalf("%q is never shown:\n%s", text, seen.text(columns, rows))
		}
	}
	return seen.text(columns, rows)
}

package term

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestBlock: it is drawn now and then, within the columns that there are, and lines
// that stay are put where it was.
func TestBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		shown := []string{"one " + strings.Repeat("x", 90), "two"}
		b := NewBlock(NewScreen(&out), RedrawEvery, func(time.Time, int, int) (put, block []string) { return nil, shown })
		time.Sleep(RedrawEvery + time.Millisecond)
		synctest.Wait()
		if want := "one " + strings.Repeat("x", 74) + "…\ntwo\n"; out.String() != want {
			t.Errorf("drawn: %q, want %q", out.String(), want)
		}

		out.Reset()
		b.Put(func() []string { return nil })
		if out.String() != "" {
			t.Errorf("drawn for nothing: %q", out.String())
		}
		b.Put(func() []string { shown = shown[1:]; return []string{"stays"} })
		if want := "\r\x1b[2A\x1b[Jstays\ntwo\n"; out.String() != want {
			t.Errorf("a line that stays: %q, want %q", out.String(), want)
		}

		out.Reset()
		b.Pause(func() {
			b.Put(func() []string { return []string{"waits"} })
			time.Sleep(5 * RedrawEvery)
			synctest.Wait()
			if want := "\r\x1b[1A\x1b[J"; out.String() != want {
				t.Errorf("drawn while the terminal is somebody else's: %q", out.String())
			}
		})
		if !strings.HasSuffix(out.String(), "waits\ntwo\n") {
			t.Errorf("a line that had to wait is lost: %q", out.String())
		}

		// A narrower terminal shows a line on several rows.
		out.Reset()
		shown = []string{strings.Repeat("x", 70), "two"}
		b.Put(func() []string { return []string{"wide"} })
		b.size = func() (columns, rows int) { return 30, 24 }
		out.Reset()
		b.Put(func() []string { shown = []string{"two"}; return []string{"narrow"} })
		if want := "\r\x1b[4A\x1b[Jnarrow\ntwo\n"; out.String() != want {
			t.Errorf("after the terminal has become narrower: %q, want %q", out.String(), want)
		}

		out.Reset()
		b.End()
		if got := out.String(); got != "\r\x1b[1A\x1b[J" {
			t.Errorf("left behind: %q", got)
		}
	})
}

// Package journaltest makes journals for tests: as text, so that what no flow would
// write can be in them, too.
package journaltest

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Lines makes the lines of a journal of lines that are objects without seq, time and
// sum. A second passes between one and the next. What is no object gets a sum alone.
func Lines(records string) string {
	var journal strings.Builder
	var sum uint32
	seq := 0
	for line := range strings.Lines(records) {
		body, whole := strings.CutSuffix(line, "\n")
		if !whole {
			journal.WriteString(line)
			break
		}
		seq++
		if rest, object := strings.CutPrefix(body, "{"); object {
			body = fmt.Sprintf(`{"seq":%d,"time":"2026-11-22T10:%02d:%02dZ",%s`, seq, seq/60%60, seq%60, strings.TrimSuffix(rest, "}"))
		}
		sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), []byte(body))
		fmt.Fprintf(&journal, "%s,\"sum\":\"%08x\"}\n", body, sum)
	}
	return journal.String()
}

// Write writes a journal into a folder, which it makes.
func Write(t testing.TB, dir, records string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(Lines(records)), 0o600); err != nil {
		t.Fatal(err)
	}
}

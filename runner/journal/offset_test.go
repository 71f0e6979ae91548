package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestARecordIsReadAgainWhereItIs(t *testing.T) {
	j, dir := begin(t, Options{})
	written := []*Record{said("a"), said(strings.Repeat("b", 10_000)), said(strings.Repeat("c", 100_000)), said(strings.Repeat("d", 60_000))}
	add(t, j, written[:2]...)
	add(t, j, written[2:]...)
	all, err := readAll(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range all {
		got, err := j.At(want.At)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("record %d:\n%s", i, diff)
		}
		if i > 0 && written[i-1].At != want.At {
			t.Errorf("record %d was written at %d, and is at %d", i, written[i-1].At, want.At)
		}
	}
	if _, err := j.At(all[2].At + 1); err == nil {
		t.Error("a record is read where none begins")
	}
	last, err := j.Last()
	if diff := cmp.Diff(all[len(all)-1], last); err != nil || diff != "" {
		t.Errorf("the last record: %v\n%s", err, diff)
	}
}

func TestTheLastRecordOfBrokenJournals(t *testing.T) {
	j, dir := begin(t, Options{})
	add(t, j, said("a"))
	shut(t, j)
	whole, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		text string
		want string // the kind; "" is an error
	}{
		"torn":    {string(whole) + `{"seq":3,"ti`, "said"},
		"changed": {strings.Replace(string(whole), `"a"}`, `"b"}`, 1) + "x\n", ""},
		"empty":   {"", ""},
		"short":   {"x\ny\n", ""},
		"zeros":   {string(make([]byte, 1<<20)), ""},
		"long":    {strings.Repeat("x", 1<<20) + "\n", ""},
	}
	for name, test := range tests {
		if err := os.WriteFile(filepath.Join(dir, File), []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := OpenReader(dir)
		if err != nil {
			t.Fatal(err)
		}
		last, err := r.Last()
		if string(last.Kind) != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: got %q, %v", name, last.Kind, err)
		}
		shut(t, r)
	}
}

func TestBusy(t *testing.T) {
	j, dir := begin(t, Options{})
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, r)
	if !r.Busy() {
		t.Error("nobody works in a run whose journal is open")
	}
	shut(t, j)
	if r.Busy() {
		t.Error("somebody works in a run whose journal is closed")
	}
}

// A Tail reads each record once, whole, and waits for nothing.
func TestATailReadsOn(t *testing.T) {
	j, dir := begin(t, Options{})
	from, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	tail := from.Tail()
	more := func() (seqs []int64) {
		t.Helper()
		for r, err := range tail.More() {
			if err != nil {
				t.Fatal(err)
			}
			seqs = append(seqs, r.Seq)
		}
		return seqs
	}
	first := more()
	add(t, j, said("a"), said(strings.Repeat("b", 600_000)))
	second := more()
	shut(t, j)
	torn, err := os.OpenFile(filepath.Join(dir, File), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := torn.WriteString(`{"seq":4,"time":`); err != nil {
		t.Fatal(err)
	}
	if err := torn.Close(); err != nil {
		t.Fatal(err)
	}
	third := more()
	again, err := Open(dir, Options{}) // cuts off the torn line
	if err != nil {
		t.Fatal(err)
	}
	add(t, again, said("c"))
	shut(t, again)
	if diff := cmp.Diff([][]int64{{1}, {2, 3}, nil, {4}}, [][]int64{first, second, third, more()}); diff != "" {
		t.Error(diff)
	}
}

package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/conc"
	"go.uber.org/goleak"

	"github.com/a-seed-11b9befa/flow/steps"
)

func TestMain(m *testing.M) {
	if work := os.Getenv("FLOW_TEST_JOURNAL"); work != "" {
		os.Exit(child(work))
	}
	goleak.VerifyTestMain(m)
}

func begin(t testing.TB, o Options) (*Journal, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "runs", "1")
	j, err := Create(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	add(t, j, &Record{Kind: Run, Version: Version, Parallel: 8})
	return j, dir
}

func add(t testing.TB, j *Journal, records ...*Record) {
	t.Helper()
	for _, r := range records {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
}

func shut(t testing.TB, j interface{ Close() error }) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func said(text string) *Record {
	data, _ := json.Marshal(text)
	return &Record{Kind: Said, Unit: Address{}.Child("a").WithAttempt(1), Data: data}
}

// readAll reads what a folder holds, and the error at its end.
func readAll(t testing.TB, dir string) (all []Record, err error) {
	t.Helper()
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, r)
	for record, err := range r.Records() {
		if err != nil {
			return all, err
		}
		all = append(all, record)
	}
	return all, nil
}

func TestWhatIsAppendedIsReadAgain(t *testing.T) {
	j, dir := begin(t, Options{})
	want := []*Record{said("one"), said(strings.Repeat("large ", 60_000)), said("two\nlines"), {Kind: Ended, Status: steps.Failed, ErrorKind: "tool"}}
	add(t, j, want...)
	shut(t, j)
	j, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	last := &Record{Kind: Resumed, Data: json.RawMessage("{}")}
	add(t, j, last)
	shut(t, j)

	all, err := readAll(t, dir)
	if err != nil || len(all) != 6 {
		t.Fatalf("%d records, %v", len(all), err)
	}
	for i, r := range append(want, last) {
		if diff := cmp.Diff(*r, all[i+1]); diff != "" || r.Seq != int64(i+2) || r.Time.IsZero() {
			t.Errorf("record %d:\n%s", i, diff)
		}
	}
	checkModes(t, dir)
}

// checkModes reports what others may read.
func checkModes(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestALineIsWhatIsDocumented(t *testing.T) {
	j, dir := begin(t, Options{})
	add(t, j, said("<hello>"))
	text, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(text, []byte("\n"))
	var line struct {
		Seq                         int
		Time, Kind, Unit, Data, Sum string
	}
	if err := json.Unmarshal(lines[1], &line); err != nil {
		t.Fatalf("%s: %v", lines[1], err)
	}
	if line.Seq != 2 || line.Kind != "said" || line.Unit != "a~1" || line.Data != "<hello>" || len(line.Sum) != 8 {
		t.Errorf("%s", lines[1])
	}
}

func TestSecretsAreMasked(t *testing.T) {
	mask := func(text []byte, as func([]byte) string) []byte {
		return bytes.ReplaceAll(text, []byte("secret"), []byte(as(nil)))
	}
	j, dir := begin(t, Options{Secrets: Secrets{Mask: mask}})
	add(t, j, said("a secret"), said(strings.Repeat("secret ", 20_000)))
	shut(t, j)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("secret")) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if all, err := readAll(t, dir); err != nil || len(all) != 3 {
		t.Errorf("%d records, %v", len(all), err)
	}
}

// Wherever a crash cuts the journal off, whole lines remain, and what comes after
// them is cut off before it is gone on with.
func TestATornLineIsCutOff(t *testing.T) {
	j, dir := begin(t, Options{})
	add(t, j, said("one"))
	whole := fileSize(t, dir)
	add(t, j, said("two"))
	shut(t, j)
	path := filepath.Join(dir, File)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	torn := [][]byte{append(slices.Clip(text[:whole]), make([]byte, 1<<20)...)}
	for n := whole; n < int64(len(text)); n++ {
		torn = append(torn, text[:n])
	}
	for _, text := range torn {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if all, err := readAll(t, dir); err != nil || len(all) != 2 {
			t.Fatalf("cut off at %d: %d records, %v", len(text), len(all), err)
		}
		j, err := Open(dir, Options{})
		if err != nil {
			t.Fatalf("cut off at %d: %v", len(text), err)
		}
		add(t, j, said("three"))
		shut(t, j)
		if all, err := readAll(t, dir); err != nil || len(all) != 3 || string(all[2].Data) != `"three"` {
			t.Fatalf("cut off at %d, gone on: %d records, %v", len(text), len(all), err)
		}
	}
}

func fileSize(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestBrokenJournals(t *testing.T) {
	lines := func(edit func(lines [][]byte) [][]byte) func([]byte) []byte {
		return func(text []byte) []byte { return bytes.Join(edit(bytes.SplitAfter(text, []byte("\n"))), nil) }
	}
	resum := func(text []byte) []byte { // as somebody would who knows how
		var out []byte
		var sum uint32
		for line := range bytes.Lines(text) {
			body := line[:len(line)-sumLength]
			sum = sumOf(sum, body)
			out = appendSum(append(out, body...), sum)
		}
		return out
	}
	replace := func(old, new string) func([]byte) []byte {
		return func(text []byte) []byte { return bytes.Replace(text, []byte(old), []byte(new), 1) }
	}
	tests := []struct {
		name string
		edit func([]byte) []byte
		want string
		late bool // found by whoever reads the records
	}{
		{"a changed letter", replace("one", "0ne"), ":2: the line was changed", false},
		{"a line is gone", lines(func(l [][]byte) [][]byte { return slices.Delete(l, 1, 2) }), ":2: the line was changed", false},
		{"a line comes twice", lines(func(l [][]byte) [][]byte { return slices.Insert(l, 1, l[1]) }), ":3: the line was changed", false},
		{"two lines are swapped", lines(func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l }), ":2: the line was changed", false},
		{"an empty line", lines(func(l [][]byte) [][]byte { return slices.Insert(l, 2, []byte("\n")) }), ":3: the line was changed", false},
		{"a long line", func(text []byte) []byte { return append(append(text, make([]byte, 1<<20)...), "\n"...) }, ":5: the line was changed", false},
		{"nothing", func([]byte) []byte { return nil }, ":1: the journal is empty", false},
		{"the beginning of a line", func(text []byte) []byte { return text[:10] }, ":1: the journal is empty", false},
		{"a newer format", func(text []byte) []byte { return resum(replace(`"version":1`, `"version":2`)(text)) }, ":1: the journal has format 2, written by a newer flow; this flow reads formats up to 1", false},
		{"no version", func(text []byte) []byte { return resum(replace(`,"version":1`, ``)(text)) }, ":1: a journal begins with", false},
		{"another beginning", func(text []byte) []byte { return resum(replace(`"kind":"run"`, `"kind":"end"`)(text)) }, ":1: a journal begins with", false},
		{"a number", func(text []byte) []byte { return resum(replace(`"seq":3`, `"seq":4`)(text)) }, ":3: the record has the number 4", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			j, dir := begin(t, Options{})
			add(t, j, said("one"), said("two"), said("three"))
			shut(t, j)
			path := filepath.Join(dir, File)
			text, _ := os.ReadFile(path)
			text = test.edit(text)
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			var wrong *Error
			j, err := Open(dir, Options{})
			if err == nil {
				shut(t, j)
			}
			if !test.late && (!errors.As(err, &wrong) || !strings.Contains(err.Error(), path+test.want)) {
				t.Errorf("to open it: got %v, want %s", err, test.want)
			}
			if _, err := readAll(t, dir); !strings.Contains(test.want, "is empty") && (!errors.As(err, &wrong) || !strings.Contains(err.Error(), path+test.want)) {
				t.Errorf("to read it: got %v, want %s", err, test.want)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(after, text) {
				t.Error("the journal was overwritten")
			}
		})
	}
}

// What a hostile folder names is neither followed nor waited for.
func TestHostileFolders(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{File, lockFile} {
		j, dir := begin(t, Options{})
		shut(t, j)
		if err := errors.Join(os.Remove(filepath.Join(dir, name)), os.Symlink(outside, filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
		if j, err := Open(dir, Options{}); err == nil {
			shut(t, j)
			t.Errorf("%s leads out of the folder, and is followed", name)
		}
		if err := errors.Join(os.Remove(filepath.Join(dir, name)), mkfifo(filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
		if j, err := Open(dir, Options{}); err == nil {
			shut(t, j)
			t.Errorf("%s is a pipe, and is opened", name)
		}
	}
	if text, _ := os.ReadFile(outside); string(text) != "mine\n" {
		t.Errorf("what is outside was overwritten: %q", text)
	}
}

func TestManyAppendAtOnce(t *testing.T) {
	j, dir := begin(t, Options{})
	const writers, each = 16, 200
	var group conc.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				r := said(fmt.Sprint(w))
				r.Count = i
				if err := j.Append(r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	shut(t, j)
	all, err := readAll(t, dir)
	if err != nil || len(all) != 1+writers*each {
		t.Fatalf("%d records, %v", len(all), err)
	}
	next := map[string]int{}
	for i, r := range all[1:] {
		w := string(r.Data)
		if r.Seq != int64(i+2) || r.Count != next[w] {
			t.Fatalf("record %d is %d of writer %s, want %d", r.Seq, r.Count, w, next[w])
		}
		next[w]++
	}
}

func TestCreateIsForNewRuns(t *testing.T) {
	j, dir := begin(t, Options{})
	var locked *Locked
	if _, err := Create(dir, Options{}); !errors.As(err, &locked) {
		t.Errorf("a run that runs is made again: %v", err)
	}
	shut(t, j)
	if _, err := Create(dir, Options{}); !errors.Is(err, ErrRun) {
		t.Errorf("got %v, want that it exists", err)
	}
	if err := j.Append(said("late")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed journal takes records: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "none"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that it does not exist", err)
	}
	if err := j.Append(&Record{Kind: Said, Data: json.RawMessage("{\n}")}); err == nil {
		t.Error("data of two lines is appended")
	}
}

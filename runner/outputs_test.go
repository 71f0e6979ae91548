package runner

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/a-seed-11b9befa/flow/runner/journal"
)

// TestWholeOutputs has two elements of a step make files of the same number: each is
// told of its own by the same name, and finds that of the other by its whole name. Neither
// finds a file that somebody has put into a folder there.
func TestWholeOutputs(t *testing.T) {
	f, err := openFolder(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	made := map[string]*wholeOutputs{}
	for _, name := range []string{"pages[0]", "loop/fix#2~3"} {
		u, err := journal.ParseAddress(name)
		if err != nil {
			t.Fatal(err)
		}
		made[name] = &wholeOutputs{folder: f, prefix: outputPrefix(u)}
		file, told, err := made[name].create(2, "bash")
		if err != nil || told != "outputs/2-bash.txt" {
			t.Fatalf("%q, %v", told, err)
		}
		io.WriteString(file, name)
		file.Close()
	}
	dir := outputsDir(f.dir)
	if err := os.CopyFS(filepath.Join(dir, "x"), fstest.MapFS{"2-bash.txt": {}}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ by, tool, field, given, want string }{
		{"pages[0]", "read", "filePath", "outputs/2-bash.txt", "pages[0].2-bash.txt"},
		{"loop/fix#2~3", "grep", "path", "./outputs/2-bash.txt", "loop+fix#2~3.2-bash.txt"},
		{"loop/fix#2~3", "read", "filePath", "outputs/pages[0].2-bash.txt", "pages[0].2-bash.txt"},
		{"pages[0]", "read", "filePath", "outputs/3-bash.txt", ""},
		{"pages[0]", "read", "filePath", "outputs/../run.json", ""},
		{"pages[0]", "read", "filePath", "outputs/x/2-bash.txt", ""},
		{"pages[0]", "write", "filePath", "outputs/2-bash.txt", ""},
	} {
		arguments := map[string]any{test.field: test.given}
		located := made[test.by].locate(test.tool, arguments)
		if want := filepath.Join(dir, test.want); located != (test.want != "") || located && arguments[test.field] != want {
			t.Errorf("%s of %s by %s: %v, %v", test.tool, test.given, test.by, located, arguments)
		}
		if !located && arguments[test.field] != test.given {
			t.Errorf("%s became %v", test.given, arguments)
		}
	}
	said := made["pages[0]"].told(filepath.Join(dir, "pages[0].2-bash.txt") + ":1: x, " + filepath.Join(dir, "b.1-stdout.txt"))
	if said != "outputs/2-bash.txt:1: x, outputs/b.1-stdout.txt" {
		t.Errorf("told %q", said)
	}
	made["pages[0]"].workspace = filepath.Dir(f.dir)
	if said := made["pages[0]"].told(filepath.Join(filepath.Base(f.dir), "outputs", "pages[0].2-bash.txt") + ":1: x"); said != "outputs/2-bash.txt:1: x" {
		t.Errorf("told %q", said)
	}
	long, err := journal.ParseAddress(strings.Repeat("aaaaaaaaaa/", 40) + "b[7]")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := (&wholeOutputs{folder: f, prefix: outputPrefix(long)}).create(1, "bash"); err != nil {
		t.Error(err)
	}
}

// TestCheckOutputs gives checks numbers of their own.
func TestCheckOutputs(t *testing.T) {
	f, err := openFolder(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	o := &wholeOutputs{folder: f, prefix: "a."}
	for _, want := range []string{"outputs/1-check-stdout.txt", "outputs/2-check-stdout.txt"} {
		file, told, err := o.next("stdout")
		if err != nil || told != want {
			t.Fatalf("%q, %v, want %q", told, err, want)
		}
		file.Close()
	}
}

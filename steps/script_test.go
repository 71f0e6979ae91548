package steps

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// How values and the source reach the shell.
func TestScript(t *testing.T) {
	long := strings.Repeat("x", maxVariable+1)
	tests := []struct {
		name    string
		command Command
		source  string // how it begins
		env     []string
		files   []string
	}{
		{"nothing", Command{Source: "true"}, "true", nil, nil},
		{"short values", Command{Source: "true", Env: []string{"A=1"}, Values: []Variable{{"B", "2"}, {"C", ""}}}, "true", []string{"A=1", "B=2", "C="}, nil},
		{"a long value", Command{Source: "true", Values: []Variable{{"A", "1"}, {"B", long}}}, "B=$(cat '", []string{"A=1"}, []string{"B"}},
		{"a long source", Command{Source: long}, ". '", nil, []string{"script"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "it's here")
			if err := os.Mkdir(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("TMPDIR", folder)
			s, err := tt.command.script()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(s.source, tt.source) || strings.Contains(s.source, "\n") {
				t.Errorf("source %.80q", s.source)
			}
			if got, want := strings.Join(s.env, " "), strings.Join(tt.env, " "); got != want {
				t.Errorf("environment %q, want %q", got, want)
			}
			checkFiles(t, s.folder, tt.files)
			if err := s.remove(); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(folder); len(left) > 0 {
				t.Error("files are left")
			}
		})
	}
}

// checkFiles looks for files that nobody else can read.
func checkFiles(t *testing.T, folder string, names []string) {
	t.Helper()
	if (folder == "") != (len(names) == 0) {
		t.Errorf("folder %q for %d files", folder, len(names))
	}
	for _, name := range names {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestScriptThatCannotBeWritten(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	c := Command{Source: "true", Values: []Variable{{"A", strings.Repeat("x", maxVariable+1)}}}
	r := c.Run(t.Context())
	if r.Status != Failed || !strings.Contains(r.Error.Message, "folder for long values") {
		t.Errorf("%s: %v", r.Status, r.Error)
	}
}

// Where the source is put behind an assignment its lines keep their numbers.
func TestScriptKeepsLineNumbers(t *testing.T) {
	c := Command{
		Source: "true\necho $LINENO\n", Dir: t.TempDir(), Env: environment(),
		Values: []Variable{{"A", strings.Repeat("x", maxVariable+1)}},
	}
	if r := c.Run(t.Context()); r.Text != "2" {
		t.Errorf("line %q: %v", r.Text, r.Error)
	}
}

func TestQuoted(t *testing.T) {
	c := Command{Source: "printf %s " + quoted(`it's "$HOME" \ *`), Dir: t.TempDir(), Env: environment()}
	if r := c.Run(t.Context()); r.Text != `it's "$HOME" \ *` {
		t.Errorf("%q: %v", r.Text, r.Error)
	}
}

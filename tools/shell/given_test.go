package shell

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
		{"nothing", Command{Script: "true"}, "true", nil, nil},
		{"short values", Command{Script: "true", Env: []string{"A=1"}, Values: []Variable{{"B", "2"}, {"C", ""}}}, "true", []string{"A=1", "B=2", "C="}, nil},
		{"a long value", Command{Script: "true", Values: []Variable{{"A", "1"}, {"B", long}}}, "B=$(cat '", []string{"A=1"}, []string{"B"}},
		{"a long source", Command{Script: long}, ". '", nil, []string{"script"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "it's here")
			if err := os.Mkdir(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("TMPDIR", folder)
			s, err := tt.command.give()
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

func TestValuesThatCannotBeGiven(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	for want, value := range map[string]string{
		"folder for long values":              strings.Repeat("x", maxVariable+1),
		"value 1 of the script: a NUL byte, ": "a\x00b",
	} {
		_, err := Run(t.Context(), Command{Script: "true", Values: []Variable{{"A", value}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Where the script is put behind an assignment its lines keep their numbers, and
// values their ends.
func TestLongValues(t *testing.T) {
	command, out := script(t, "true\necho $LINENO ${#A} ${#B}\n")
	command.Values = []Variable{{"A", strings.Repeat("x", maxVariable+1)}, {"B", strings.Repeat("\n", maxVariable+1)}}
	if _, err := Run(t.Context(), command); err != nil || out.String() != "2 102401 102401\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	command, out = script(t, ": "+strings.Repeat("x", 4<<20)+"\necho $LINENO")
	if _, err := Run(t.Context(), command); err != nil || out.String() != "2\n" {
		t.Errorf("a long script: got %q, %v", out.String(), err)
	}
}

func TestQuoted(t *testing.T) {
	command, out := script(t, "printf %s "+quoted(`it's "$HOME" \ *`))
	if _, err := Run(t.Context(), command); err != nil || out.String() != `it's "$HOME" \ *` {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

// Package examples has workflows to run as they stand. Each has a script that
// plays its model, so that none needs a key or a network; with --model the same
// file asks a real one. What is here in Go runs them all, and every block of
// the documentation, and looks at what comes out.
package examples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// flowProgram is the program, built once for all tests.
var flowProgram string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "flow-examples-")
	if err == nil {
		flowProgram = filepath.Join(dir, "flow")
		var out []byte
		if out, err = exec.Command("go", "build", "-o", flowProgram, "../cmd/flow").CombinedOutput(); err != nil {
			err = fmt.Errorf("building flow: %w\n%s", err, out)
		}
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// A finished program is what one left behind.
type finished struct {
	stdout, stderr string
	code           int
	cpu            time.Duration // of the program, and of what it ran
}

// flow runs the program in a folder, as somebody who has Go and nothing else:
// the home is empty, no key is set, no input comes, no module can be fetched.
func flow(t *testing.T, dir string, args ...string) finished {
	t.Helper()
	return start(t, dir, append([]string{flowProgram}, args...)...)
}

func start(t *testing.T, dir string, words ...string) finished {
	t.Helper()
	return startWith(t, nil, dir, words...)
}

// startWith starts a program with more variables of the environment.
func startWith(t testing.TB, variables []string, dir string, words ...string) finished {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	found, err := goVariables()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = slices.Concat(found, variables, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()})
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", words, err)
	}
	return finished{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
}

// succeeds runs the program and ends the test where it fails.
func succeeds(t *testing.T, dir string, args ...string) finished {
	t.Helper()
	f := flow(t, dir, args...)
	if f.code != 0 {
		t.Fatalf("flow %s: exit code %d\n%s%s", strings.Join(args, " "), f.code, f.stdout, f.stderr)
	}
	return f
}

// goVariables tell a go command with an empty home where what was fetched and
// built already is.
var goVariables = sync.OnceValues(func() ([]string, error) {
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOTOOLCHAIN").Output()
	if err != nil {
		return nil, err
	}
	var variables map[string]string
	err = json.Unmarshal(out, &variables)
	all := []string{"GOPROXY=off"}
	for name, value := range variables {
		all = append(all, name+"="+value)
	}
	return all, err
})

// clone copies the module, as git would, or one folder of it, to where it is in a
// folder of the test's own.
func clone(t *testing.T, part string) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(filepath.Join("..", part), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("..", path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && leftOut(filepath.ToSlash(rel)):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// leftOut reports whether a clone does without a folder: what git ignores, and
// fixtures of other packages' tests, which are many.
func leftOut(rel string) bool {
	switch rel {
	case ".git", "build", "docs/reference":
		return true
	}
	name := rel[strings.LastIndexByte(rel, '/')+1:]
	return name == ".flow" || name == "testdata"
}

// filesIn lists what is in a folder, by path, with the content; what a run keeps
// of itself is left out.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".flow":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		found[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// onlyWrote fails where a run changed a file that is not among those that it
// may write.
func onlyWrote(t *testing.T, before, after map[string]string, may func(path string) bool) {
	t.Helper()
	for path, content := range after {
		if was, there := before[path]; (!there || was != content) && !may(path) {
			t.Errorf("the run wrote %s", path)
		}
	}
	for path := range before {
		if _, there := after[path]; !there {
			t.Errorf("the run removed %s", path)
		}
	}
}

// read returns a file's text.
func read(t testing.TB, elements ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A record is what run.json says of a run, as far as the tests look at it.
type record struct {
	Status  string
	Outputs map[string]any
	Steps   map[string]struct {
		Status  string
		Turns   int
		Rounds  int
		Results []struct {
			Status string
			Output any
			Error  struct{ Kind, Message string }
		}
	}
}

// lastRun reads run.json of the one run in a folder.
func lastRun(t *testing.T, dir string) (record, string) {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(dir, ".flow", "runs", "*"))
	if err != nil || len(runs) == 0 {
		t.Fatalf("no run in %s: %v", dir, err)
	}
	folder := runs[len(runs)-1]
	var r record
	if err := json.Unmarshal([]byte(read(t, folder, "run.json")), &r); err != nil {
		t.Fatal(err)
	}
	return r, folder
}

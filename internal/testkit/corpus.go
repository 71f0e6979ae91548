package testkit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Find returns the absolute path of a corpus: the value of an environment variable, or else
// fallback. Both start at the root of the repository. If nothing is there, the test is skipped.
func Find(t testing.TB, variable, fallback string) string {
	t.Helper()
	path := locate(t, variable, fallback)
	if _, err := os.Stat(path); err != nil {
		Ran(t, "NO CASES OF A CORPUS WERE RUN: %v (%s may name it)", err, variable)
		t.SkipNow()
	}
	return path
}

// Ran says how many cases of a corpus a test has run: in its log, and in the file that
// FLOW_CORPORA_RAN names, so that whoever runs all tests need not read their logs.
func Ran(t testing.TB, format string, args ...any) {
	t.Helper()
	t.Logf(format, args...)
	path := os.Getenv("FLOW_CORPORA_RAN")
	if path == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := fmt.Fprintf(file, "%s: "+format+"\n", append([]any{t.Name()}, args...)...); err != nil {
		t.Error(err)
	}
}

// Seeds returns the files of a corpus that match a pattern below it, for a fuzz
// test, which runs without a corpus, too: then there are none.
func Seeds(t testing.TB, variable, fallback, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(locate(t, variable, fallback), pattern))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func locate(t testing.TB, variable, fallback string) string {
	t.Helper()
	path := os.Getenv(variable)
	if strings.TrimSpace(path) == "" {
		path = fallback
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(root(t), path)
}

// root is the folder of the module that the test is in.
func root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir := folder; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("there is no go.mod around %s", folder)
		}
	}
}

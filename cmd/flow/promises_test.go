package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPromises holds that each sentence of the manual of permissions which says never,
// nothing or whatever is shown by a test: testdata/promises.txt says by which.
func TestPromises(t *testing.T) {
	root := filepath.Join("..", "..")
	read := func(path string) string {
		data, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	blocks := regexp.MustCompile("(?s)```.*?```")
	manual := strings.Join(strings.Fields(blocks.ReplaceAllString(read("docs/permissions.md"), "")), " ")
	var promises []string
	for line := range strings.Lines(read("cmd/flow/testdata/promises.txt")) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(parts) != 3 {
			t.Fatalf("%q: want a promise, a file and a text in it", line)
		}
		promises = append(promises, parts[0])
		if !strings.Contains(manual, parts[0]) {
			t.Errorf("the manual does not say: %s", parts[0])
		}
		if !strings.Contains(read(parts[1]), parts[2]) {
			t.Errorf("%s has no %s, which is to show: %s", parts[1], parts[2], parts[0])
		}
	}
	strong := regexp.MustCompile(`\b([Nn]ever|nothing|whatever|no other)\b`)
	for _, sentence := range strings.Split(manual, ". ") {
		shown := false
		for _, promise := range promises {
			shown = shown || strings.Contains(sentence, promise)
		}
		if strong.MatchString(sentence) && !shown {
			t.Errorf("no test is named that shows: %s", sentence)
		}
	}
}

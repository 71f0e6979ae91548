package known

import (
	"strings"
	"testing"
)

// TestInterpreters: § marks the word that may be a text which an interpreter runs.
func TestInterpreters(t *testing.T) {
	for line, want := range map[string]bool{
		"bash -c §": true, "bash -c -e §": true, "bash -c x §": false, "bash x.sh §": false,
		"sudo -u x sh -ec §": true, "find . -name §": false, "python3.12 -c §": true, "sed -n § f": true, "sed -e x §": false,
		"git -c § log": true, "git commit -c §": false, "eval §": true, "find . §": false, "node --eval=§": true,
	} {
		words := strings.Fields(line)
		got := false
		for start, in := range Interpreters(words) {
			for i, word := range words {
				got = got || i > start && strings.Contains(word, "§") && in.Runs(words[start:], i-start)
			}
		}
		if got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

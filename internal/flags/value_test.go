package flags_test

import (
	"fmt"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/flags"
)

// Only a flag of a few words has some, not each whose value is a string.
func TestWords(t *testing.T) {
	var text string
	same := func(text string) (string, error) { return text, nil }
	if got := flags.Words(flags.Of(&text, "file", "", same)); got != nil {
		t.Errorf("a file is one of the words %q", got)
	}
	few := flags.OneOf(&text, "b", "a", "b")
	if got := fmt.Sprintf("%v %s %s", flags.Words(few), few.Type(), few); got != "[a b] a|b b" {
		t.Error(got)
	}
	if few.Set("c") == nil || few.Set("a") != nil || text != "a" {
		t.Errorf("%q was taken", text)
	}
}

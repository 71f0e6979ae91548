package nearest

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/testkit"
)

func TestOf(t *testing.T) {
	tools := []string{"read", "write", "edit", "list", "glob", "grep", "bash"}
	tests := []struct {
		name  string
		names []string
		want  string
	}{
		{"raed", tools, "read"},
		{"Read", tools, "read"},
		{"writ", tools, "write"},
		{"lst", tools, "list"},
		{"frobnicate", tools, ""},
		{"", tools, ""},
		{"x", []string{"y"}, ""},
		{"ab", []string{"cd"}, ""},
		{"é", []string{"y"}, ""},
		{"x", []string{"xy"}, "xy"},
		{"", []string{""}, ""},
		{"stpes", []string{"stops", "steps"}, "steps"},
		{"stpes", []string{"steps", "stops"}, "steps"},
		{"abc", []string{"acb", "bac"}, "acb"},
		{"form", []string{"for", "from"}, "from"},
		{"tekst", []string{"text"}, "text"},
		{"vars", []string{"as"}, ""},
		{"log", []string{"loop"}, ""},
		{"schema", []string{"shell"}, ""},
		{"silent", []string{"listen"}, ""},
		{"Größe", []string{"größe"}, "größe"},
		{"read", nil, ""},
		{strings.Repeat("x", 129), []string{strings.Repeat("x", 128)}, ""},
		{strings.Repeat("x", 128), []string{strings.Repeat("x", 129)}, ""},
		{"\xff\xfe", []string{"\xff\xfd"}, "\xff\xfd"},
	}
	for _, test := range tests {
		if got := Of(test.name, test.names); got != test.want {
			t.Errorf("Of(%.20q, %q): got %q, want %q", test.name, test.names, got, test.want)
		}
	}
}

func TestWithin(t *testing.T) {
	for slips, want := range []string{"", "", "sitting", "sitting"} {
		if got := Within(slips, "sittne", []string{"kitten", "sitting"}); got != want {
			t.Errorf("%d slips: got %q, want %q", slips, got, want)
		}
	}
	if got := Within(0, "Read", []string{"bread", "READ"}); got != "READ" {
		t.Errorf("no slip: got %q", got)
	}
}

// TestManyNames is quick however many names there are.
func TestManyNames(t *testing.T) {
	names := make([]string, 1_000_000)
	for i := range names {
		names[i] = fmt.Sprintf("%0120d", i)
	}
	took := testkit.CPUTime(func() { Of(strings.Repeat("x", 120), names) })
	if took > 2*time.Second {
		t.Errorf("%v", took)
	}
}

func TestTable(t *testing.T) {
	got := Table("# words\nsh bash = \"run\"\n\ncall = a = b\n")
	want := map[string]string{"sh": `"run"`, "bash": `"run"`, "call": "a = b"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A word has one meaning: which of two would be meant nobody could see.
func TestTableTwice(t *testing.T) {
	defer func() {
		if got := recover(); got != `"sh" means b, and a` {
			t.Errorf("%v", got)
		}
	}()
	Table("bash sh = a\nsh = b")
	t.Error("sh has two meanings")
}

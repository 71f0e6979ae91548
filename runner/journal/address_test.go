package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	tests := []struct{ text, want string }{
		{"lint", "lint"},
		{"step-1", "step-1"},
		{"pages[3]/review#2~1", "pages[3]/review#2~1"},
		{"pages[3]#2", "pages#2[3]"},
		{"a~1[0]#12", "a#12[0]~1"},
		{"a/b/c", "a/b/c"},
		{"a[999999999]", "a[999999999]"},
	}
	for _, test := range tests {
		u, err := ParseAddress(test.text)
		if err != nil || u.String() != test.want {
			t.Errorf("%q: got %q, %v; want %q", test.text, u, err, test.want)
		}
	}
}

func TestUnitErrors(t *testing.T) {
	tests := []struct {
		text string
		at   int // the character from which on it is wrong
	}{
		{"", 1}, {"a/", 3}, {"a//b", 3}, {"pages[x]", 6}, {"pages[3", 6}, {"pages[-1]", 6}, {"pages[03]", 6}, {"pages[1][2]", 9},
		{"a#0", 2}, {"a#01", 2}, {"a~", 2}, {"a~1000000000", 12}, {"a[1000000000]", 2}, {"a b", 2}, {"größe", 3}, {strings.Repeat("a", 65), 65},
	}
	for _, test := range tests {
		_, err := ParseAddress(test.text)
		if want := fmt.Sprintf("it is wrong from character %d on", test.at); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: got %v, want %s", test.text, err, want)
		}
	}
	if _, err := ParseAddress(strings.Repeat("a/", 40_000)); err == nil || len(err.Error()) > 500 {
		t.Errorf("a long text: %v", err)
	}
}

func TestReadUnit(t *testing.T) {
	type parts struct {
		Path, Name, Parent      string
		Round, Element, Attempt int
	}
	tests := []struct {
		text string
		want parts
	}{
		{"pages[3]/review#2~1", parts{"pages/review", "review", "pages[3]", 2, -1, 1}},
		{"loop/pages#2[3]~4", parts{"loop/pages", "pages", "loop", 2, 3, 4}},
		{"lint", parts{"lint", "lint", "", 0, -1, 0}},
		{"a~2/b/c", parts{"a/b/c", "c", "a~2/b", 0, -1, 0}},
	}
	for _, test := range tests {
		u := unitOf(t, test.text)
		got := parts{u.Path(), u.Name(), u.Parent().String(), u.Round(), -1, u.Attempt()}
		if index, ok := u.Element(); ok {
			got.Element = index
		}
		if got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.text, got, test.want)
		}
	}
	var run Address
	if _, ok := run.Element(); ok || !run.IsZero() || run.Name() != "" || run.Parent() != run || run.Path() != "" || run.WithAttempt(2) != run {
		t.Error("the run has parts")
	}
}

func TestBuildUnit(t *testing.T) {
	review := Address{}.Child("pages").WithElement(3).Child("review").WithRound(2).WithAttempt(1)
	if want := unitOf(t, "pages[3]/review#2~1"); review != want {
		t.Errorf("got %s, want %s", review, want)
	}
	if got := review.WithAttempt(0).WithRound(0); got != unitOf(t, "pages[3]/review") {
		t.Errorf("without round and attempt: %s", got)
	}
	if got := review.Parent().WithElement(-1); got != unitOf(t, "pages") {
		t.Errorf("without the element: %s", got)
	}
}

func TestContains(t *testing.T) {
	tests := []struct {
		outer, inner string
		want         bool
	}{
		{"pages", "pages", true},
		{"pages", "pages[3]/review#2~1", true},
		{"pages/review", "pages[3]/review#2~1", true},
		{"pages[3]", "pages#2[3]", true},
		{"pages[3]", "pages[30]", false},
		{"pages[3]", "pages", false},
		{"pages", "page", false},
		{"page", "pages", false},
		{"a/b", "a", false},
		{"a~2", "a~2/b", true},
		{"a~1", "a~2/b", false},
		{"a#1", "a#2", false},
	}
	for _, test := range tests {
		if got := unitOf(t, test.outer).Contains(unitOf(t, test.inner)); got != test.want {
			t.Errorf("%s contains %s: %v, want %v", test.outer, test.inner, got, test.want)
		}
	}
	if run := (Address{}); !run.Contains(run) || !run.Contains(unitOf(t, "a")) || unitOf(t, "a").Contains(run) {
		t.Error("everything is in the run, and the run is in nothing else")
	}
}

func TestUnitAsJSON(t *testing.T) {
	type record struct {
		Unit Address `json:"unit,omitzero"`
	}
	want := record{unitOf(t, "a[1]")}
	data, err := json.Marshal(want)
	if err != nil || string(data) != `{"unit":"a[1]"}` {
		t.Fatalf("%s, %v", data, err)
	}
	var got record
	if err := json.Unmarshal(data, &got); err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if err := json.Unmarshal([]byte(`{"unit":""}`), &got); err != nil || !got.Unit.IsZero() {
		t.Errorf("the empty text: %v, %v", got.Unit, err)
	}
	if err := json.Unmarshal([]byte(`{"unit":"a["}`), &got); err == nil {
		t.Error("no error for a[")
	}
}

func TestWithout(t *testing.T) {
	u := unitOf(t, "a#3[2]~4/b#1[0]~2/c")
	if got := u.WithoutAttempts().String(); got != "a#3[2]/b#1[0]/c" {
		t.Errorf("without attempts: %s", got)
	}
	if got := u.WithoutRounds().String(); got != "a[2]~4/b[0]~2/c" {
		t.Errorf("without rounds: %s", got)
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"pages[3]/review#2~1", "a~1[0]#12", "a/b[", "", "a:b", "a#1#2", "[1]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := ParseAddress(text)
		if err != nil {
			return
		}
		if again, err := ParseAddress(u.String()); err != nil || again != u {
			t.Errorf("%q is written as %q, which is read as %q, %v", text, u, again, err)
		}
		if !u.Contains(u) || !u.Parent().Contains(u) || Address.Contains(u, u.Parent()) {
			t.Errorf("%q is not inside of its parent %q", u, u.Parent())
		}
		again := u.Parent().Child(u.Name()).WithRound(u.Round()).WithAttempt(u.Attempt())
		if index, ok := u.Element(); ok {
			again = again.WithElement(index)
		}
		if again != u {
			t.Errorf("%q put together again is %q", u, again)
		}
	})
}

func BenchmarkUnitOfElements(b *testing.B) {
	pages, review := Address{}.Child("pages"), 0
	for i := 0; b.Loop(); i++ {
		if pages.WithElement(i%100_000).Child("review").Path() == "pages/review" {
			review++
		}
	}
}

func unitOf(t *testing.T, text string) Address {
	t.Helper()
	u, err := ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

package pattern

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// regexpOf is what a pattern says, as another engine reads it.
func regexpOf(pattern []Atom) *regexp.Regexp {
	var b strings.Builder
	for _, a := range pattern {
		switch a.Wild {
		case Literal:
			b.WriteString(regexp.QuoteMeta(string(a.Char)))
		case Character:
			b.WriteString(".")
		case Text:
			b.WriteString(".*")
		case NameCharacter:
			b.WriteString("[^/]")
		case NameText:
			b.WriteString("[^/]*")
		case ShownCharacter:
			b.WriteString("[^/.]")
		case segments:
			b.WriteString("(.*/)?")
		}
	}
	return regexp.MustCompile(`(?s)^` + b.String() + `$`)
}

// allTexts are those of up to four of these characters.
func allTexts() []string {
	out := []string{""}
	for from := 0; len(out[from]) < 4; from++ {
		for _, c := range "ab/." {
			out = append(out, out[from]+string(c))
		}
	}
	return out
}

// randomPattern has segments only where a pattern has them: at its start and after
// a slash.
func randomPattern(r *rand.Rand) []Atom {
	var out []Atom
	for range r.IntN(5) {
		wild := Wildcard(r.IntN(int(segments) + 1))
		if wild == segments && len(out) > 0 && !out[len(out)-1].Is('/') {
			wild = Literal
		}
		a := Atom{Wild: wild}
		if wild == Literal {
			a.Char = rune("ab/."[r.IntN(4)])
		}
		out = append(out, a)
	}
	return out
}

// TestMatchAtoms compares with regular expressions.
func TestMatchAtoms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := allTexts()
	for range 3000 {
		pattern := randomPattern(r)
		want := regexpOf(pattern)
		for _, text := range texts {
			if got := Match(pattern, []rune(text), nil); got != want.MatchString(text) {
				t.Fatalf("%v matches %q: %t", want, text, got)
			}
		}
	}
}

// TestMatchAtomsClosed: only a literal covers what is closed.
func TestMatchAtomsClosed(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", ".x", false}, {".x", ".x", true}, {".*", ".x", false}, {"**", "a/.x/b", false}, {"a/.x/*", "a/.x/b", true}, {"**/b", "a/.x/b", false}, {"**", "a/b.c", true},
	} {
		text := []rune(c.text)
		if got := Match(PathGlob(c.pattern), text, DotSegments(text)); got != c.want {
			t.Errorf("%s covers %s: %t", c.pattern, c.text, got)
		}
	}
}

// TestOverlap: two patterns that a text fits overlap; of those that none fits few
// may be said to.
func TestOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := allTexts()
	doubtful, apart := 0, 0
	for range 5000 {
		a, b := randomPattern(r), randomPattern(r)
		x, y := regexpOf(a), regexpOf(b)
		both := slices.ContainsFunc(texts, func(text string) bool { return x.MatchString(text) && y.MatchString(text) })
		got := Overlap(a, b)
		if got != Overlap(b, a) {
			t.Fatalf("%v and %v overlap one way only", x, y)
		}
		switch {
		case both && !got:
			t.Fatalf("%v and %v do not overlap", x, y)
		case !both:
			apart++
			if got {
				doubtful++
			}
		}
	}
	if doubtful > apart/5 { // some have common texts, but longer ones
		t.Errorf("%d of %d patterns that are apart overlap", doubtful, apart)
	}
}

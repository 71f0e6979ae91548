package pattern

import "testing"

func TestPath(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want, onShown bool
	}{
		{"*", ".x", true, false}, {".x", ".x", true, true}, {".*", ".x", true, false}, {"**", "a/.x/b", true, false}, {"a/.x/*", "a/.x/b", true, true},
		{"**/b", "a/.x/b", true, false}, {"**", "a/b.c", true, true}, {"**/b", "b", true, true}, {"**/b", "a/c/b", true, true}, {"*", "a/b", false, false},
		{"a?c", "abc", true, true}, {"a?c", "a/c", false, false}, {"?x", ".x", true, false}, {"docs/**.md", "docs/a/b.md", true, true}, {"docs/**.md", "docs/.md", true, false},
		{"a+(b)", "a+(b)", true, true}, {"é*", "éa", true, true}, {"a**b", "a/x/b", true, true}, {"a**b", "a/.x/b", true, false}, {"docs/**", "docs", false, false},
	} {
		if got := Path(c.pattern).MatchString(c.text); got != c.want {
			t.Errorf("%s matches %s: %t", c.pattern, c.text, got)
		}
		if got := Path(MarkDotted(c.pattern)).MatchString(MarkDottedPath(c.text)); got != c.onShown {
			t.Errorf("%s matches %s, dots aside: %t", c.pattern, c.text, got)
		}
	}
}

func TestText(t *testing.T) {
	for pattern, want := range map[string]bool{"a*c": true, "a?": false, "*": true, "a b/?": true, "A*": false} {
		if got := Text(pattern).MatchString("a b/c"); got != want {
			t.Errorf("%s: %t", pattern, got)
		}
	}
}

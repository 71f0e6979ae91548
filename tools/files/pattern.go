package files

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits of a pattern for paths. The time to match it grows with each of them, and with the
// product of the alternatives in braces.
const (
	mostPattern      = 4 << 10 // bytes
	mostBraces       = 10      // groups
	mostAlternatives = 1000    // that the braces of a pattern make together
	mostStars        = 64      // between two slashes
)

// checkPattern returns an error for an invalid pattern, and for one that would take too
// long to match. The error is the end of a sentence that begins with what the pattern is.
func checkPattern(pattern string) error {
	if len(pattern) > mostPattern {
		return fmt.Errorf("has %d bytes; the most is %d", len(pattern), mostPattern)
	}
	if !doublestar.ValidatePattern(pattern) {
		return fmt.Errorf("%q is not valid: *, **, ?, [a-z] and {a,b} are known", pattern)
	}
	if stars := starsOf(pattern); stars > mostStars {
		return fmt.Errorf("has %d stars in one part of the path; the most is %d", stars, mostStars)
	}
	return checkBraces(pattern)
}

// starsOf returns the largest number of stars between two slashes.
func starsOf(pattern string) int {
	most := 0
	for part := range strings.SplitSeq(pattern, "/") {
		most = max(most, strings.Count(part, "*"))
	}
	return most
}

// checkBraces limits the alternatives. It may count too many: a brace or a comma that is
// escaped, or in a character class, counts too.
func checkBraces(pattern string) error {
	groups, alternatives := 0, 1
	var open []int // alternatives of the groups that are open
	for _, c := range []byte(pattern) {
		switch {
		case c == '{':
			groups++
			open = append(open, 1)
		case len(open) == 0:
		case c == ',':
			open[len(open)-1]++
		case c == '}':
			alternatives = min(alternatives*open[len(open)-1], mostAlternatives+1)
			open = open[:len(open)-1]
		}
	}
	for _, n := range open {
		alternatives = min(alternatives*n, mostAlternatives+1)
	}
	if groups > mostBraces || alternatives > mostAlternatives {
		return fmt.Errorf("has too many alternatives: %d groups in braces; the most is %d groups that make %d paths together", groups, mostBraces, mostAlternatives)
	}
	return nil
}

package files

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits of a pattern for paths. The time to match it grows with each of them, and with the
// product of the alternatives in braces.
const (
	maxPattern      = 4 << 10 // bytes
	maxBraces       = 10      // groups
	maxAlternatives = 1000    // that the braces of a pattern make together
	maxStars        = 64      // between two slashes
)

// checkPattern returns an error for an invalid pattern, and for one that would take too
// long to match. The error is the end of a sentence that begins with what the pattern is.
func checkPattern(pattern string) error {
	if len(pattern) > maxPattern {
		return fmt.Errorf("has %d bytes; the most is %d", len(pattern), maxPattern)
	}
	if !doublestar.ValidatePattern(pattern) {
		return fmt.Errorf("%q is not valid: *, **, ?, [a-z] and {a,b} are known", pattern)
	}
	if stars := starsOf(pattern); stars > maxStars {
		return fmt.Errorf("has %d stars in one part of the path; the most is %d", stars, maxStars)
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
			alternatives = min(alternatives*open[len(open)-1], maxAlternatives+1)
			open = open[:len(open)-1]
		}
	}
	for _, n := range open {
		alternatives = min(alternatives*n, maxAlternatives+1)
	}
	if groups > maxBraces || alternatives > maxAlternatives {
		return fmt.Errorf("has too many alternatives: %d groups in braces; the most is %d groups that make %d paths together", groups, maxBraces, maxAlternatives)
	}
	return nil
}

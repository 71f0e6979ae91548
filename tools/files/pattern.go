package files

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of a pattern for paths. Matching takes time that grows with each of
// them, with the alternatives in braces as their product.
const (
	mostPattern      = 4 << 10 // bytes
	mostBraces       = 10      // groups
	mostAlternatives = 1000    // that the braces of a pattern make together
	mostStars        = 64      // between two slashes
)

// checkPattern refuses what is no pattern, and what would take too long to
// match. The error goes on after the pattern's name.
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

// starsOf returns the number of stars between two slashes, of the part that has
// the most.
func starsOf(pattern string) int {
	most := 0
	for part := range strings.SplitSeq(pattern, "/") {
		most = max(most, strings.Count(part, "*"))
	}
	return most
}

// checkBraces counts alternatives, rather too many than too few: a brace or a
// comma that a backslash or a class takes the meaning from counts too.
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

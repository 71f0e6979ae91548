// Package nearest finds the name that a misspelt one probably means.
//
//	if near := nearest.Of("wirte", names); near != "" {
//		message += fmt.Sprintf(" (did you mean %q?)", near)
//	}
//
// It ignores case. A name of which every letter differs is never near, and names of more
// than 128 bytes are not compared.
package nearest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

const (
	longest = 128  // bytes of a name
	most    = 1000 // names that are compared letter by letter
)

// Of returns the one of names that was most likely meant, "" if none is near: the first
// with the fewest slips, at most about a third of the letters, and one in a short name.
func Of(name string, names []string) string { return Within(max(1, (len(name)+1)/3), name, names) }

// Hint is "did you mean", with the nearest of names, or otherwise where none is near.
func Hint(name string, names []string, otherwise string) string {
	if near := Of(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

// Within is [Of] with a maximum of slips: letters that are added, missing, or different. Two
// swapped letters are less than one slip.
func Within(slips int, name string, names []string) string {
	if len(name) > longest {
		return ""
	}
	name = strings.ToLower(name)
	best, least, compared := "", 2*slips+2, 0
	for _, candidate := range names {
		folded := strings.ToLower(candidate[:min(len(candidate), longest+1)])
		if len(candidate) > longest || lengthsDiffer(name, folded, slips) {
			continue
		}
		if compared++; compared > most {
			break
		}
		if far := distance(name, folded); far < least {
			best, least = candidate, far
		}
	}
	return best
}

// lengthsDiffer reports whether the lengths of two words differ by more than some slips.
func lengthsDiffer(a, b string, slips int) bool {
	apart := utf8.RuneCountInString(a) - utf8.RuneCountInString(b)
	return max(apart, -apart) > slips
}

// distance is twice the slips between two words, and one more unless they have the same
// letters in another order, which is a likelier slip: then two swapped letters count once.
func distance(a, b string) int {
	slips := levenshtein.ComputeDistance(a, b)
	switch {
	case slips >= max(utf8.RuneCountInString(a), utf8.RuneCountInString(b)):
		return math.MaxInt
	case slips == 0:
		return 0
	case sameLetters(a, b):
		return 2 * (slips - 1)
	}
	return 2*slips + 1
}

func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// Table makes a table of a text: of its lines that have words, = and their meaning. It panics if a word
// has two.
func Table(text string) map[string]string {
	table := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		words, meaning, found := strings.Cut(line, " = ")
		if !found {
			continue
		}
		for _, word := range strings.Fields(words) {
			if other, twice := table[word]; twice {
				panic(fmt.Sprintf("%q means %s, and %s", word, meaning, other))
			}
			table[word] = meaning
		}
	}
	return table
}

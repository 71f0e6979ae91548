package tools

import "strings"

// Nearest returns the one of names that looks most like name, or "" where none
// is near. Case counts for nothing. Only the first 64 bytes of a name are
// compared.
func Nearest(name string, names []string) string {
	name = fold(name)
	if name == "" {
		return ""
	}
	best, least := "", len(name)/3+2
	for _, n := range names {
		if d := distance(name, fold(n)); d < least {
			best, least = n, d
		}
	}
	return best
}

func fold(s string) string {
	return strings.ToLower(s[:min(len(s), 64)])
}

// distance is Levenshtein's: the insertions, deletions and substitutions of
// bytes that lead from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

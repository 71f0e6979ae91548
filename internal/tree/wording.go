package tree

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// DidYouMean suggests the nearest name, or lists the names if they are few.
func DidYouMean(name string, candidates []string) string {
	if near := nearest.Of(name, candidates); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	const few = 12
	if len(candidates) == 0 || len(candidates) > few {
		return ""
	}
	return "known: " + Quoted(candidates)
}

// Quoted lists names in quotes, sorted.
func Quoted(names []string) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	for i, name := range sorted {
		sorted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(sorted, ", ")
}

// WithDash returns a name that begins with another and a dash; "" for none. To expr a.b-c
// is a.b minus c.
func WithDash(name string, names []string) string {
	i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, name+"-") })
	if i < 0 {
		return ""
	}
	return names[i]
}

// Fit reports whether each text fits its pattern, where "" fits any, and returns the groups of all patterns.
func Fit(patterns, texts []string) (groups []string, fits bool) {
	for i, pattern := range patterns {
		found := regexp.MustCompile(pattern).FindStringSubmatch(texts[i])
		if found == nil {
			return nil, false
		}
		groups = append(groups, found[1:]...)
	}
	return groups, true
}

// Fill puts groups in the place of $1, $2 and so on in a sentence, and the first in quotes in that of $q.
func Fill(sentence string, groups []string) string {
	var pairs []string
	for i, group := range groups {
		pairs = append(pairs, "$"+strconv.Itoa(i+1), group)
	}
	if len(groups) > 0 {
		pairs = append(pairs, "$q", quotedYAML(groups[0]))
	}
	return strings.NewReplacer(pairs...).Replace(sentence)
}

// Clip shortens a text for a message.
func Clip(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// InBrackets writes a text as YAML takes it between brackets and braces: in quotes where it
// means something else without them.
func InBrackets(s string) string {
	plain := s != "" && s == strings.TrimSpace(s) && !strings.ContainsAny(s, ",[]{}\n") && !strings.Contains(s, ": ") && !strings.Contains(s, " #") &&
		!strings.HasSuffix(s, ":") && !strings.HasPrefix(s, "- ") && s != "-" && strings.IndexByte("!&*?|>@%`\"'#:", s[0]) < 0
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// WordLength returns the length, in bytes, of the word at the beginning of a text.
func WordLength(s string) int {
	length := strings.IndexFunc(s, func(r rune) bool { return !isWordRune(r) })
	if length < 0 {
		return len(s)
	}
	return length
}

// isWordRune reports whether a character is part of a plain name.
func isWordRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

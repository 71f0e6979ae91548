package authority

import (
	"slices"
	"strings"
)

// made compares what commands are made of: their own text may be the same, and what is
// filled in another, or the condition gone.
func (c *comparison) made(old, now []Made) {
	var changed, gone []string
	for _, m := range now {
		i := slices.IndexFunc(old, func(before Made) bool { return before.At == m.At })
		if i < 0 {
			changed = append(changed, m.At)
			continue
		}
		before := old[i].Pieces
		both := min(len(m.Pieces), len(before))
		if rest := slices.Concat(m.Pieces[both:], before[both:]); slices.Equal(m.Pieces[:both], before[:both]) && !(len(rest) > 0 && inGroup(rest[0])) {
			if both < len(before) {
				gone = append(gone, m.At+" the last steps")
			}
			continue // steps at the end reach none before them, and are compared as what they are
		}
		for _, name := range changes(before, m.Pieces) {
			changed = append(changed, m.At+" "+name)
		}
	}
	if len(changed) > 0 {
		c.add("~", "what its commands are made of: "+strings.Join(changed, ", "), true)
	}
	if len(gone) > 0 {
		c.add("~", "what its commands are made of, less: "+strings.Join(gone, ", "), false)
	}
}

// changes are the names of the pieces that are not as they were. What goes counts, too,
// for it may have been what kept a command from running.
func changes(old, now []string) (names []string) {
	for _, piece := range now {
		if slices.Contains(old, piece) {
			continue
		}
		name := nameOf(piece)
		if before, known := pieceOf(name, old); known {
			name += changedKeys(before, piece)
		}
		names = append(names, name)
	}
	for _, piece := range old {
		if _, there := pieceOf(nameOf(piece), now); !there {
			names = append(names, nameOf(piece)+" (gone)")
		}
	}
	if len(names) == 0 && !slices.Equal(old, now) {
		names = []string{"the order of its steps"}
	}
	return names
}

// inGroup reports whether a piece is a step of a group, whose steps may run again.
func inGroup(piece string) bool { return strings.Contains(piece, "/") }

// nameOf is a piece without its digests.
func nameOf(piece string) string {
	name, _, _ := strings.Cut(piece, " ")
	return name
}

// pieceOf finds the piece of a name.
func pieceOf(name string, pieces []string) (string, bool) {
	i := slices.IndexFunc(pieces, func(p string) bool { return nameOf(p) == name })
	if i < 0 {
		return "", false
	}
	return pieces[i], true
}

// changedKeys are the keys of a step that are not as they were: " (foreach, if)".
func changedKeys(before, now string) string {
	keys := func(piece string) []string {
		parts := strings.SplitN(piece, " ", 3)
		if len(parts) < 3 {
			return nil
		}
		return strings.Split(parts[2], ",")
	}
	var changed []string
	was, is := keys(before), keys(now)
	for _, key := range slices.Concat(was, is) {
		if name, _, _ := strings.Cut(key, ":"); slices.Contains(was, key) != slices.Contains(is, key) && !slices.Contains(changed, name) {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return ""
	}
	slices.Sort(changed)
	return " (" + strings.Join(changed, ", ") + ")"
}

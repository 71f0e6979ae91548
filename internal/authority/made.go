package authority

import (
	"slices"
	"strings"
)

// made compares the parts of files. Each difference is wider: a removed step may have prevented
// later ones, also those of the caller, from running, and a new one may change an output.
func (c *comparison) made(old, now []Made) {
	var changed []string
	for _, m := range now {
		changed = append(changed, changesSince(old, m)...)
	}
	for _, m := range old {
		gone := m.At + " (removed)"
		if !slices.ContainsFunc(now, func(other Made) bool { return other.At == m.At }) && !slices.Contains(changed, gone) {
			changed = append(changed, gone)
		}
	}
	if len(changed) > 0 {
		c.add("~", "parts of the files: "+strings.Join(changed, ", "), true)
	}
}

// changesSince are the changes of a file since the older one that is most like it.
func changesSince(old []Made, now Made) (fewest []string) {
	known := false
	for _, before := range old {
		if before.At != now.At {
			continue
		}
		if names := changes(before.Pieces, now.Pieces); !known || len(names) < len(fewest) {
			known, fewest = true, names
		}
	}
	if !known {
		return []string{now.At + " (new)"}
	}
	for i, name := range fewest {
		fewest[i] = now.At + " " + name
	}
	return fewest
}

// changes are the names of the changed parts.
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
			names = append(names, nameOf(piece)+" (removed)")
		}
	}
	if len(names) == 0 && !slices.Equal(old, now) {
		names = []string{"the order of its steps"}
	}
	return names
}

// nameOf is a part without its digests.
func nameOf(piece string) string {
	name, _, _ := strings.Cut(piece, " ")
	return name
}

// pieceOf finds a part by its name.
func pieceOf(name string, pieces []string) (string, bool) {
	i := slices.IndexFunc(pieces, func(p string) bool { return nameOf(p) == name })
	if i < 0 {
		return "", false
	}
	return pieces[i], true
}

// changedKeys are the changed keys of a step: " (foreach, if)".
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

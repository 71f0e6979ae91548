package reach

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
)

// Part is one part of a command with the files that it touches.
type Part struct {
	*script.Unit
	Reads  []PathWord
	Writes []WriteTarget
	Outs   [][]WriteTarget // what each of the unit's outputs writes
	// Follows says that the part copies directories with what links in them lead to.
	Follows bool
	// copiesTo is where it puts files under other names, which may be links.
	copiesTo   []string
	makesLinks bool
}

// ShowsContent reports whether a part does more with files than to look at their
// names.
func (u *Part) ShowsContent() bool {
	return u.Name == "git" || program.Named(u.Name).Contents != program.Hidden
}

// OnlyReads reports whether a part of a command changes nothing.
func (u *Part) OnlyReads() bool {
	return u.Unsure == "" && u.Reading(func(g program.Risk) bool { return g.Level != program.WhenHeld })
}

// Reading reports whether a part changes nothing where none of its risks is one that
// says so.
func (u *Part) Reading(isDoubt func(program.Risk) bool) bool {
	if u.Refused != "" || len(u.Writes) > 0 || slices.ContainsFunc(u.Risks(), isDoubt) {
		return false
	}
	if u.IsFile || len(u.Words) == 0 && u.NeedsNoRule {
		return true
	}
	return len(u.Words) > 0 && u.Words[0].Is(u.Name) && program.IsReader(u.Words)
}

// PathWord is a word that may name a file to be read.
type PathWord struct {
	Text   string
	Places []place.Path
	// Globs are absolute paths that it may become, Globbed says that it may become others
	// than those places.
	Globs   [][]pattern.Atom
	Globbed bool
	// ByFiles says of a glob that ends in its wildcard that the files which are
	// there decide whether it becomes one with a secret's ending: as text nearly
	// every such glob could.
	ByFiles bool
	// Whole says that the places are what is in the directory that the word names;
	// Unseen that not all of them are known.
	Whole, Unseen bool
}

// WriteTarget is a file that a part writes.
type WriteTarget struct {
	Text    string
	Refused string
	// Unsure is why the words alone don't say what is written.
	Unsure string
	// Later says that where commands are held it is judged when it lands, not by
	// the words; level, where it is judged at all.
	Later bool
	Level program.Level
	At    place.Path
	// Below says that it is no file but all that is in a directory, the places.
	Below  bool
	Places []place.Path
}

package reach

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
)

// Part is one unit of a command with the files that it reads and writes.
type Part struct {
	*script.Unit
	Reads  []PathWord
	Writes []WriteTarget
	Outs   [][]WriteTarget // what each of the unit's Outputs writes
	// Follows says that the part copies directories and follows the symlinks in them.
	Follows bool
	// copiesTo are the folded paths where it puts files under other names. makesLinks
	// says that these may be links.
	copiesTo   []string
	makesLinks bool
}

// ShowsContent reports whether a part may do more with files than look at their names.
func (u *Part) ShowsContent() bool {
	return u.Name == "git" || program.Named(u.Name).Contents != program.Hidden
}

// OnlyReads reports whether a part changes nothing.
func (u *Part) OnlyReads() bool {
	return u.Unsure == "" && u.Reading(func(g program.Risk) bool { return g.Level != program.WhenHeld })
}

// Reading reports whether a part changes nothing. isDoubt reports whether a risk leaves
// that open.
func (u *Part) Reading(isDoubt func(program.Risk) bool) bool {
	if u.Refused != "" || len(u.Writes) > 0 || slices.ContainsFunc(u.Risks(), isDoubt) {
		return false
	}
	if u.IsFile || len(u.Words) == 0 && u.NeedsNoRule {
		return true
	}
	return len(u.Words) > 0 && u.Words[0].Is(u.Name) && program.IsReader(u.Words)
}

// PathWord is a word that may name files to be read.
type PathWord struct {
	Text   string
	Places []place.Path
	// Globs match the absolute paths that the word may become. Globbed says that it may
	// become other paths than Places.
	Globs   [][]pattern.Atom
	Globbed bool
	// ByFiles says that the files which exist now decide whether the glob matches one
	// with the ending of a secret: the text of a glob that ends in a wildcard nearly
	// always could.
	ByFiles bool
	// Whole says that Places are the files in the directory that the word names; Unseen,
	// that there may be more of them.
	Whole, Unseen bool
}

// WriteTarget is a file that a part writes.
type WriteTarget struct {
	Text string
	// Refused is why no rule can allow the write.
	Refused string
	// Unsure is why the words alone don't say what is written.
	Unsure string
	// Later says that where commands are held the target is judged when it lands, not by
	// the words. Level says where it is judged at all.
	Later bool
	Level program.Level
	At    place.Path
	// Below says that the target is all files in a directory, which are Places.
	Below  bool
	Places []place.Path
}

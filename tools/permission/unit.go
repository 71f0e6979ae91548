package permission

import (
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// unit is one part of a shell command that every domain judges: a simple
// command, a redirect, or a construct that no pattern can name.
type unit struct {
	source string
	// refused is why no rule allows the part. unsure is why the words alone don't
	// say which files it reads or writes: then none allows it where commands are
	// not held.
	refused, unsure string
	// anywhere says that it puts content of its own into files that the words don't
	// name.
	anywhere bool
	// isFile says of a part that it is a file which a redirect opens, and needs no
	// rule over commands; reason says why.
	isFile bool
	reason string
	// isInput says that it is a file that is read, and not known before.
	isInput bool
	// needsNoRule says of a command that it needs no rule unless there is a risk in it.
	needsNoRule bool
	// forms are the readings that deny and ask patterns are tried on; own are
	// those that say what the part is, not what it may run.
	forms, own []program.Form
	// allows are the readings of which an allow pattern has to cover one.
	allows []allowForm
	reads  []pathWord
	writes []writeTarget
	outs   [][]writeTarget // what options of it write
	// follows says that the part copies directories with what links in them lead to.
	follows bool
	// name is the program, for telling what only reads; guarded and inner parts
	// are units of their own.
	name  string
	words []word.Word
	at    cwd
}

// allowForm is a command as an allow pattern has to cover it.
type allowForm struct {
	level program.Level
	words []word.Word
	risks []program.Risk
}

// risks returns what is a risk in the part.
func (u *unit) risks() []program.Risk {
	if len(u.allows) == 0 {
		return nil
	}
	return u.allows[0].risks
}

// allowedBy reports whether an allow pattern covers the part and spells all that
// is guarded. missing says what it does not spell.
func (u *unit) allowedBy(p bashPattern, j shellJudge) (ok bool, missing string) {
	for _, form := range u.allows {
		if form.level == program.WhenHeld && !j.held || !p.covers(form.words) {
			continue
		}
		why := ""
		for _, g := range form.risks {
			if j.counts(g) && !p.spells(g, form.words) && !j.landsWell(u, g) {
				why = g.Why
				break
			}
		}
		if why == "" {
			return true, ""
		}
		missing = why
	}
	return false, missing
}

// pathWord is a word that may name a file to be read.
type pathWord struct {
	text   string
	places []place.Path
	globs  [][]pattern.Atom // absolute paths that a globbed word may become
	// shapes are the same for a word whose places are known for now.
	shapes [][]pattern.Atom
	// byFiles says of a glob that ends in its wildcard that the files which are
	// there decide whether it becomes one with a secret's ending: as text nearly
	// every such glob could.
	byFiles bool
	// whole says that the places are what is in the directory that the word names;
	// unseen that not all of them are known.
	whole, unseen bool
}

// writeTarget is a file that a part writes.
type writeTarget struct {
	text    string
	refused string
	// unsure is why the words alone don't say what is written.
	unsure string
	// later says that where commands are held it is judged when it lands, not by
	// the words; level, where it is judged at all.
	later bool
	level program.Level
	at    place.Path
	// below says that it is no file but all that is in a directory, the places.
	below  bool
	places []place.Path
}

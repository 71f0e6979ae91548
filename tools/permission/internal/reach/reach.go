// Package reach finds which files the parts of a script read and write, as far as its
// words say: it takes the units that [script.Walk] has found one by one, and then looks at
// what each does to the paths of the others. It matches no rules: what it has to know of
// the policy is in [Rulings]. A part holds what matters at every [program.Level]; the
// policy chooses what counts where commands are held, and where they are not.
package reach

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Rulings are what the search for the files of a script has to know of the policy.
type Rulings struct {
	Roots place.Roots
	// Unwritable returns why no rule can allow writing the file that a path names;
	// UnwritableWhole, why no rule can allow writing a whole folder. "" says that a rule
	// can.
	Unwritable      func(path string, at place.Path) string
	UnwritableWhole func(dir string) string
	// DeniesWrites says that a rule denies or asks about writing some files; DeniesPaths,
	// that one denies or asks about commands with words that look like paths.
	DeniesWrites, DeniesPaths bool
}

// Limits of the paths of a command that are looked up, and of its globs.
const (
	MaxLooks = 3072
	MaxGlobs = 512
)

// search finds the files that the parts of one script touch.
type search struct {
	script.Script
	rules   Rulings
	parts   []*Part // those done so far
	refused string  // the first reason why no rule can allow the script
	places  map[string]place.Path
	globs   int // how many globs there were so far
	// searched counts the files that were looked at in directories; copied counts those
	// in directories that are copied, again for each copy.
	searched, copied int
	listings         map[string][]fs.DirEntry
}

// Analyze takes a command apart that runs in a directory, and returns its parts and the
// script to run in its place. If why is not empty, it is the reason why no rule can allow
// the command.
func Analyze(r Rulings, command, dir string) (parts []*Part, text, why string) {
	at, err := r.Roots.Resolve(dir, ".")
	if err != nil || !at.Inside {
		return nil, "", fmt.Sprintf("the working directory %q is not in the workspace", dir)
	}
	found, why := script.Walk(r.Roots, command, at.Canonical)
	if why != "" {
		return nil, "", why
	}
	s := &search{Script: found, rules: r, places: map[string]place.Path{}, listings: map[string][]fs.DirEntry{}}
	for _, u := range found.Units {
		p := &Part{Unit: u}
		if s.look(p); s.refused != "" {
			return nil, "", s.refused
		}
		s.parts = append(s.parts, p)
	}
	s.behindLinks()
	s.besideAnything()
	if s.refused != "" {
		return nil, "", s.refused
	}
	return s.parts, found.Text, ""
}

// refuse records the first reason why no rule can allow the script.
func (s *search) refuse(why string) {
	if s.refused == "" {
		s.refused = why
	}
}

// look finds the files of one part.
func (s *search) look(p *Part) {
	for _, x := range p.Targets {
		p.Writes = append(p.Writes, s.targets(x, p.At)...)
	}
	if len(p.Words) > 0 {
		s.lookAtWords(p)
	} else {
		p.Anywhere = p.Anywhere || slices.ContainsFunc(p.Writes, func(t WriteTarget) bool { return t.Later })
	}
	p.Reads = append(p.Reads, s.pathWords(p.Inputs, p.At)...)
}

// lookAtWords finds the files of a command.
func (s *search) lookAtWords(p *Part) {
	known := program.Named(p.Name)
	if known.RunsGit && s.inBareRepository(p.At) {
		p.Refused = "git may take its directory for a bare repository"
	}
	writes, unknown := s.operands(p.Words, p.At)
	p.Writes = append(p.Writes, writes...)
	p.Anywhere = known.Writes != nil && !known.NoContent && (unknown || slices.ContainsFunc(writes, func(t WriteTarget) bool { return t.Later }))
	s.inPlace(p)
	s.noteCopies(p)
	for _, out := range p.Outputs {
		p.Outs = append(p.Outs, s.output(out, p))
	}
	if unknown {
		for i := range p.Allows {
			p.Allows[i].Risks = append(p.Allows[i].Risks, program.Risk{Level: program.Unheld, At: -1, Why: "a file that it writes is not known before it runs"})
		}
	}
	named := s.formsOfRoot(p)
	p.Own, p.Forms = append(p.Own, named...), append(p.Forms, named...)
	p.Reads = slices.Concat(s.pathWords(p.Around, p.At), s.readWords(p), s.treeWords(p))
}

// output returns the files that an output of a command writes.
func (s *search) output(out program.Output, p *Part) []WriteTarget {
	if out.InPlace {
		if files, certain := s.changedInPlace(p.Words, p.At); certain {
			return files
		}
		return []WriteTarget{{Refused: "its words don't say which files it changes"}}
	}
	if x := out.File; x.Is("/dev/null") || x.Is("/dev/stdout") || x.Is("/dev/stderr") || x.Is("-") {
		return nil
	}
	return s.operand(out.File, p.At, false)
}

// formsOfRoot returns a command with its paths named from the workspace: a rule that
// denies private/* means those files, whatever path leads there.
func (s *search) formsOfRoot(p *Part) []program.Form {
	if !s.rules.DeniesPaths || p.Words[0].Kind != word.Static || program.IsTextOnly(p.Words) {
		return nil
	}
	out := slices.Clone(p.Words[1:])
	changed := false
	for i, x := range out {
		if x.Kind != word.Static || x.IsOption() || x.Text == "" {
			continue
		}
		for _, at := range s.placesOf(literalPath(x), p.At) {
			if at.Inside && at.Rel != x.Text {
				out[i], changed = word.Of(at.Rel), true
			}
		}
	}
	if !changed {
		return nil
	}
	return []program.Form{{Name: word.Of(p.Name), Args: out}}
}

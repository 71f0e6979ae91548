package reach

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/script"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// besideAnything marks the parts that may run a file which another part of the script has
// written without naming it.
func (s *search) besideAnything() {
	first := slices.IndexFunc(s.parts, func(u *Part) bool { return u.Anywhere })
	if first < 0 {
		return
	}
	for i, u := range s.parts {
		if i <= first && !s.Unordered || u.runsNoFile() {
			continue
		}
		for k := range u.Allows {
			u.Allows[k].Risks = append(u.Allows[k].Risks, program.Risk{Level: program.WhenHeld, At: -1,
				Why: "it may run what the same command has written, and what that is its words don't say"})
		}
	}
}

// runsNoFile reports whether a part runs nothing from a file of the workspace.
func (u *Part) runsNoFile() bool {
	if u.IsFile || len(u.Words) == 0 || !u.Words[0].Is(u.Name) {
		return u.IsFile || len(u.Words) == 0
	}
	known := program.Named(u.Name)
	return u.Name != "git" && (program.IsReader(u.Words) || program.IsTextOnly(u.Words) || u.NeedsNoRule || known.SaysWrites || known.NoContent || known.OnlyFiles)
}

// inPlace adds the files that sed -i changes, for where commands are held and no rule has
// to spell the option.
func (s *search) inPlace(u *Part) {
	if u.Name != "sed" || !slices.ContainsFunc(u.Words[1:], program.ChangesInPlace) {
		return
	}
	targets, certain := s.changedInPlace(u.Words, u.At)
	u.Anywhere = u.Anywhere || !certain
	for _, t := range targets {
		t.Level = program.WhenHeld
		u.Writes = append(u.Writes, t)
	}
}

// changedInPlace returns the operands of a program that changes them in place. certain
// says that it changes no other files.
func (s *search) changedInPlace(words []word.Word, at script.Cwd) (targets []WriteTarget, certain bool) {
	scripts, certain := []int(nil), true
	if known := program.Named(program.NameOf(words[0])); known.Scripts != nil {
		scripts, certain = known.Scripts(words)
	}
	for i, x := range words[1:] {
		switch {
		case x.IsOption() || slices.Contains(scripts, i+1):
		case x.Kind != word.Static:
			certain = false
		default:
			targets = append(targets, s.operand(x, at, true)...)
			certain = certain && !slices.ContainsFunc(s.placesOf(literalPath(x), at), place.Path.IsDir)
		}
	}
	return targets, certain && len(targets) > 0
}

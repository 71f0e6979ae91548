package permission

import (
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Where commands are held, files are not for words to judge: what a command may not
// read is empty for it, and what it wrote is judged before it lands. What words say
// for certain is judged before it runs all the same. And nothing is run that the
// same command may have written without saying where: what lands is judged too late
// for that.

// counts reports whether something is a risk where these commands run.
func (j shellJudge) counts(g program.Risk) bool {
	if j.held {
		return g.Level != program.Unheld
	}
	return g.Level != program.WhenHeld
}

// isDoubt reports whether something leaves it open that a program only reads.
func (j shellJudge) isDoubt(g program.Risk) bool {
	return g.At >= 0 && g.Level != program.WhenHeld || j.counts(g)
}

// readingHeld is what a word runs into as a path, of which worst is known.
func (j shellJudge) readingHeld(w pathWord, worst *finding) *finding {
	if worst == nil && slices.ContainsFunc(w.globs, func(g []pattern.Atom) bool { return len(g) > 0 && g[0].Is('/') && place.MayBeKernel(g) }) {
		worst = &finding{reason: "it may become a file of the kernel"}
	}
	return worst.ofReading(w)
}

// writingHeld decides about a file that a part writes by name.
func (j shellJudge) writingHeld(w writeTarget) finding {
	switch {
	case w.later || w.unsure != "" || w.below:
		return finding{Allow, false, "", "what it writes is judged before it lands"}
	case j.isScratch(w.at):
		return finding{Allow, false, "", "it is in a temporary folder of the command's own"}
	case w.refused != "":
		return refused(fmt.Sprintf("it writes %q: %s", w.text, w.refused))
	}
	f := j.lands(w.at)
	if f.verdict != Allow {
		f.reason = fmt.Sprintf("it writes %q: %s", w.text, f.reason)
	}
	return f
}

// isScratch reports whether a place is in a folder of which a held command has one
// of its own.
func (j shellJudge) isScratch(at place.Path) bool {
	if j.roots.Home != "" && folder.Holds(j.roots.Home, at.Canonical) {
		return false
	}
	return !at.Inside && slices.ContainsFunc([]string{"/tmp", "/var/tmp", "/dev/shm"}, func(dir string) bool {
		return at.Canonical != dir && folder.Holds(dir, at.Canonical)
	})
}

// showsContent reports whether a part does more with files than to look at their
// names.
func (u *unit) showsContent() bool {
	return u.name == "git" || program.Named(u.name).Contents != program.Hidden
}

// unknownInput is the risk of a file that < names and that is not known before.
func unknownInput(in word.Word) program.Risk {
	g := program.Unspellable("the file that < reads is not known before it runs")
	if !mayBeNetwork(in) {
		g.Level = program.Unheld
	}
	return g
}

// besideAnything marks what may run what the same script has written where the words
// don't say.
func (w *walker) besideAnything() {
	first := slices.IndexFunc(w.units, func(u *unit) bool { return u.anywhere })
	if first < 0 {
		return
	}
	for i, u := range w.units {
		if i <= first && !w.unordered || u.runsNoFile() {
			continue
		}
		for k := range u.allows {
			u.allows[k].risks = append(u.allows[k].risks, program.Risk{Level: program.WhenHeld, At: -1,
				Why: "it may run what the same command has written, and what that is its words don't say"})
		}
	}
}

// runsNoFile reports whether a part runs nothing that stands in a file of the
// workspace.
func (u *unit) runsNoFile() bool {
	if u.isFile || len(u.words) == 0 || !u.words[0].Is(u.name) {
		return u.isFile || len(u.words) == 0
	}
	known := program.Named(u.name)
	return u.name != "git" && (program.IsReader(u.words) || program.IsTextOnly(u.words) || u.needsNoRule || known.SaysWrites || known.NoContent || known.OnlyFiles)
}

// inPlace adds the files that sed -i changes: where commands are held no rule has to
// spell the option.
func (w *walker) inPlace(u *unit, at cwd) {
	if u.name != "sed" || !slices.ContainsFunc(u.words[1:], program.ChangesInPlace) {
		return
	}
	targets, certain := w.changedInPlace(u.words, at)
	u.anywhere = u.anywhere || !certain
	for _, t := range targets {
		t.level = program.WhenHeld
		u.writes = append(u.writes, t)
	}
}

// changedInPlace returns the files that a program changes which its operands name, and
// whether these are all of them.
func (w *walker) changedInPlace(words []word.Word, at cwd) (targets []writeTarget, certain bool) {
	scripts, certain := []int(nil), true
	if known := program.Named(program.ProgramName(words[0])); known.Scripts != nil {
		scripts, certain = known.Scripts(words)
	}
	for i, x := range words[1:] {
		switch {
		case x.IsOption() || slices.Contains(scripts, i+1):
		case x.Kind != word.Static:
			certain = false
		default:
			targets = append(targets, w.operand(x, at)...)
			certain = certain && !slices.ContainsFunc(w.placesOf(literalPath(x), at), place.Path.IsDir)
		}
	}
	return targets, certain && len(targets) > 0
}

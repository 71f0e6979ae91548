package permission

import (
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/reach"
)

// Where commands are held, their words need not say which files they use: files that a
// command may not read are empty for it, and what it wrote is judged before it lands. What
// the words say for certain is still judged before it runs. And a command may not run a
// file that it may have written without naming it: landing would be judged too late.

// counts reports whether a risk matters for the command, held or not.
func (j shellJudge) counts(g program.Risk) bool {
	if j.held {
		return g.Level != program.Unheld
	}
	return g.Level != program.WhenHeld
}

// isDoubt reports whether a risk leaves open whether a program only reads.
func (j shellJudge) isDoubt(g program.Risk) bool {
	return g.At >= 0 && g.Level != program.WhenHeld || j.counts(g)
}

// readingHeld is the end of reading for held commands. worst is the finding so far.
func (j shellJudge) readingHeld(w reach.PathWord, worst *finding) *finding {
	if worst == nil && slices.ContainsFunc(w.Globs, func(g []pattern.Atom) bool { return len(g) > 0 && g[0].Is('/') && place.MayBeKernel(g) }) {
		worst = &finding{reason: "it may become a file of the kernel"}
	}
	return worst.ofReading(w)
}

// writingHeld decides about a file that a part writes by name.
func (j shellJudge) writingHeld(w reach.WriteTarget) finding {
	switch {
	case w.Later || w.Unsure != "" || w.Below:
		return finding{Allow, false, "", "what it writes is judged before it lands"}
	case j.isScratch(w.At):
		return finding{Allow, false, "", "it is in a temporary folder of the command's own"}
	case w.Refused != "":
		return refused(fmt.Sprintf("it writes %q: %s", w.Text, w.Refused))
	}
	f := j.lands(w.At)
	if f.verdict != Allow {
		f.reason = fmt.Sprintf("it writes %q: %s", w.Text, f.reason)
	}
	return f
}

// isScratch reports whether a place is in a temporary folder, of which a held command has
// its own.
func (j shellJudge) isScratch(at place.Path) bool {
	if j.roots.Home != "" && folder.Holds(j.roots.Home, at.Canonical) {
		return false
	}
	return !at.Inside && slices.ContainsFunc([]string{"/tmp", "/var/tmp", "/dev/shm"}, func(dir string) bool {
		return at.Canonical != dir && folder.Holds(dir, at.Canonical)
	})
}

// landsWell reports whether a risk is about an output, and all its files may be written.
func (j shellJudge) landsWell(u *reach.Part, g program.Risk) bool {
	return g.Lands > 0 && !slices.ContainsFunc(u.Outs[g.Lands-1], func(t reach.WriteTarget) bool { return j.writing(t).verdict != Allow })
}

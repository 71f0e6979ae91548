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

// landsWell reports whether all that an option writes may be written.
func (j shellJudge) landsWell(u *reach.Part, g program.Risk) bool {
	return g.Lands > 0 && !slices.ContainsFunc(u.Outs[g.Lands-1], func(t reach.WriteTarget) bool { return j.writing(t).verdict != Allow })
}

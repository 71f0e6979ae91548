package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// Where commands are held, files are not for words to judge: what a command may not
// read is empty for it, and what it wrote is judged before it lands. What words say
// for certain is judged before it runs all the same. And nothing is run that the
// same command may have written without saying where: what lands is judged too late
// for that.

// counts reports whether something is a risk where these commands run.
func (j shellJudge) counts(g risk) bool {
	if j.held {
		return g.level != unheld
	}
	return g.level != whenHeld
}

// isDoubt reports whether something leaves it open that a program only reads.
func (j shellJudge) isDoubt(g risk) bool { return g.at >= 0 && g.level != whenHeld || j.counts(g) }

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
	return u.name == "git" || named(u.name).contents != hidden
}

// unknownInput is the risk of a file that < names and that is not known before.
func unknownInput(in word) risk {
	g := unspellable("the file that < reads is not known before it runs")
	if !mayBeNetwork(in) {
		g.level = unheld
	}
	return g
}

// namesOnly reports whether the words of a command that are not known can't be
// anything but names of files, and what is searched for: no option that runs a
// program, no script and no address.
func namesOnly(words []word) bool {
	known := named(programName(words[0]))
	if known.anything != "" && known.wrapper == nil || known.wide != nil || known.interprets == everyWord {
		return false
	}
	options, operand, script := true, false, lastScript(programName(words[0]), words)
	for i, x := range words[1:] {
		switch {
		case x.is("--"):
			options = false
		case x.unknown() && mayBeOfKernel(x.lead):
			return false
		case !x.unknown():
			operand = operand || !x.isOption() && !strings.HasPrefix(words[i].text, "-")
		case known.interprets == firstWord && i == 0 || known.interprets == firstOperand && !operand && !(script > 0 && i+1 > script):
			return false
		case (known.options != nil || known.risks != nil || known.runs != 0 || known.bare != "") && !known.onlyFiles && options && !beginsPlainly(x):
			return false
		}
	}
	return true
}

// mayBeOfKernel reports whether a path that begins so may be one of the kernel's files.
func mayBeOfKernel(lead string) bool {
	return slices.ContainsFunc([]string{"/proc/", "/sys/", "/dev/"}, func(dir string) bool {
		return lead != "" && strings.HasPrefix(lead, "/") && strings.HasPrefix(dir, lead) || strings.Contains(lead+"/", dir)
	})
}

// beginsPlainly reports whether a word is one that can't be an option.
func beginsPlainly(x word) bool {
	return x.plain || x.kind == dynamic && x.lead != "" && x.lead[0] != '-' && x.lead[0] != '+'
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
			u.allows[k].risks = append(u.allows[k].risks, risk{level: whenHeld, at: -1,
				why: "it may run what the same command has written, and what that is its words don't say"})
		}
	}
}

// runsNoFile reports whether a part runs nothing that stands in a file of the
// workspace.
func (u *unit) runsNoFile() bool {
	if u.isFile || len(u.words) == 0 || !u.words[0].is(u.name) {
		return u.isFile || len(u.words) == 0
	}
	known := named(u.name)
	return u.name != "git" && (isReader(u.words) || isTextOnly(u.words) || u.needsNoRule || known.saysWrites || known.noContent || known.onlyFiles)
}

// inPlace adds the files that sed -i changes: where commands are held no rule has to
// spell the option.
func (w *walker) inPlace(u *unit, at cwd) {
	if u.name != "sed" || !slices.ContainsFunc(u.words[1:], changesInPlace) {
		return
	}
	targets, certain := w.changedInPlace(u.words, at)
	u.anywhere = u.anywhere || !certain
	for _, t := range targets {
		t.level = whenHeld
		u.writes = append(u.writes, t)
	}
}

// changedInPlace returns the files that a program changes which its operands name, and
// whether these are all of them.
func (w *walker) changedInPlace(words []word, at cwd) (targets []writeTarget, certain bool) {
	scripts, certain := []int(nil), true
	if known := named(programName(words[0])); known.scripts != nil {
		scripts, certain = known.scripts(words)
	}
	for i, x := range words[1:] {
		switch {
		case x.isOption() || slices.Contains(scripts, i+1):
		case x.kind != static:
			certain = false
		default:
			targets = append(targets, w.operand(x, at)...)
			certain = certain && !slices.ContainsFunc(w.placesOf(literalPath(x), at), place.Path.IsDir)
		}
	}
	return targets, certain && len(targets) > 0
}

func changesInPlace(x word) bool {
	return x.isOption() && slices.ContainsFunc(named("sed").options.names(x.text), func(name string) bool { return name == "-i" || name == "--in-place" })
}

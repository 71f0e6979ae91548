package permission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/reach"
)

// readersPattern stands for all programs that only read, with the options that only read.
const readersPattern = "readonly"

// bashSet judges commands by the bash rules of one domain.
type bashSet struct {
	compiled[bashPattern]
	// readers says that programs which only read are allowed.
	readers bool
	// empty says that there are no rules: then not even true is allowed.
	empty bool
}

func newBashSet(set ruleset) (*bashSet, error) {
	s := &bashSet{compiled: compiled[bashPattern]{key: "bash", catchAll: set.catchAll}, empty: set.catchAll == nil && len(set.rules) == 0}
	for _, r := range set.rules {
		if r.Pattern == readersPattern {
			if r.Verdict != Allow {
				return nil, fmt.Errorf("bash pattern %q: it can only be allowed", r.Pattern)
			}
			s.readers = true
			continue
		}
		p, err := compileBash(r)
		if err != nil {
			return nil, err
		}
		s.patterns = append(s.patterns, p)
	}
	return s, nil
}

// shell returns the rules that judge commands.
func (d *domain) shell(rule *Rule) *bashSet {
	if d.bash != nil {
		return d.bash
	}
	return &bashSet{compiled: standIn[bashPattern]("bash", rule), empty: rule == nil}
}

func (s *bashSet) onlyDenies() bool { return !s.readers && s.compiled.onlyDenies() }

// shellJudge judges the parts of a command by the rules of one domain.
type shellJudge struct {
	roots place.Roots
	bash  *bashSet
	read  *pathSet
	write *pathSet
	// cap and writeCap are rules over tool names that restrict bash and write, or nil.
	cap, writeCap *finding
	// held says that the command runs held: the rules over files are applied while it
	// runs, and to what it wrote before that lands.
	held bool
	// lands judges a file that a held command has written.
	lands func(place.Path) finding
	// readable reports whether a place may always be read.
	readable func(place.Path) bool
}

// judge decides about one part.
func (j shellJudge) judge(u *reach.Part) finding { return j.uncapped(u).cap(j.cap) }

// uncapped is judge without the rules over tool names.
func (j shellJudge) uncapped(u *reach.Part) finding {
	if u.Refused != "" {
		return refused(u.Refused)
	}
	if u.Unsure != "" && !j.held {
		return refused(u.Unsure)
	}
	var all []finding
	for _, w := range u.Writes {
		all = append(all, j.writing(w))
	}
	if u.IsFile { // of equally strict findings the one about files comes first
		return strictest(append(all, j.command(u)))
	}
	return strictest(append([]finding{j.command(u)}, all...))
}

// command decides about a part without the files that it writes.
func (j shellJudge) command(u *reach.Part) finding {
	if j.bash.empty {
		return finding{reason: "there are no bash rules"}
	}
	if u.IsFile || u.IsInput && j.held {
		return j.paths(u, finding{Allow, false, "", u.Reason}, nil)
	}
	hit := j.restriction(u)
	if hit != nil && hit.verdict == Deny {
		return *hit
	}
	f := j.allowance(u)
	switch {
	case hit == nil:
		return f
	case hit.stricter(f):
		return *hit
	case j.asks(u):
		return j.paths(u, *hit, nil)
	}
	return f
}

// asks reports whether an ask certainly matches the part. Then it decides if nothing
// allows the part; an ask that only may match just takes an allow away.
func (j shellJudge) asks(u *reach.Part) bool {
	return slices.ContainsFunc(j.bash.patterns, func(p bashPattern) bool {
		return p.verdict == Ask && slices.ContainsFunc(u.Own, p.coversBeginning)
	})
}

// restriction returns the deny, or else the ask, that may match a form of the part.
func (j shellJudge) restriction(u *reach.Part) *finding {
	p, ok := j.bash.strictest(false, func(p bashPattern) bool { return slices.ContainsFunc(u.Forms, p.hits) })
	if !ok {
		return nil
	}
	hit := &finding{p.verdict, false, j.bash.name(p.text), p.verdict.by(j.bash.name(p.text))}
	if !slices.ContainsFunc(u.Forms, p.coversBeginning) {
		hit.reason += ", if what is not known before the command runs matches it"
	}
	return hit
}

// allowance decides about a part that no deny or ask hits.
func (j shellJudge) allowance(u *reach.Part) finding {
	if u.NeedsNoRule && !slices.ContainsFunc(u.Risks(), j.counts) {
		return j.paths(u, finding{Allow, false, "", "it needs no rule"}, nil)
	}
	var best *finding
	unspelled := ""
	for _, p := range j.bash.patterns {
		if p.verdict != Allow {
			continue
		}
		ok, missing := j.allowed(u, p)
		if missing != "" {
			unspelled = missing
		}
		if !ok {
			continue
		}
		if j.isForeign(u, p) {
			unspelled = "in this folder the rule's words mean files that the write rules open"
			continue
		}
		f := j.paths(u, finding{Allow, false, "bash: " + p.text, Allow.by(j.bash.name(p.text))}, &p)
		if f.verdict == Allow {
			return f
		}
		if best == nil || best.verdict < f.verdict {
			best = &f
		}
	}
	if best != nil {
		return *best
	}
	if j.bash.readers && u.Reading(j.isDoubt) {
		return j.paths(u, finding{Allow, false, "bash: " + readersPattern, "it only reads"}, nil)
	}
	return j.fallback(u, unspelled)
}

// allowed reports whether an allow pattern covers the part and spells all its risks.
// missing is a risk that it does not spell.
func (j shellJudge) allowed(u *reach.Part, p bashPattern) (ok bool, missing string) {
	for _, form := range u.Allows {
		if form.Level == program.WhenHeld && !j.held || !p.covers(form.Words) {
			continue
		}
		why := ""
		for _, g := range form.Risks {
			if j.counts(g) && !p.spells(g, form.Words) && !j.landsWell(u, g) {
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

// fallback decides about a part that no pattern allows.
func (j shellJudge) fallback(u *reach.Part, unspelled string) finding {
	if i := slices.IndexFunc(u.Risks(), j.counts); unspelled == "" && i >= 0 {
		unspelled = u.Risks()[i].Why
	}
	reason := "no bash rule allows it"
	if unspelled != "" {
		reason = fmt.Sprintf("%s, and no bash rule spells that", unspelled)
	}
	if j.bash.catchAll == nil {
		return finding{reason: reason}
	}
	rule := j.bash.catchAllName()
	if j.bash.catchAll.Verdict == Deny {
		return finding{Deny, false, rule, reason}
	}
	f := finding{j.bash.catchAll.Verdict, false, rule, j.bash.catchAll.Verdict.by(rule)}
	return j.paths(u, f, nil)
}

// paths applies the read rules to the words of a part, and returns the strictest of them
// and f. p is the rule that allowed the part: what it spells may be read.
func (j shellJudge) paths(u *reach.Part, f finding, p *bashPattern) finding {
	for _, w := range u.Reads {
		if j.held && !u.ShowsContent() || p != nil && p.spellsWord(w.Text) {
			continue
		}
		if hit := j.reading(w); hit != nil && hit.stricter(f) {
			f = *hit
		}
	}
	return f
}

// reading returns the finding that denies or asks about reading the files of a word.
func (j shellJudge) reading(w reach.PathWord) *finding {
	var worst *finding
	note := func(f *finding) {
		if f != nil && (worst == nil || f.stricter(*worst)) {
			worst = f
		}
	}
	for _, at := range w.Places {
		note(j.readingAt(w, at))
	}
	if j.held {
		return j.readingHeld(w, worst)
	}
	if w.Unseen {
		worst = &finding{reason: "what it holds is not known, or too much to be looked through"}
	}
	for _, atoms := range w.Globs {
		note(j.read.couldHit(atoms, w.ByFiles))
	}
	return worst.ofReading(w)
}

// readingAt returns the finding that denies or asks about reading one of a word's files.
func (j shellJudge) readingAt(w reach.PathWord, at place.Path) *finding {
	if j.held && at.Info == nil && !at.ThroughKernel && !w.Whole && !strings.Contains(w.Text, "/") {
		return nil // it is no file
	}
	f := j.read.restriction(at)
	if f == nil && at.IsDir() {
		f = j.read.restriction(place.Within(at))
	}
	switch {
	case at.ThroughKernel:
		f = &finding{reason: "it leads to the files of the kernel, where secrets of processes are"}
	case j.roots.IsSecret(at) && !(j.roots.IsRecord(at) && (j.readable(at) || j.read.judge(at).verdict == Allow)):
		f = &finding{reason: "it is a secret file"}
	}
	if f != nil && w.Whole {
		f.reason = fmt.Sprintf("it holds %q: %s", at.Name(), f.reason)
	}
	return f
}

// ofReading adds to the reason which word the finding is about.
func (f *finding) ofReading(w reach.PathWord) *finding {
	if f != nil {
		f.reason = fmt.Sprintf("it could read %q: %s", w.Text, f.reason)
	}
	return f
}

// writing decides about a file that a part writes.
func (j shellJudge) writing(w reach.WriteTarget) finding {
	if j.held {
		return j.writingHeld(w)
	}
	if w.Level == program.WhenHeld {
		return finding{Allow, false, "", "it is for a rule to spell"}
	}
	if why := cmp.Or(w.Refused, w.Unsure); why != "" {
		return refused(fmt.Sprintf("it writes %q: %s", w.Text, why))
	}
	if w.Below {
		return j.writingBelow(w)
	}
	f := j.write.judge(w.At).cap(j.writeCap)
	if f.verdict != Allow {
		f.reason = fmt.Sprintf("it writes %q: %s", w.Text, f.reason)
	}
	return f
}

// writingBelow decides about all files in a directory: only a rule that denies or asks
// about one of them counts.
func (j shellJudge) writingBelow(w reach.WriteTarget) finding {
	worst := finding{Allow, false, "", "no rule denies to write what it holds"}
	for _, at := range w.Places {
		if f := j.write.restriction(at); f != nil && f.stricter(worst) {
			worst = *f
			worst.reason = fmt.Sprintf("it writes %q, which holds %q: %s", w.Text, at.Name(), f.reason)
		}
	}
	return worst
}

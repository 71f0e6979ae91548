package permission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/command"
)

// readersPattern stands for all programs that only read, with the options that only read.
const readersPattern = "readonly"

// bashSet judges commands by the bash rules of one domain.
type bashSet struct {
	compiled[bashPattern]
	// readers says that programs which only read are allowed.
	readers bool
}

func newBashSet(set ruleset) (s bashSet, err error) {
	isReaders := func(r Rule) bool { return r.Pattern == readersPattern }
	for _, r := range set.rules {
		if s.readers = s.readers || isReaders(r); isReaders(r) && r.Verdict != Allow {
			return s, fmt.Errorf("bash pattern %q: it can only be allowed", r.Pattern)
		}
	}
	set.rules = slices.DeleteFunc(slices.Clone(set.rules), isReaders)
	s.compiled, err = compile("bash", set, compileBash)
	return s, err
}

// isEmpty reports whether there are no rules: then not even true is allowed.
func (s *bashSet) isEmpty() bool { return s.catchAll == nil && len(s.patterns) == 0 && !s.readers }

func (s *bashSet) onlyDenies() bool { return !s.readers && s.compiled.onlyDenies() }

// allowsAll reports whether every command is allowed, and no rule is about one.
func (s *bashSet) allowsAll() bool {
	return s.cap == nil && s.catchAll != nil && s.catchAll.Verdict == Allow &&
		!slices.ContainsFunc(s.patterns, func(p bashPattern) bool { return p.Verdict != Allow })
}

// shellJudge judges the parts of a command by the rules of one domain.
type shellJudge struct {
	files       *namedFiles
	bash        bashSet
	read, write pathSet
	// held says that the command runs held: files that it may not read are empty for it,
	// and what it writes is judged before it lands.
	held bool
}

// judge decides about one part.
func (j shellJudge) judge(u *command.Part) Decision {
	all := []Decision{j.command(u)}
	for _, x := range u.Writes {
		if j.held && u.IsRedirect() && j.files.isSpecial(x, u.At) {
			return refused("it writes to a special file, which may never answer")
		}
		if !j.held {
			all = append(all, j.writing(x, u))
		}
	}
	if u.IsRedirect() { // of equally strict findings the one about files comes first
		slices.Reverse(all)
	}
	return strictest(all...).cap(j.bash.cap)
}

// command decides about a part without the files that it writes.
func (j shellJudge) command(u *command.Part) Decision {
	if j.bash.isEmpty() {
		return undecided("there are no bash rules")
	}
	hit := j.restriction(u)
	if hit != nil && hit.Verdict == Deny {
		return *hit
	}
	f := j.allowance(u)
	switch {
	case hit == nil:
		return f
	case hit.stricter(f):
		return *hit
	case j.asks(u):
		return j.reads(u, *hit, nil)
	}
	return f
}

// asks reports whether an ask certainly matches the part. Then it decides if nothing
// allows the part; an ask that only may match just takes an allow away.
func (j shellJudge) asks(u *command.Part) bool {
	return slices.ContainsFunc(j.bash.patterns, func(p bashPattern) bool {
		return p.Verdict == Ask && slices.ContainsFunc(u.Own, p.coversBeginning)
	})
}

// restriction returns the deny, or else the ask, that may match a form of the part.
func (j shellJudge) restriction(u *command.Part) *Decision {
	certain := false
	hit := j.bash.strictest(false, func(p bashPattern) bool {
		hits := slices.ContainsFunc(u.Forms, p.hits)
		certain = hits && slices.ContainsFunc(u.Forms, p.coversBeginning) || certain && !hits
		return hits
	})
	if hit != nil && !certain {
		hit.Reason += ", if what is not known before the command runs matches it"
	}
	return hit
}

// counts reports whether a risk matters for the command.
func (j shellJudge) counts(g command.Risk) bool { return !(g.Files && j.held) }

// allowance decides about a part that no deny or ask hits.
func (j shellJudge) allowance(u *command.Part) Decision {
	if u.NeedsNoRule && !slices.ContainsFunc(u.Risks(), j.counts) {
		return j.reads(u, allowed("it needs no rule"), nil)
	}
	var best *Decision
	unspelled := ""
	for _, p := range j.bash.patterns {
		ok, missing := j.allowed(u, p)
		if unspelled = cmp.Or(missing, unspelled); !ok {
			continue
		}
		f := j.reads(u, j.bash.by(p.Rule), &p)
		if f.Verdict == Allow {
			return f
		}
		if best == nil || best.Verdict < f.Verdict {
			best = &f
		}
	}
	switch {
	case best != nil:
		return *best
	case j.bash.readers && (len(u.Risks()) == 0 || j.held) && onlyReads(u):
		return j.reads(u, Decision{Verdict: Allow, Rule: "bash: " + readersPattern, Reason: "it only reads"}, nil)
	}
	return j.fallback(u, unspelled)
}

// allowed reports whether a pattern allows the part: it covers it, and spells all its risks.
// missing is a risk that it does not spell.
func (j shellJudge) allowed(u *command.Part, p bashPattern) (ok bool, missing string) {
	for _, form := range u.Allows {
		if p.Verdict != Allow || !p.covers(form.Words) {
			continue
		}
		i := slices.IndexFunc(form.Risks, func(g command.Risk) bool { return j.counts(g) && !p.spells(g, form.Words) && !j.mayWrite(g, u) })
		switch {
		case i >= 0:
			missing = form.Risks[i].Why
		case j.isForeign(u, p):
			return false, "in this folder the rule's words mean files that the write rules open"
		default:
			return true, ""
		}
	}
	return false, missing
}

// mayWrite reports whether a risk is only about files that are written, and these may be.
func (j shellJudge) mayWrite(g command.Risk, u *command.Part) bool {
	return len(g.Writes) > 0 && !slices.ContainsFunc(g.Writes, func(x command.Word) bool { return !x.Is("-") && j.writing(x, u).Verdict != Allow })
}

// fallback decides about a part that no pattern allows.
func (j shellJudge) fallback(u *command.Part, unspelled string) Decision {
	if i := slices.IndexFunc(u.Risks(), j.counts); unspelled == "" && i >= 0 {
		unspelled = u.Risks()[i].Why
	}
	reason := "no bash rule allows it"
	if unspelled != "" {
		reason = fmt.Sprintf("%s, and no bash rule spells that", unspelled)
	}
	d := j.bash.otherwise()
	if d.Verdict == Deny {
		d.Reason = reason
		return d
	}
	return j.reads(u, d, nil)
}

// reads applies the read rules to the words of a part, and returns the strictest of them
// and f. p is the rule that allowed the part: what it spells may be read.
func (j shellJudge) reads(u *command.Part, f Decision, p *bashPattern) Decision {
	for _, x := range u.Reads {
		if p != nil && p.spellsWord(x.Text) {
			continue
		}
		if hit := j.reading(x, u); hit != nil && hit.stricter(f) {
			hit.Reason = fmt.Sprintf("it could read %q: %s", x.Text, hit.Reason)
			f = *hit
		}
	}
	return f
}

// reading returns the finding that denies or asks about reading the files of a word.
func (j shellJudge) reading(x command.Word, u *command.Part) (worst *Decision) {
	places := j.files.named(x, u.At, u.IsGit())
	if j.files.tooMany {
		f := refused("it has too many words to be judged, or a glob that may become too many files")
		worst = &f
	}
	for _, at := range places {
		f := j.read.restriction(at)
		if f == nil && at.IsDir() {
			f = j.read.restriction(at.Child("x"))
		}
		switch {
		case at.ThroughKernel || strings.HasPrefix(x.Text, "/") && strings.Trim(x.Text, "/.") == "" && !u.NamesOnly():
			f = &Decision{Reason: "it leads to the files of the kernel, where secrets of processes are"}
		case j.held && (u.NamesOnly() || at.Info == nil && !strings.ContainsAny(x.Text, "/:")):
			continue // no word of it is read, or it is no name of a file
		case j.files.isSecret(at, j.read):
			f = &Decision{Reason: "it is a secret file"}
		}
		if f != nil && (worst == nil || f.stricter(*worst)) {
			worst = f
		}
	}
	return worst
}

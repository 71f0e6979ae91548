package permission

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/reach"
)

// decideBash judges a shell command.
func (p *Policy) decideBash(call Call, dir string) Decision {
	args, err := arguments(call.Input)
	if err != nil {
		return refused(err.Error()).decision()
	}
	command, _, err := args.text("command")
	if err != nil {
		return refused(err.Error()).decision()
	}
	workdir, given, err := args.text("workdir")
	if err != nil {
		return refused(err.Error()).decision()
	}
	if given && workdir != "" {
		at, err := p.roots.ResolveTilde(dir, workdir)
		if err != nil || !at.Inside {
			return refused(fmt.Sprintf("the working directory %q is not in the workspace", workdir)).decision()
		}
		dir = at.Canonical
	}
	units, _, why := p.analyze(command, dir)
	if why != "" {
		return refused(why).decision()
	}
	held := p.held != nil && p.held()
	d := p.judgeUnits(units, held)
	if why := whyGitIsRefused(units); held && d.Verdict != Deny && why != "" {
		parts := d.Parts
		d = refused(why).decision()
		d.Parts = parts
	}
	return d
}

// judgeUnits asks every domain about every part.
func (p *Policy) judgeUnits(units []*reach.Part, held bool) Decision {
	judges := map[*domain]shellJudge{}
	for _, d := range p.domains {
		judges[d] = p.shellJudge(d, held)
	}
	var parts []Part
	all := make([]finding, 0, len(units))
	for _, u := range units {
		f := p.each(func(d *domain) finding { return judges[d].judge(u) })
		all = append(all, f)
		parts = append(parts, Part{u.Source, f.verdict, f.refused, f.rule, f.reason})
	}
	worst := strictest(all)
	d := worst.decision()
	d.Parts = parts
	for i, f := range all {
		if f == worst {
			d.Reason = fmt.Sprintf("%s: %s", parts[i].Source, f.reason)
			break
		}
	}
	return d
}

// shellJudge returns the judge of a command's parts by the rules of one domain.
func (p *Policy) shellJudge(d *domain, held bool) shellJudge {
	restriction, standIn := d.gate("bash")
	j := shellJudge{
		roots: p.roots, bash: d.shell(standIn), cap: restriction, held: held, readable: p.isReadable,
		lands: func(at place.Path) finding { return d.lands(p.roots, at) },
	}
	j.read, _ = d.paths(p.roots, "read")
	j.write, j.writeCap = d.paths(p.roots, "write")
	return j
}

// analyze takes a command apart, and returns its parts and the script to run in its place.
// If why is not empty, it is the reason why no rule can allow the command.
func (p *Policy) analyze(command, dir string) (units []*reach.Part, printed, why string) {
	return reach.Analyze(reach.Rulings{
		Roots: p.roots, Unwritable: p.whyNotWritten, UnwritableWhole: p.whyNotWhole,
		DeniesWrites: p.deniesSomeWrites(), DeniesPaths: p.deniesPaths(),
	}, command, dir)
}

// Reading is what the words of a shell command say before it runs.
type Reading struct {
	// Script is the script to run in its place: the commands that were judged, printed so
	// that bash can read them in only one way.
	Script string
	// ReadOnly says that it certainly only reads.
	ReadOnly bool
	// OnlyGit says that it runs git, and beside it only programs that could not change the
	// .git folder: those that only read, or whose words say what they write.
	OnlyGit bool
	// Guesses says that it may write content into files that its words don't name. If it is
	// held, its by-products are then dropped, so that no later command runs what nobody has
	// judged.
	Guesses bool
}

// Read reads a shell command that starts in dir. It judges nothing: the error is for a command
// that no rule can allow, and one that is read may still be denied.
func (p *Policy) Read(command, dir string) (Reading, error) {
	units, script, why := p.analyze(command, p.start(dir))
	if why != "" {
		return Reading{}, errors.New(why)
	}
	return Reading{
		Script:   script,
		ReadOnly: !slices.ContainsFunc(units, func(u *reach.Part) bool { return !u.OnlyReads() }),
		OnlyGit:  onlyGit(units),
		Guesses:  slices.ContainsFunc(units, func(u *reach.Part) bool { return u.Anywhere || u.BringsFiles() }),
	}, nil
}

func onlyGit(units []*reach.Part) bool {
	return slices.ContainsFunc(units, isGit) && !slices.ContainsFunc(units, besidesGit)
}

// isGit reports whether a part is git, and not a program of the workspace with that name.
func isGit(u *reach.Part) bool { return u.Name == "git" && len(u.Words) > 0 && u.Words[0].Is("git") }

// besidesGit reports whether a part could change the .git folder without git.
func besidesGit(u *reach.Part) bool {
	tame := isGit(u) || u.OnlyReads() || len(u.Words) == 0 || program.Named(u.Name).SaysWrites
	return u.Refused != "" || u.Unsure != "" || u.Anywhere || !tame
}

// whyGitIsRefused returns why git can't change the repository in a held command, or "": its
// changes would not land, because of a program beside it.
func whyGitIsRefused(units []*reach.Part) string {
	change, beside := "", ""
	for _, u := range units {
		switch {
		case isGit(u):
			change = cmp.Or(change, program.GitChange(u.Words))
		case len(u.Words) > 0 && besidesGit(u):
			beside = cmp.Or(beside, u.Source)
		}
	}
	if change == "" || beside == "" {
		return ""
	}
	return fmt.Sprintf("git %s changes the repository only in a call without programs such as %q: run it in a call of its own", change, beside)
}

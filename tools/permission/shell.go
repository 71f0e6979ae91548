package permission

import (
	"errors"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
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
	units, script, why := p.analyze(command, dir)
	if why != "" {
		return refused(why).decision()
	}
	d := p.judgeUnits(units, p.held != nil && p.held())
	if d.Verdict != Deny {
		d.Script = script
	}
	return d
}

// judgeUnits asks every domain about every part.
func (p *Policy) judgeUnits(units []*reach.Part, held bool) Decision {
	judges := make([]shellJudge, len(p.domains))
	caps := make([]*finding, len(p.domains))
	for i, d := range p.domains {
		judges[i], caps[i] = d.shellJudge(p.roots)
		judges[i].readable = p.isReadable
		judges[i].held, judges[i].lands = held, func(at place.Path) finding { return d.lands(p.roots, at) }
	}
	var parts []Part
	all := make([]finding, 0, len(units))
	for _, u := range units {
		i := -1
		f := p.each(func(*domain) finding {
			i++
			return judges[i].judge(u).cap(caps[i])
		})
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

// shellJudge collects the rules that judge the parts of a command, and what
// restricts bash as a whole.
func (d *domain) shellJudge(t place.Roots) (shellJudge, *finding) {
	restriction, standIn := d.gate("bash")
	j := shellJudge{roots: t, bash: d.shell(standIn)}
	j.read, _ = d.paths(t, "read")
	j.write, j.writeCap = d.paths(t, "write")
	return j, restriction
}

// analyze takes a command apart, and returns the script that runs in its place.
// why says that no rule allows it.
func (p *Policy) analyze(command, dir string) (units []*reach.Part, printed, why string) {
	return reach.Analyze(reach.Rulings{
		Roots: p.roots, Unwritable: p.whyNotWritten, UnwritableWhole: p.whyNotWhole,
		DeniesWrites: p.deniesSomeWrites(), DeniesPaths: p.deniesPaths(),
	}, command, dir)
}

// ReadOnly reports whether a shell command, started in dir, only reads. It says
// no where it is not sure.
func (p *Policy) ReadOnly(command, dir string) bool {
	units, _, why := p.analyze(command, p.start(dir))
	return why == "" && !slices.ContainsFunc(units, func(u *reach.Part) bool { return !u.OnlyReads() })
}

// Script returns what is to run in the place of a shell command that was
// allowed, started in dir: the commands that were judged, written in the one way
// that bash can't read otherwise. It is an error where there is none.
func (p *Policy) Script(command, dir string) (string, error) {
	_, script, why := p.analyze(command, p.start(dir))
	if why != "" {
		return "", errors.New(why)
	}
	return script, nil
}

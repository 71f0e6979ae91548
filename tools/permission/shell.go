package permission

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/command"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// decideBash judges a shell command.
func (p *Policy) decideBash(call Call, dir string) Decision {
	args, err := arguments(call.Input, "command", "workdir")
	if err != nil {
		return refused(err.Error())
	}
	if workdir := args["workdir"]; workdir != "" {
		at, err := p.roots.ResolveTilde(dir, workdir)
		if err != nil || !at.Inside {
			return refused(fmt.Sprintf("the working directory %q is not in the workspace", workdir))
		}
		dir = at.Canonical
	}
	held := p.held != nil && p.held()
	script, err := p.parse(args["command"], dir, held)
	if err != nil {
		return refused(err.Error())
	}
	d := p.judgeParts(script.Parts, held)
	if why := p.whyGitIsRefused(script); held && d.Verdict != Deny && why != "" {
		d.Verdict, d.Never, d.Rule, d.Reason = Deny, true, "", why
	}
	return d
}

// parse takes a command apart. An error is the reason why no rule can allow it.
func (p *Policy) parse(text, dir string, held bool) (command.Script, error) {
	script, err := command.Parse(p.roots, text, dir, held)
	if err == nil && script.Outside != "" && !p.allowsAll() {
		err = fmt.Errorf("it uses %s: what that does is not known before it runs", script.Outside)
	}
	return script, err
}

// allowsAll reports whether every domain allows every command. Then it is no matter what a
// construct that cannot be judged does.
func (p *Policy) allowsAll() bool {
	return !slices.ContainsFunc(p.domains, func(d *domain) bool {
		return !d.bash.allowsAll()
	})
}

// judgeParts asks every domain about every part.
func (p *Policy) judgeParts(units []*command.Part, held bool) Decision {
	files := &namedFiles{policy: p, places: map[string]place.Path{}}
	judges := map[*domain]shellJudge{}
	for _, d := range p.domains {
		judges[d] = shellJudge{files, d.bash, d.read, d.write, held}
	}
	worst := undecided("nothing judged the call")
	var parts []Part
	for i, u := range units {
		d := p.each(func(d *domain) Decision { return judges[d].judge(u) })
		parts = append(parts, Part{u.Source, d})
		if i == 0 || d.stricter(worst) {
			worst = d
			worst.Reason = fmt.Sprintf("%s: %s", u.Source, d.Reason)
		}
	}
	worst.Parts = parts
	return worst
}

// Reading is what the words of a shell command say before it runs.
type Reading struct {
	// Script is the script to run in its place: the commands that were judged, printed so
	// that bash can read them in only one way.
	Script string
	// ReadOnly says that it certainly only reads.
	ReadOnly bool
	// OnlyGit says that it runs git, and beside it only programs that could not change the
	// .git folder: those that only read or print, or write what their words name.
	OnlyGit bool
	// Beside says that beside git, programs may read what is in files.
	Beside bool
	// GitPrints says that its commands of git only print: none changes git's own files.
	GitPrints bool
	// Connects says that git talks to another repository, and that no word has git print its
	// configuration, or writes a file that may have it run a program.
	Connects bool
}

// Read reads a shell command that starts in dir. It judges nothing: the error is for a command
// that no rule can allow, and one that is read may still be denied.
func (p *Policy) Read(text, dir string) (Reading, error) {
	script, err := p.parse(text, p.start(dir), p.held != nil && p.held())
	if err != nil {
		return Reading{}, err
	}
	judged := script.Outside == ""
	return Reading{
		Script:    script.Text,
		ReadOnly:  judged && !slices.ContainsFunc(script.Parts, func(u *command.Part) bool { return !onlyReads(u) }),
		OnlyGit:   judged && slices.ContainsFunc(script.Parts, (*command.Part).IsGit) && !slices.ContainsFunc(script.Parts, func(u *command.Part) bool { return u.BesidesGit(p.roots) }),
		Beside:    slices.ContainsFunc(script.Parts, func(u *command.Part) bool { return !u.IsGit() && !u.OpensNothing() }),
		GitPrints: !slices.ContainsFunc(script.Parts, func(u *command.Part) bool { return u.IsGit() && !u.OnlyReads() }),
		Connects: judged && slices.ContainsFunc(script.Parts, (*command.Part).Connects) &&
			!slices.ContainsFunc(script.Parts, func(u *command.Part) bool {
				return !u.IsPlainGit() && (u.IsGit() || !u.OnlyReads() || !u.OpensNothing())
			}),
	}, nil
}

// onlyReads reports whether a part changes nothing, whatever the words that are not known
// become.
func onlyReads(u *command.Part) bool {
	return u.OnlyReads() && !slices.ContainsFunc(u.Risks(), func(g command.Risk) bool { return g.At >= 0 || !g.Files })
}

// whyGitIsRefused returns why git can't change the repository in a held command, or "": its
// changes would not land, because of a program beside it.
func (p *Policy) whyGitIsRefused(script command.Script) string {
	change, beside := "", ""
	for _, u := range script.Parts {
		if change = cmp.Or(change, u.GitChange()); u.GitChange() == "" && u.BesidesGit(p.roots) {
			beside = cmp.Or(beside, u.Source)
		}
	}
	if change == "" || beside == "" {
		return ""
	}
	return fmt.Sprintf("git %s changes the repository only in a call without programs such as %q: run it in a call of its own", change, beside)
}

// Executed is what files of its working directory a command runs.
type Executed = command.Executed

// ExecutedBy returns what files of its working directory a command runs that consists of these words,
// of which those that are not known are "". ok is false for a command that is not known to run any.
func ExecutedBy(words []string) (x Executed, ok bool) { return command.ExecutedBy(words) }

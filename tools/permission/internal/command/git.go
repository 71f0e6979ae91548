package command

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// IsGit reports whether the part is git, and no program of the workspace with that name.
func (p *Part) IsGit() bool { return len(p.own) > 0 && p.own[0].Is("git") }

// subcommand returns that of git, or "" if it is not known, and for any other program.
func (p *Part) subcommand() string {
	if !p.IsGit() {
		return ""
	}
	_, at, known := Named("git").sub(p.own)
	if !known || at == len(p.own) {
		return ""
	}
	return p.own[at].Text
}

// Connects reports whether the part has git talk to another repository.
func (p *Part) Connects() bool { return Named("git").list("connects").has(p.subcommand()) }

// IsPlainGit reports whether git certainly prints nothing of its directory but what is stored
// there, so that it may know passwords.
func (p *Part) IsPlainGit() bool {
	return (p.Connects() || Named("git").list("plain").has(p.subcommand())) && !slices.ContainsFunc(p.own, Word.inGit)
}

// GitChange returns git's subcommand if it certainly changes git's own files, such as the
// index, or else "".
func (p *Part) GitChange() string {
	if !p.IsGit() || !p.program.is("changes") || p.OnlyReads() || slices.ContainsFunc(p.own, func(x Word) bool { return p.program.list("lists").has(x.Text) }) {
		return ""
	}
	return p.subcommand()
}

// BesidesGit reports whether the part may change git's own files without being git in the workspace:
// as what is in the configuration of another repository, or of one that the script makes, does.
func (p *Part) BesidesGit(t place.Roots) bool {
	if !p.IsGit() {
		return !p.IsTame() || slices.ContainsFunc(p.Writes, func(x Word) bool { return x.Kind != Static || x.inGit() })
	}
	_, at, _ := Named("git").sub(p.own)
	for i, x := range p.own[:min(at+1, len(p.own))] {
		if i == 0 || !p.own[i-1].Is("-C") {
			continue
		}
		if _, inside := p.At.enter(t, x.Text); x.Kind != Static || !inside {
			return true
		}
	}
	return p.At.Lost || slices.ContainsFunc(p.own, Word.inGit) ||
		slices.ContainsFunc(p.At.Dirs, func(dir string) bool { return Of(dir).inGit() })
}

// inGit reports whether a word names something in a directory of git.
func (x Word) inGit() bool {
	segments := strings.FieldsFunc(strings.ToLower(x.Text), func(r rune) bool { return r == '/' || r == '=' })
	return x.Kind == Static && slices.Contains(segments, ".git")
}

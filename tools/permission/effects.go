package permission

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// Lands judges a change that a held command made to a file, folder or symlink, before it
// reaches the file system. The path is absolute and has no symlinks in it; Lands does not
// look at the file system.
//
// The rules for writing decide as for the tool write, with two exceptions: in a folder
// that a rule covers whole, names may start with a dot; and if every command is allowed,
// and no rule says what may be written, all in the workspace may change that no rule
// denies.
func (p *Policy) Lands(path string) Decision {
	at := p.roots.Known(path)
	if why := cmp.Or(place.Unwritable(at.Name()), p.whyProtected(at)); why != "" {
		return refused(why)
	}
	return p.each(func(d *domain) Decision { return d.lands(at) })
}

// lands judges a change by the rules of one domain.
func (d *domain) lands(at place.Path) Decision {
	at = d.roots.From(at)
	f := d.write.judge(at)
	if !d.roots.IsGuarded(at) && (f.Verdict == Deny && f.Rule == "" || f.Rule == d.write.otherwise().Rule) {
		f = d.landsWide(at, f)
	}
	return f.cap(d.write.cap)
}

// landsWide allows what only a command may do: create names that start with a dot in a
// folder that a rule covers whole, and change the workspace if every command is allowed. Else
// it returns the decision without that.
func (d *domain) landsWide(at place.Path, without Decision) Decision {
	if d.write.restriction(at) != nil {
		return without
	}
	for _, p := range d.write.patterns {
		if p.Verdict == Allow && p.CoversFolderOf(at) {
			f := d.write.by(p.Rule)
			f.Reason += " with all in its folder"
			return f
		}
	}
	all := d.allCommands()
	switch {
	case !at.Inside:
	case d.write.catchAll != nil && d.write.catchAll.Verdict != Deny && !strings.HasPrefix(at.Rel, "."):
		return d.write.otherwise()
	case all != nil:
		return Decision{Verdict: Allow, Rule: "bash: " + all.Pattern, Reason: "every command is allowed"}
	}
	return without
}

// allCommands returns the rule that allows every command, and so changes to the workspace.
// It returns nil if a rule says what may be written.
func (d *domain) allCommands() *Rule {
	names := func(r pathRule) bool { return r.Verdict != Deny }
	if d.write.catchAll != nil && d.write.source == "" || slices.ContainsFunc(d.write.patterns, names) {
		return nil
	}
	if all := d.bash.catchAll; d.bash.cap == nil && all != nil && all.Verdict != Deny {
		return all
	}
	return nil
}

// Hides reports whether commands may not see the contents of a file, or of everything in a
// folder: secret files that no rule spells, and what a read rule denies or asks about. The
// path is absolute and has no symlinks in it; Hides does not look at the file system.
func (p *Policy) Hides(path string, folder bool) bool {
	at := p.roots.Known(path)
	if folder {
		// No rule spells these names: one that matches them matches everything.
		deep := at.Child("\u2767").Child("\u2766")
		return p.hides(at.Child("\u2767")) && p.hides(deep)
	}
	return p.hides(at)
}

func (p *Policy) hides(at place.Path) bool {
	if p.isReadable(at) {
		return false
	}
	return slices.ContainsFunc(p.domains, func(d *domain) bool {
		at := d.roots.From(at)
		if d.read.restriction(at) != nil {
			return true
		}
		return p.roots.IsSecret(at) && !slices.ContainsFunc(d.read.patterns, func(r pathRule) bool {
			return r.Verdict == Allow && d.read.namesWhole(r, at) && r.Allows(at)
		})
	})
}

package reach

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
)

// What a checkout or an archive brings may be links: behind it in the same script
// nobody knows where a path of the workspace leads.

// throughBrought refuses what reads or writes files of the workspace in a script
// after a part that may have replaced them.
func (s *search) throughBrought() {
	first := slices.IndexFunc(s.parts, bringsFiles)
	if first < 0 {
		return
	}
	const why = "what runs before it may have put a link there: make it a call of its own"
	for i, u := range s.parts {
		if u.Refused != "" || i <= first && !s.Unordered || bringsFiles(u) {
			continue
		}
		for k := range u.Writes {
			if u.Writes[k].At.Inside && u.Writes[k].Refused == "" {
				u.Writes[k].Unsure = why
				u.Anywhere = true
			}
		}
		if slices.ContainsFunc(u.Outs, func(files []WriteTarget) bool { return len(files) > 0 }) {
			u.Unsure = why
			u.Anywhere = true
		}
		if u.Name == "" || !showsFiles(u) {
			continue
		}
		for k, x := range u.Reads {
			if len(x.Globs) > 0 || slices.ContainsFunc(x.Places, func(p place.Path) bool { return p.Inside && p.Rel != "." }) {
				u.Reads[k].Unseen = true
			}
		}
	}
}

// bringsFiles reports whether a part may put files of others, links among them,
// in the place of those that are there.
func bringsFiles(u *Part) bool {
	if len(u.Words) < 2 {
		return false
	}
	return program.Named(u.Name).Brings.Of(u.Words)
}

// showsFiles reports whether a program may print, copy or send what is in the
// files that it is given.
func showsFiles(u *Part) bool {
	known := program.Named(u.Name)
	return known.Contents == program.Shown || known.Contents != program.Hidden && (program.IsReader(u.Words) || known.Copies)
}

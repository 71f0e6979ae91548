package permission

import (
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
)

// What a checkout or an archive brings may be links: behind it in the same script
// nobody knows where a path of the workspace leads.

// throughBrought refuses what reads or writes files of the workspace in a script
// after a part that may have replaced them.
func (w *walker) throughBrought() {
	first := slices.IndexFunc(w.units, bringsFiles)
	if first < 0 {
		return
	}
	const why = "what runs before it may have put a link there: make it a call of its own"
	for i, u := range w.units {
		if u.refused != "" || i <= first && !w.unordered || bringsFiles(u) {
			continue
		}
		for k := range u.writes {
			if u.writes[k].at.Inside && u.writes[k].refused == "" {
				u.writes[k].unsure = why
			}
		}
		if slices.ContainsFunc(u.outs, func(files []writeTarget) bool { return len(files) > 0 }) {
			u.unsure = why
		}
		if u.name == "" || !showsFiles(u) {
			continue
		}
		for k, x := range u.reads {
			if len(x.globs) > 0 || slices.ContainsFunc(x.places, func(p place.Path) bool { return p.Inside && p.Rel != "." }) {
				u.reads[k].unseen = true
			}
		}
	}
}

// bringsFiles reports whether a part may put files of others, links among them,
// in the place of those that are there.
func bringsFiles(u *unit) bool {
	if len(u.words) < 2 {
		return false
	}
	return program.Named(u.name).Brings.Of(u.words)
}

// showsFiles reports whether a program may print, copy or send what is in the
// files that it is given.
func showsFiles(u *unit) bool {
	known := program.Named(u.name)
	return known.Contents == program.Shown || known.Contents != program.Hidden && (program.IsReader(u.words) || known.Copies)
}

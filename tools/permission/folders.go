package permission

import (
	"cmp"
	"slices"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/command"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// isForeign reports whether a rule that covers a part was not meant for the part's folder. A
// rule is meant for the workspace root: after cd its words name other files, and a program
// does what those of its folder say. Where commands are not held, it does not cover the
// command if the model may write files in that folder, and not those that the rule meant.
func (j shellJudge) isForeign(u *command.Part, p bashPattern) bool {
	if u.IsRedirect() || j.held && p.folder == "" {
		return false
	}
	roots := j.read.roots
	meant, err := roots.Resolve(roots.Start(), cmp.Or(p.folder, ".")+"/.")
	if err != nil {
		return true
	}
	elsewhere := slices.ContainsFunc(u.At.Dirs, func(dir string) bool {
		at, err := roots.Resolve("/", dir)
		return err != nil || at.Canonical != meant.Canonical && (p.folder != "" || j.opens(at))
	})
	if p.folder != "" {
		return elsewhere || u.At.Lost
	}
	return (elsewhere || u.At.Lost) && !u.IsTame() && j.write.judge(meant.Child("x")).Verdict != Allow
}

// opens reports whether the write rules allow some file in a folder.
func (j shellJudge) opens(dir place.Path) bool {
	if all := j.write.catchAll; all != nil && all.Verdict == Allow && dir.Inside {
		return true
	}
	return slices.ContainsFunc(j.write.patterns, func(p pathRule) bool { return p.Verdict == Allow && p.AllowsBelow(dir) })
}

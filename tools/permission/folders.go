package permission

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/reach"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// A rule is meant for the workspace root. After cd its words name other files, and a
// program that does what files of its folder say does what others say. If the model may
// write those files, the rule does not cover the command.

// isForeign reports whether a rule that covers a part was not meant for the part's folder.
func (j shellJudge) isForeign(u *reach.Part, p bashPattern) bool {
	if p.folder != "" {
		want, err := j.roots.Resolve(j.roots.Start(), p.folder)
		return err != nil || u.At.Lost || slices.ContainsFunc(u.At.Dirs, func(dir string) bool { return dir != want.Canonical })
	}
	if len(u.Words) == 0 {
		return false
	}
	root, err := j.roots.Resolve(j.roots.Start(), ".")
	if err != nil {
		return true
	}
	for _, dir := range u.At.Dirs {
		at, err := j.roots.Resolve("/", dir)
		switch {
		case err != nil:
			return true
		case at.Canonical == root.Canonical && !u.At.Lost:
		case program.Named(u.Name).ReadsFolder:
			if (u.At.Lost || j.opens(at)) && j.write.judge(place.Within(root)).verdict != Allow {
				return true
			}
		case !program.IsReader(u.Words) && slices.ContainsFunc(u.Words, func(x word.Word) bool { return j.namesAnother(x, dir, p) }):
			return true
		}
	}
	return false
}

// opens reports whether the write rules allow some file in a folder.
func (j shellJudge) opens(dir place.Path) bool {
	if all := j.write.catchAll; all != nil && all.Verdict == Allow && dir.Inside {
		return true
	}
	return slices.ContainsFunc(j.write.patterns, func(p pathRule) bool { return p.verdict == Allow && p.AllowsBelow(dir) })
}

// namesFile reports whether the text is a word of the pattern, or matches one with a
// folder in it.
func (p bashPattern) namesFile(text string) bool {
	return slices.ContainsFunc(p.words, func(w patternWord) bool {
		return w.atoms == nil && w.text == text || strings.Contains(w.prefix, "/") && w.matches(text, false)
	})
}

// namesAnother reports whether a word that a rule spells names a file in a folder which
// the model may write, while it may not write the one that the rule meant.
func (j shellJudge) namesAnother(x word.Word, dir string, p bashPattern) bool {
	if x.Kind != word.Static || x.IsOption() || !strings.ContainsAny(x.Text, "/.") || !p.namesFile(x.Text) {
		return false
	}
	there, err := j.roots.Resolve(dir, x.Text)
	if err != nil || j.write.judge(there).verdict != Allow {
		return err != nil
	}
	meant, err := j.roots.Resolve(j.roots.Start(), x.Text)
	return err != nil || j.write.judge(meant).verdict != Allow
}

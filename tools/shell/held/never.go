package held

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
)

// never says why a change can't land whatever the rules are, or "". Paths are
// compared without case: a file system may have none.
func (c Change) never(git bool, protected []string) string {
	rel := strings.ToLower(c.Rel)
	if slices.Contains(strings.Split(rel, "/"), ".flow") {
		return "what is in .flow never changes"
	}
	if slices.ContainsFunc(protected, func(p string) bool { return folder.Holds(p, c.Path) }) {
		return "it belongs to the run, and never changes"
	}
	if gitSegment(c.Rel) < 0 {
		return ""
	}
	segments := strings.Split(rel, "/")
	own := segments[gitSegment(c.Rel)+1:]
	switch {
	case !gitMayWrite(own, c.Folder):
		return "git's configuration, hooks and links never change"
	case !git:
		return "what is in .git changes by commands of git alone"
	}
	return ""
}

// gitSegment is the place of the segment of a path that is a repository's own
// folder, or -1.
func gitSegment(rel string) int {
	return slices.IndexFunc(strings.Split(rel, "/"), func(segment string) bool {
		segment = strings.ToLower(segment)
		return segment == ".git" || segment == "git~1"
	})
}

// gitMayWrite reports whether a path below .git is one that git's ordinary work
// changes, and that names no program. It is in lower case.
func gitMayWrite(own []string, isFolder bool) bool {
	if len(own) == 0 {
		return false // the folder itself, or a file in its place
	}
	switch own[0] {
	case "objects":
		return len(own) < 3 || own[1] != "info" || !strings.Contains(own[2], "alternates")
	case "refs", "logs", "rebase-merge", "rebase-apply", "sequencer", "rr-cache":
		return true
	case "modules", "worktrees": // <name>/… as in .git; a module's name may hold slashes
		return len(own) == 2 && isFolder || len(own) > 2 && gitMayWrite(own[2:], isFolder) && !slices.Contains(own, "hooks")
	case "head", "orig_head", "fetch_head", "merge_head", "merge_msg", "merge_mode", "merge_rr", "auto_merge", "cherry_pick_head", "revert_head",
		"rebase_head", "squash_msg", "commit_editmsg", "tag_editmsg", "packed-refs", "index", "shallow", "gc.log", "description":
		return len(own) == 1 && !isFolder
	}
	return len(own) == 1 && strings.HasPrefix(own[0], "bisect_")
}

// leadsOut reports where a link leads, cleaned, and whether that is outside of the
// root.
func (c Change) leadsOut() (target string, out bool) {
	target = c.Link
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(c.Path), target)
	}
	target = filepath.Clean(target)
	return target, !folder.Holds(c.root, target)
}

// badLink says why a link can't land, or "": one to a secret, or out of the root
// into the system. Nothing is written by way of a link: a tool follows it first,
// and judges what it leads to. Hides reports whether a path of the workspace is hidden
// from commands, or any is.
func (c Change) badLink(secrets []string, hides func(path string) bool) string {
	target, out := c.leadsOut()
	if target == "/dev/null" {
		return ""
	}
	if climbs(c.Link) {
		return "the link leads through a folder and out of it again"
	}
	for _, system := range []string{"/proc", "/dev", "/sys"} {
		if out && folder.Holds(system, target) {
			return "the link leads to " + system
		}
	}
	around := out && folder.Holds(target, c.root)
	if hides(target) || around && hides(c.root) ||
		slices.ContainsFunc(secrets, func(s string) bool { return folder.Holds(s, target) || out && folder.Holds(target, s) }) {
		return "the link leads to a secret"
	}
	if out && target == "/" {
		return "the link leads to the root of the system"
	}
	return ""
}

// climbs reports whether a link has a .. behind a name: where that leads is not
// known from its text, if the name is one of a link.
func climbs(link string) bool {
	named := false
	for segment := range strings.SplitSeq(link, "/") {
		switch segment {
		case "", ".":
		case "..":
			if named {
				return true
			}
		default:
			named = true
		}
	}
	return false
}

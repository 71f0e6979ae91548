package held

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// gitFile is a file or a folder of git's own.
type gitFile struct {
	own    []string // its path from the git directory, in lower case
	shared bool     // the directory is that of several working trees
	other  bool     // it belongs to a working tree outside of the folders that the command may change
}

// isIndex reports whether it is the index of a working tree, also of a submodule or a linked one.
func (g gitFile) isIndex() bool { return isIndex(g.own) }

func isIndex(own []string) bool {
	switch {
	case len(own) == 0:
		return false
	case own[0] == "modules" || own[0] == "worktrees":
		return len(own) > 2 && isIndex(own[2:])
	}
	return len(own) == 1 && own[0] == "index"
}

// never returns why a change can't land whatever the rules are, or "". Case makes no
// difference, because it makes none in some file systems.
func (c Change) never(call Call, o SpaceOptions) string {
	if slices.Contains(strings.Split(strings.ToLower(c.Rel), "/"), ".flow") {
		return "what is in .flow never changes"
	}
	if paths.AnyHolds(o.Protected, c.Path) {
		return paths.WhyProtected(c.Path, paths.AnyHolds(o.Hooks, c.Path))
	}
	switch {
	case c.outside:
		return "it is outside of the workspace"
	case c.git == nil || o.Disposable:
		return ""
	case !gitMayWrite(c.git.own, c.Folder) || c.Link != "":
		return "git's configuration, hooks and links never change"
	case c.git.other || c.git.shared && !isShared(c.git.own):
		return "it belongs to another working tree"
	case call.Git && call.Prints:
		return "no command of git in it changes the repository"
	case !call.Git:
		return "git changes it only in a command without other programs, such as tests: run git in a command of its own"
	}
	return ""
}

// gitSegment returns the index of the path segment that is the .git of a repository, or -1.
func gitSegment(rel string) int {
	return slices.IndexFunc(strings.Split(rel, "/"), known.IsGitFolder)
}

// gitMayWrite reports whether git changes a path in .git in the course of ordinary work,
// and the file names no program. own are its segments, in lower case.
func gitMayWrite(own []string, isFolder bool) bool {
	if len(own) == 0 {
		return false // the folder itself, or a file in its place
	}
	switch own[0] {
	case "objects":
		return len(own) < 3 || own[1] != "info" || !strings.Contains(own[2], "alternates")
	case "refs", "logs", "rebase-merge", "rebase-apply", "sequencer", "rr-cache":
		return true
	case "modules", "worktrees": // <name>/… as in .git; a module's name may hold slashes, so x/refs/config is that of x/refs, too
		return len(own) == 2 && isFolder || len(own) > 2 && gitMayWrite(own[2:], isFolder) && !slices.ContainsFunc(own, known.ConfiguresGit)
	case "head", "orig_head", "fetch_head", "merge_head", "merge_msg", "merge_mode", "merge_rr", "auto_merge", "cherry_pick_head", "revert_head",
		"rebase_head", "squash_msg", "commit_editmsg", "tag_editmsg", "packed-refs", "index", "shallow", "gc.log", "description":
		return len(own) == 1 && !isFolder
	}
	return len(own) == 1 && strings.HasPrefix(own[0], "bisect_")
}

// isShared reports whether a path in the git directory of several working trees belongs to
// all of them.
func isShared(own []string) bool {
	switch own[0] {
	case "objects", "packed-refs":
		return true
	case "refs":
		return len(own) < 2 || own[1] != "bisect" && own[1] != "worktree" && own[1] != "rewritten"
	case "logs":
		return len(own) < 2 || own[1] == "refs" && isShared(own[1:])
	}
	return false
}

// leadsOut returns the target of a symlink, cleaned, and whether it is outside of the root.
func (c Change) leadsOut() (target string, out bool) {
	target = c.Link
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(c.Path), target)
	}
	target = filepath.Clean(target)
	return target, !paths.Holds(c.Root, target)
}

// badLink returns why a symlink can't land, or "": it leads to a secret, or to the kernel's
// files. Other targets are fine, because tools resolve a link before they judge it. hides
// reports whether a path of the workspace, or for its root any path, is hidden from
// commands.
func (c Change) badLink(secrets []string, hides func(path string) bool) string {
	target, out := c.leadsOut()
	if target == "/dev/null" {
		return ""
	}
	if climbs(c.Link) {
		return "the link leads through a folder and out of it again"
	}
	for _, system := range []string{"/proc", "/dev", "/sys"} {
		if out && paths.Holds(system, target) {
			return "the link leads to " + system
		}
	}
	around := out && paths.Holds(target, c.Root)
	if hides(target) || around && hides(c.Root) ||
		slices.ContainsFunc(secrets, func(s string) bool { return paths.Holds(s, target) || out && paths.Holds(target, s) }) {
		return "the link leads to a secret"
	}
	if out && target == "/" {
		return "the link leads to the root of the system"
	}
	return ""
}

// climbs reports whether the target of a link has a ".." after a name. The text does not
// say where that leads, because the name may be a symlink.
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

package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// gitPorcelain are the subcommands of git that a wildcard of a rule covers. A rule has to
// spell any other: it may be a program of its own, an alias of the user, or plumbing that
// writes where git keeps what it runs.
var gitPorcelain = []string{
	"add", "archive", "blame", "branch", "cat-file", "check-attr", "check-ignore", "check-mailmap", "checkout", "checkout-index", "cherry",
	"cherry-pick", "clean", "clone", "commit", "count-objects", "describe", "diff", "diff-files", "diff-index", "diff-tree",
	"fetch", "for-each-ref", "format-patch", "gc", "grep", "hash-object", "init", "log", "ls-files", "ls-remote", "ls-tree",
	"merge", "merge-base", "mv", "name-rev", "pull", "push", "range-diff", "rebase", "reflog", "remote", "reset",
	"restore", "rev-list", "rev-parse", "revert", "rm", "shortlog", "show", "show-branch", "show-ref", "stash",
	"status", "switch", "symbolic-ref", "tag", "verify-commit", "verify-tag", "version", "whatchanged",
}

// gitBefore are the risky options before git's subcommand.
var gitBefore = RiskyOptions{
	Short: "cCp",
	Long:  "--paginate --config-env --exec-path --git-dir --work-tree --namespace",
}

// gitAfter returns the risky options after a subcommand.
func gitAfter(subcommand string) RiskyOptions {
	g := RiskyOptions{
		Long: "--output --ext-diff --textconv --upload-pack --receive-pack --exec --open-files-in-pager " +
			"--no-index --config --template --separate-git-dir --unsafe-paths --export-marks --import-marks " +
			"--strategy --pathspec-from-file",
		Fine: "--text --strategy-option",
	}
	switch subcommand {
	case "grep":
		g.Short, g.Valued = "Of", "eABCm"
	case "rebase":
		g.Short, g.Valued = "xs", "XC"
	case "merge", "pull":
		g.Short, g.Valued = "s", "XmFSjo"
	case "clone":
		g.Short, g.Valued = "uc", "objr"
	case "format-patch":
		g.Short, g.Long = "o", g.Long+" --output-directory"
	case "archive":
		g.Short, g.Long = "o", g.Long+" --remote"
	case "checkout-index":
		g.Long += " --prefix --temp"
	case "hash-object":
		g.Short, g.Valued = "w", "t"
	case "branch":
		g.Long += " --edit-description"
	}
	return g
}

// GitSubcommand returns the index of git's subcommand, or len(words) when there is none.
// known is false when a word before it is not known.
func GitSubcommand(words []word.Word) (at int, known bool) {
	for i := 1; i < len(words); i++ {
		w := words[i]
		if w.Kind != word.Static {
			return i, false
		}
		if !strings.HasPrefix(w.Text, "-") {
			return i, true
		}
		switch w.Text {
		case "-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source":
			if i++; i < len(words) && words[i].Unknown() {
				return i, false
			}
		}
	}
	return len(words), true
}

// gitChanges are the subcommands of git that change git's own files, whatever their options
// are; gitSelects are the options with which branch and tag only list.
const (
	gitChanges list = "add am bisect checkout cherry-pick commit fetch gc merge mv pull push rebase reset restore revert rm switch"
	gitSelects list = "-l --list --contains --no-contains --merged --no-merged --points-at --sort --format -n"
)

// GitChange returns git's subcommand if it certainly changes git's own files, such as the
// index, or else "".
func GitChange(words []word.Word) string {
	at, known := GitSubcommand(words)
	if !known || at == len(words) {
		return ""
	}
	name, after := words[at].Text, words[at+1:]
	changes := gitChanges.has(name)
	switch name {
	case "branch", "tag":
		changes = slices.ContainsFunc(after, func(w word.Word) bool { return !w.IsOption() }) &&
			!slices.ContainsFunc(after, func(w word.Word) bool { return gitSelects.has(w.Text) })
	case "stash":
		changes = len(after) == 0 || !after[0].Is("list") && !after[0].Is("show")
	}
	if !changes {
		return ""
	}
	return name
}

func gitRisks(words []word.Word) []Risk {
	sub, known := GitSubcommand(words)
	risks := gitBefore.Risks(words, 1, sub)
	if !known {
		risks = append(risks, Unspellable("git's subcommand is not known before it runs"))
	}
	if sub == len(words) {
		return append(risks, globRisks(words)...)
	}
	name := words[sub].Text
	if !slices.Contains(gitPorcelain, name) && !(name == "worktree" && sub+1 < len(words) && words[sub+1].Is("list")) {
		risks = append(risks, Risk{At: sub, Names: []string{name}, Why: "git " + name + " is guarded"})
	}
	risks = append(risks, gitAfter(strings.ToLower(name)).Risks(words, sub+1, len(words))...)
	if slices.Contains([]string{"clone", "fetch", "ls-remote", "pull", "push", "remote"}, name) {
		risks = append(risks, helperRisks(words)...)
	}
	return append(risks, globRisks(words)...)
}

// GitForm returns a git command without the options before its subcommand.
func GitForm(name word.Word, words []word.Word) Form {
	sub, known := GitSubcommand(words)
	if !known {
		return Form{name, []word.Word{{Kind: word.Spread}}}
	}
	return Form{name, words[sub:]}
}

// helperRisks finds addresses of repositories for which git runs a helper program: any
// command for ext::, git-remote-hg for hg::.
var helperRisks = eachWord(func(x word.Word) (why string, names []string) {
	helper, _, is := strings.Cut(x.Text, "::")
	if is && strings.Trim(strings.ToLower(helper), letters+"0123456789+-.") == "" {
		why = "the helper of git " + helper + ":: is guarded"
	}
	return why, []string{helper + "::"}
})

package permission

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// gitPorcelain are the subcommands of git that a wildcard of a rule covers. Any
// other one may be a program of its own, an alias of the user's, or plumbing that
// writes where git keeps what it runs: a rule has to spell it.
var gitPorcelain = []string{
	"add", "archive", "blame", "branch", "cat-file", "check-attr", "check-ignore", "check-mailmap", "checkout", "checkout-index", "cherry",
	"cherry-pick", "clean", "clone", "commit", "count-objects", "describe", "diff", "diff-files", "diff-index", "diff-tree",
	"fetch", "for-each-ref", "format-patch", "gc", "grep", "hash-object", "init", "log", "ls-files", "ls-remote", "ls-tree",
	"merge", "merge-base", "mv", "name-rev", "pull", "push", "range-diff", "rebase", "reflog", "remote", "reset",
	"restore", "rev-list", "rev-parse", "revert", "rm", "shortlog", "show", "show-branch", "show-ref", "stash",
	"status", "switch", "symbolic-ref", "tag", "verify-commit", "verify-tag", "version", "whatchanged",
}

// gitBefore guards what stands before git's subcommand.
var gitBefore = riskyOptions{
	short: "cCp",
	long:  []string{"--paginate", "--config-env", "--exec-path", "--git-dir", "--work-tree", "--namespace"},
}

// gitAfter guards the options of all subcommands.
func gitAfter(subcommand string) riskyOptions {
	g := riskyOptions{
		long: []string{
			"--output", "--ext-diff", "--textconv", "--upload-pack", "--receive-pack", "--exec", "--open-files-in-pager",
			"--no-index", "--config", "--template", "--separate-git-dir", "--unsafe-paths", "--export-marks", "--import-marks",
			"--strategy", "--pathspec-from-file",
		},
		fine: []string{"--text", "--strategy-option"},
	}
	switch subcommand {
	case "grep":
		g.short, g.valued = "Of", "eABCm"
	case "rebase":
		g.short, g.valued = "xs", "XC"
	case "merge", "pull":
		g.short, g.valued = "s", "XmFSjo"
	case "clone":
		g.short, g.valued = "uc", "objr"
	case "format-patch":
		g.short, g.long = "o", append(g.long, "--output-directory")
	case "archive":
		g.short, g.long = "o", append(g.long, "--remote")
	case "checkout-index":
		g.long = append(g.long, "--prefix", "--temp")
	case "hash-object":
		g.short, g.valued = "w", "t"
	case "branch":
		g.long = append(g.long, "--edit-description")
	}
	return g
}

// gitSubcommand returns where git's subcommand stands, or len(words) when there
// is none. known is false when a word before it is not known.
func gitSubcommand(words []word) (at int, known bool) {
	for i := 1; i < len(words); i++ {
		w := words[i]
		if w.kind != static {
			return i, false
		}
		if !strings.HasPrefix(w.text, "-") {
			return i, true
		}
		switch w.text {
		case "-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source":
			if i++; i < len(words) && words[i].unknown() {
				return i, false
			}
		}
	}
	return len(words), true
}

func gitRisks(words []word) []risk {
	sub, known := gitSubcommand(words)
	risks := gitBefore.risks(words, 1, sub)
	if !known {
		risks = append(risks, unspellable("git's subcommand is not known before it runs"))
	}
	if sub == len(words) {
		return append(risks, globRisks(words)...)
	}
	name := words[sub].text
	if !slices.Contains(gitPorcelain, name) && !(name == "worktree" && sub+1 < len(words) && words[sub+1].is("list")) {
		risks = append(risks, risk{at: sub, names: []string{name}, why: "git " + name + " is guarded"})
	}
	risks = append(risks, gitAfter(strings.ToLower(name)).risks(words, sub+1, len(words))...)
	return append(risks, globRisks(words)...)
}

// gitForm returns a git command without what stands before its subcommand.
func gitForm(name word, words []word) form {
	sub, known := gitSubcommand(words)
	if !known {
		return form{name, []word{{kind: spread}}}
	}
	return form{name, words[sub:]}
}

// gitWrites returns the words of git that name files which it writes or takes
// away in the folder that it works on. What a whole branch brings or takes is
// named by no word.
func (w *walker) gitWrites(words []word, at cwd) []word {
	sub, known := gitSubcommand(words)
	if !known || sub == len(words) || words[sub].kind != static {
		return nil
	}
	operands, _ := splitOperands(words[sub:], false)
	switch words[sub].text {
	case "clone", "init":
		return clonedInto(words)
	case "mv", "restore":
		return operands
	case "rm":
		if slices.ContainsFunc(words[sub:], func(x word) bool { return x.is("--cached") }) {
			return nil
		}
		return operands
	case "clean":
		if len(operands) == 0 && !slices.ContainsFunc(words[sub:], isDryRun) {
			return []word{staticWord(".")}
		}
		return operands
	case "checkout":
		if i := slices.IndexFunc(words, func(x word) bool { return x.is("--") }); i >= 0 {
			return words[i+1:]
		}
		if slices.ContainsFunc(words[sub:], func(x word) bool { return x.is("-b") || x.is("-B") || x.is("--orphan") }) {
			return nil
		}
		var files []word
		for i, x := range operands {
			if i > 0 || x.kind == static && w.exists(x, at) {
				files = append(files, x)
			}
		}
		return files
	case "format-patch":
		if slices.ContainsFunc(words[sub:], func(x word) bool { return x.is("--stdout") }) {
			return nil
		}
		return []word{staticWord("./0001-x.patch")}
	}
	return nil
}

// exists reports whether a word names something that is there.
func (w *walker) exists(x word, at cwd) bool {
	return slices.ContainsFunc(w.placesOf(literalPath(x), at), func(p place.Path) bool { return p.Info != nil })
}

func isDryRun(x word) bool {
	return x.is("--dry-run") || x.isOption() && !strings.HasPrefix(x.text, "--") && strings.Contains(x.text, "n")
}

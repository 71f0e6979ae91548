package permission

import "strings"

// onlyReads reports whether a part of a command changes nothing.
func (u *unit) onlyReads() bool {
	if u.never != "" || len(u.writes) > 0 || len(u.guards()) > 0 {
		return false
	}
	if u.free || len(u.words) == 0 && u.exempt {
		return true
	}
	return len(u.words) > 0 && u.words[0].is(u.name) && isReader(u.words)
}

// isReader reports whether a program only reads, with any options that are not
// guarded.
func isReader(words []word) bool {
	switch words[0].text {
	case ":", "true", "false", "test", "[", "[[", "exit", "break", "continue", "set", "cd",
		"echo", "printf", "seq", "sleep", "basename", "dirname", "pwd", "command", "xargs", "env",
		"ls", "cat", "head", "tail", "wc", "sort", "uniq", "cut", "tr", "nl", "tac", "rev", "fold", "paste", "column",
		"grep", "egrep", "fgrep", "rg", "find", "fd", "sed", "awk", "gawk", "mawk", "nawk",
		"diff", "cmp", "comm", "stat", "file", "du", "df", "readlink", "realpath", "strings", "od", "hexdump",
		"md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "base64", "jq",
		"which", "whoami", "id", "uname", "nproc":
		return true
	case "git":
		return isGitReader(words)
	case "go":
		return len(words) > 1 && (words[1].is("version") || words[1].is("doc"))
	case "date":
		for _, w := range words[1:] {
			if !strings.HasPrefix(w.text, "+") && !w.is("-u") {
				return false
			}
		}
		return true
	}
	return false
}

func isGitReader(words []word) bool {
	if len(words) < 2 || words[1].kind != static {
		return false
	}
	switch words[1].text {
	case "log", "diff", "show", "status", "ls-files", "ls-tree", "rev-parse", "rev-list", "grep", "blame", "cat-file",
		"describe", "shortlog", "merge-base", "name-rev":
		return true
	}
	return false
}

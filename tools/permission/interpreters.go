package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// commandRisks finds that a program may take each of its words, or what is in the file
// that one names, for commands to run.
func commandRisks(words []word) (out []risk) {
	for i := range words[1:] {
		out = append(out, risk{at: i + 1, why: words[0].text + " runs what its words say"})
	}
	return out
}

// sqlRisks finds what has sqlite3 run programs, and read and write files: commands that
// begin with a dot, but for those that only show, and functions.
func sqlRisks(words []word) (out []risk) {
	for i, x := range words[1:] {
		if x.kind != static || !isPlainSQL(x.text) {
			out = append(out, risk{at: i + 1, why: "what sqlite3 is told (" + x.text + ") is guarded"})
		}
	}
	return out
}

// plainDots are the commands of sqlite3 that change how results look, or show what is
// in a database.
var plainDots = list(".databases .dump .fullschema .headers .help .indexes .mode .nullvalue .schema .separator .show .stats .tables .timeout .timer .width")

func isPlainSQL(text string) bool {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) > 0 && strings.HasPrefix(fields[0], ".") && !strings.HasPrefix(fields[0], "./") && !slices.Contains(plainDots, fields[0]) {
			return false
		}
	}
	text = strings.ToLower(text)
	return !slices.ContainsFunc(list("writefile readfile load_extension edit fts3_tokenizer attach vacuum |"), func(risky string) bool {
		return strings.Contains(text, risky)
	})
}

// responseRisks finds the files of options that compilers read.
func responseRisks(words []word) (out []risk) {
	for i, x := range words[1:] {
		if strings.HasPrefix(x.text, "@") {
			out = append(out, risk{at: i + 1, names: []string{"@"}, why: "a file of options (" + x.text + ") is guarded"})
		}
	}
	return out
}

// inputRisks finds that a program runs what it is fed.
func (w *walker) inputRisks(s simple) []risk {
	if named(programName(s.words[0])).runsInput && (w.feeding > 0 || len(s.inputs)+len(s.fed) > 0) {
		return []risk{unspellable("it runs what it is fed")}
	}
	return nil
}

// feeds reports whether a redirect gives a command something to read.
func feeds(stmt *syntax.Stmt) bool {
	return slices.ContainsFunc(stmt.Redirs, func(r *syntax.Redirect) bool {
		switch r.Op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			return true
		}
		return false
	})
}

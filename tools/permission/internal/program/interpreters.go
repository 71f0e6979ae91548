package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// commandRisks finds that a program may take each of its words, or what is in the file
// that one names, for commands to run.
func commandRisks(words []word.Word) (out []Risk) {
	for i := range words[1:] {
		out = append(out, Risk{At: i + 1, Why: words[0].Text + " runs what its words say"})
	}
	return out
}

// sqlRisks finds what has sqlite3 run programs, and read and write files: commands that
// begin with a dot, but for those that only show, and functions.
func sqlRisks(words []word.Word) (out []Risk) {
	for i, x := range words[1:] {
		if x.Kind != word.Static || !isPlainSQL(x.Text) {
			out = append(out, Risk{At: i + 1, Why: "what sqlite3 is told (" + x.Text + ") is guarded"})
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
func responseRisks(words []word.Word) (out []Risk) {
	for i, x := range words[1:] {
		if strings.HasPrefix(x.Text, "@") {
			out = append(out, Risk{At: i + 1, Names: []string{"@"}, Why: "a file of options (" + x.Text + ") is guarded"})
		}
	}
	return out
}

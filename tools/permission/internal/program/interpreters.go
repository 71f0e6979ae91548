package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// commandRisks finds that a program may take each of its words, or what is in the file
// that one names, for commands to run.
var commandRisks = eachWord(func(word.Word) (why string, names []string) { return "it runs what its words say", nil })

// sqlRisks finds what has sqlite3 run programs, and read and write files: commands that
// begin with a dot, but for those that only show, and functions.
var sqlRisks = eachWord(func(x word.Word) (why string, names []string) {
	if x.Kind != word.Static || !isPlainSQL(x.Text) {
		why = "what sqlite3 is told (" + x.Text + ") is guarded"
	}
	return why, nil
})

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
var responseRisks = eachWord(func(x word.Word) (why string, names []string) {
	if strings.HasPrefix(x.Text, "@") {
		why = "a file of options (" + x.Text + ") is guarded"
	}
	return why, []string{"@"}
})

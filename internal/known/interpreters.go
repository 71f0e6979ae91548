package known

import (
	"iter"
	"path"
	"slices"
	"strings"
)

// An Interpreter is a program, or a command of the shell, that runs a text: one among its words, or
// what it reads.
type Interpreter struct {
	names   []string
	letters string   // short options before the text; they may end a cluster, as in -ne, or have it in the same word
	leading string   // such options if they stand before the first operand
	options []string // other options, and subcommands, before the text
	operand int      // which operand is the text where no option gives one, from 1; 0: none
	rest    bool     // those behind it are texts, too
	valued  string   // short options with a value that is no operand
	reads   bool     // without a text it runs what it reads
	builtin bool     // it is a command of the shell
}

var interpreters = []Interpreter{
	{names: []string{"sh", "bash", "dash", "zsh", "ksh", "ash"}, letters: "c", reads: true, valued: "oO"},
	{names: []string{"eval", "source", ".", "trap", "alias", "unset", "read", "mapfile", "readarray", "getopts"}, operand: 1, rest: true, builtin: true},
	{names: []string{"python", "guile"}, letters: "c", reads: true, valued: "WX"},
	{names: []string{"perl"}, letters: "eE", reads: true},
	{names: []string{"ruby", "lua", "luajit", "osascript", "julia", "elixir", "Rscript", "R", "groovy", "swift", "racket"}, letters: "eE", options: []string{"--eval"}, reads: true},
	{names: []string{"node", "nodejs", "deno", "bun"}, letters: "ep", options: []string{"--eval", "--print", "eval"}, reads: true},
	{names: []string{"php"}, letters: "rBRE", reads: true},
	{names: []string{"pwsh", "powershell"}, letters: "c", options: []string{"-Command", "-command"}, reads: true},
	{names: []string{"awk", "gawk", "mawk", "nawk"}, letters: "e", options: []string{"--source"}, operand: 1, valued: "Fvif"},
	{names: []string{"sed"}, letters: "e", options: []string{"--expression"}, operand: 1, valued: "fl"},
	{names: []string{"ssh"}, operand: 2, rest: true, valued: "BbcDEeFIiJLlmOopQRSWw", reads: true},
	{names: []string{"su", "runuser", "script", "flock", "sg"}, letters: "c", options: []string{"--command"}},
	{names: []string{"watch"}, operand: 1, rest: true, valued: "n"},
	{names: []string{"parallel"}, operand: 1, rest: true, valued: "nj", reads: true},
	{names: []string{"sqlite3", "duckdb"}, options: []string{"-cmd"}, operand: 2, reads: true},
	{names: []string{"psql"}, letters: "c", options: []string{"--command"}, reads: true},
	{names: []string{"mysql", "mariadb"}, letters: "e", options: []string{"--execute"}, reads: true},
	{names: []string{"vim", "nvim", "vi", "ex"}, letters: "c", options: []string{"--cmd"}},
	{names: []string{"emacs"}, options: []string{"--eval", "--execute"}},
	{names: []string{"gdb", "lldb"}, letters: "o", options: []string{"-ex"}, reads: true},
	{names: []string{"env"}, letters: "S", options: []string{"--split-string"}},
	{names: []string{"git"}, letters: "x", leading: "c", valued: "cC", options: []string{"--exec", "foreach", "--tree-filter", "--index-filter", "--msg-filter"}},
	{names: []string{"tar"}, letters: "IF", options: []string{"--to-command", "--use-compress-program", "--checkpoint-action"}},
	{names: []string{"make", "gmake"}, letters: "E", options: []string{"--eval"}},
	{names: []string{"at"}, operand: 2, reads: true},
	{names: []string{"batch", "crontab", "tclsh", "ed", "dc"}, reads: true},
}

// wrappers run the command that their words end with; the first ones, their first operand.
var wrappers = []string{
	"command", "builtin", "exec", "env", "sudo", "doas", "nohup", "setsid", "nice", "xargs", "ionice", "time", "timeout", "stdbuf", "find", "parallel", "watch", "flock",
	"chroot", "strace", "docker", "podman", "kubectl", "unshare", "nsenter", "systemd-run", "bwrap", "su", "ssh", "entr", "git", "npx", "uv", "poetry", "pipenv", "bundle", "coproc",
}

const firstOperand = 10 // wrappers that run it

// RunsFirst reports whether a program runs the command that its first operand names.
func RunsFirst(name string) bool {
	return slices.Contains(wrappers[:firstOperand], path.Base(name))
}

// Interpreters yields the interpreters in the words of a call with the index where the words of each
// begin: its first word, and behind sudo, xargs, find and the like each that names one.
func Interpreters(words []string) iter.Seq2[int, Interpreter] {
	return func(yield func(int, Interpreter) bool) {
		for i, word := range words {
			t := named(word)
			if t != nil && (i == 0 || !t.builtin || words[0] == "command" || words[0] == "builtin") && !yield(i, *t) {
				return
			}
			if !slices.Contains(wrappers, path.Base(words[0])) {
				return
			}
		}
	}
}

// named returns the interpreter with a name, which may have a path before it and a version behind it.
func named(name string) *Interpreter {
	base := path.Base(name)
	if name == "" { // it is not known
		return nil
	}
	for i, t := range interpreters {
		if slices.Contains(t.names, base) || slices.Contains(t.names, strings.TrimRight(base, "0123456789.")) {
			return &interpreters[i]
		}
	}
	return nil
}

// Runs reports whether the word at an index has a text in it that the interpreter runs. The words are
// those of its call, its name first, each as far as it is known.
func (t Interpreter) Runs(words []string, index int) bool { return t.parse(words[:index+1]).isText }

// RunsInput reports whether the interpreter runs what it reads, or what xargs adds to its words.
func (t Interpreter) RunsInput(words []string) bool {
	c := t.parse(words)
	switch {
	case !t.reads || c.expects || c.given:
		return t.reads && c.expects
	case len(c.operands) <= max(0, t.operand-1) || c.operands[0] == "-" || c.operands[0] == "/dev/stdin":
		return true
	}
	return slices.Contains(t.names, "sh") && slices.Contains(words, "-s")
}

// RunsFile reports whether the word at an index names the file that the interpreter runs.
func (t Interpreter) RunsFile(words []string, index int) bool {
	c := t.parse(words[:index+1])
	return t.reads && !c.given && !c.expects && len(c.operands) == 1
}

// A parsed call is what the words of one say.
type parsed struct {
	isText   bool // the last word has a text in it
	expects  bool // the text comes next
	given    bool // an option has given the text
	operands []string
}

func (t Interpreter) parse(words []string) (c parsed) {
	for i := 1; i < len(words); i++ {
		word := words[i]
		option, _, glued := strings.Cut(word, "=")
		c.isText = false
		switch {
		case slices.Contains(t.options, word):
			c.expects = true
		case glued && slices.Contains(t.options, option):
			c.isText, c.given = true, true
		case len(word) > 1 && word[0] == '-':
			letters := t.letters
			if len(c.operands) == 0 {
				letters += t.leading
			}
			at := strings.IndexAny(word, letters)
			if last := len(word) - 1; strings.IndexByte(letters, word[last]) >= 0 && isLetters(word[1:]) {
				at = last
			}
			switch {
			case at > 0 && word[1] != '-' && isLetters(word[1:at]):
				c.expects = at == len(word)-1
				c.isText, c.given = !c.expects, !c.expects
			case len(word) == 2 && strings.Contains(t.valued, word[1:]):
				i++
			}
		case c.expects:
			c.isText, c.given, c.expects = true, true, false
		default:
			c.operands = append(c.operands, word)
			n := len(c.operands)
			c.isText = !c.given && t.operand > 0 && (n == t.operand || t.rest && n > t.operand)
		}
	}
	return c
}

func isLetters(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') })
}

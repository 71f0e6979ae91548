package shell

import (
	"path"
	"slices"
	"strings"
)

// An interpreter is a program that runs a program text among its arguments.
type interpreter struct {
	names   []string
	letters string   // short options whose value is the text; they may end a cluster, as in -ne
	leading string   // short options whose value is the text, if they stand before the first operand
	options []string // other options and subcommands before the text
	first   int      // the operand that is the text where no option gives one, from 1; 0: none
	rest    bool     // all operands behind that one are texts, too
	valued  string   // short options with a value that is no operand
	input   bool     // without a text it runs what it reads
}

var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "ash"}

var interpreters = []interpreter{
	{names: shells, letters: "c", input: true, valued: "oO"},
	{names: []string{"python", "guile"}, letters: "c", input: true, valued: "WX"},
	{names: []string{"perl"}, letters: "eE", input: true},
	{names: []string{"ruby", "lua", "luajit", "osascript", "julia", "elixir", "Rscript", "R", "groovy", "swift", "racket"}, letters: "eE", options: []string{"--eval"}, input: true},
	{names: []string{"node", "nodejs", "deno", "bun"}, letters: "ep", options: []string{"--eval", "--print", "eval"}, input: true},
	{names: []string{"php"}, letters: "rBRE", input: true},
	{names: []string{"pwsh", "powershell"}, letters: "c", options: []string{"-Command", "-command"}, input: true},
	{names: []string{"awk", "gawk", "mawk", "nawk"}, letters: "e", options: []string{"--source"}, first: 1, valued: "Fvif"},
	{names: []string{"sed"}, letters: "e", options: []string{"--expression"}, first: 1, valued: "fl"},
	{names: []string{"ssh"}, first: 2, rest: true, valued: "BbcDEeFIiJLlmOopQRSWw", input: true},
	{names: []string{"su", "runuser", "script", "flock", "sg"}, letters: "c", options: []string{"--command"}},
	{names: []string{"watch"}, first: 1, rest: true, valued: "n"},
	{names: []string{"parallel"}, first: 1, rest: true, valued: "nj", input: true},
	{names: []string{"sqlite3", "duckdb"}, options: []string{"-cmd"}, first: 2, input: true},
	{names: []string{"psql"}, letters: "c", options: []string{"--command"}, input: true},
	{names: []string{"mysql", "mariadb"}, letters: "e", options: []string{"--execute"}, input: true},
	{names: []string{"vim", "nvim", "vi", "ex"}, letters: "c", options: []string{"--cmd"}},
	{names: []string{"emacs"}, options: []string{"--eval", "--execute"}},
	{names: []string{"gdb", "lldb"}, letters: "o", options: []string{"-ex"}, input: true},
	{names: []string{"env"}, letters: "S", options: []string{"--split-string"}},
	{names: []string{"git"}, letters: "x", leading: "c", valued: "cC", options: []string{"--exec", "foreach", "--tree-filter", "--index-filter", "--msg-filter"}},
	{names: []string{"tar"}, letters: "IF", options: []string{"--to-command", "--use-compress-program", "--checkpoint-action"}},
	{names: []string{"at"}, first: 2, input: true},
	{names: []string{"batch", "crontab", "tclsh", "ed", "dc"}, input: true},
}

// wrappers run the command that their words end with.
var wrappers = []string{
	"command", "builtin", "exec", "env", "sudo", "doas", "nohup", "setsid", "nice", "ionice", "xargs", "time", "timeout", "stdbuf", "find", "parallel", "watch", "flock",
	"chroot", "strace", "docker", "podman", "kubectl", "unshare", "nsenter", "systemd-run", "bwrap", "su", "ssh", "entr", "git", "npx", "uv", "poetry", "pipenv", "bundle", "coproc",
}

// setters take NAME=value before the command that they run.
var setters = []string{"env", "sudo", "doas"}

// plainWrappers run their first operand.
var plainWrappers = []string{"command", "builtin", "exec", "env", "sudo", "doas", "nohup", "setsid", "nice", "xargs"}

// interpretersCalled returns the interpreters with a name, which may have a path before it
// and a version behind it.
func interpretersCalled(name string) (all []interpreter) {
	base := path.Base(name)
	if cut := strings.TrimRight(base, "0123456789."); cut != "" && cut != base && base != "sqlite3" {
		base = cut
	}
	for _, i := range interpreters {
		if name != "" && slices.Contains(i.names, base) {
			all = append(all, i)
		}
	}
	return all
}

// isShell reports whether a command is a shell.
func isShell(name string) bool { return slices.Contains(shells, path.Base(name)) }

// commandsIn returns the indexes of the words of a call where a command begins: the first
// word, and behind a wrapper each word that names an interpreter.
func commandsIn(words []string) []int {
	starts := []int{0}
	if !slices.Contains(wrappers, path.Base(words[0])) {
		return starts
	}
	for i := 1; i < len(words); i++ {
		if len(interpretersCalled(words[i])) > 0 || slices.Contains(wrappers[:2], words[0]) && slices.Contains(codeCommands(), words[i]) {
			starts = append(starts, i)
		}
	}
	return starts
}

// takesProgram reports whether the word at an index is a program text, or an option with
// one in the same word. begins are the beginnings of the words of the call.
func (t interpreter) takesProgram(begins []string, index int) bool {
	option := begins[index-1]
	leads := len(option) == 2 && option[0] == '-' && strings.Contains(t.leading, option[1:]) && len(t.operands(begins[1:index-1])) == 0
	if leads || t.isOption(option) {
		return true
	}
	if word := begins[index]; strings.HasPrefix(word, "-") {
		option, _, glued := strings.Cut(word, "=")
		return glued && slices.Contains(t.options, option) || t.glued(word)
	}
	if t.first == 0 || t.takesWord(begins[index-1]) || slices.ContainsFunc(begins[1:index], t.isOption) {
		return false
	}
	operand := 1 + len(t.operands(begins[1:index]))
	return operand == t.first || t.rest && operand > t.first
}

// isOption reports whether the word behind this one is a program text.
func (t interpreter) isOption(word string) bool {
	if slices.Contains(t.options, word) {
		return true
	}
	return len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.ContainsAny(word[len(word)-1:], t.letters) && isLetters(word[1:])
}

// glued reports whether an option has its program text in the same word: -es/a/b/.
func (t interpreter) glued(word string) bool {
	at := strings.IndexAny(word, t.letters)
	return at > 0 && word[1] != '-' && isLetters(word[1:at])
}

func isLetters(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') })
}

// operands returns the words that are neither options nor their values.
func (t interpreter) operands(words []string) (all []string) {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case t.takesWord(w):
			i++
		case strings.HasPrefix(w, "-") && w != "-":
		default:
			all = append(all, w)
		}
	}
	return all
}

// takesWord reports whether the word behind an option is its value.
func (t interpreter) takesWord(option string) bool {
	return len(option) == 2 && option[0] == '-' && strings.Contains(t.valued, option[1:])
}

// runsInput reports whether a call of these words runs what it reads.
func (t interpreter) runsInput(words []string) bool {
	if !t.input {
		return false
	}
	if at := slices.IndexFunc(words, t.isOption); at >= 0 {
		return at == len(words)-1 // xargs adds what it reads
	}
	operands := t.operands(words[1:])
	return len(operands) <= max(0, t.first-1) || operands[0] == "-" || operands[0] == "/dev/stdin" ||
		slices.Contains(t.names, "sh") && slices.Contains(words, "-s")
}

package program

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// sedRisks finds every script of sed but a plain one: a print, delete or quit
// of some lines, or one substitution.
func sedRisks(words []word.Word) (out []Risk) {
	scripts, known := SedScripts(words)
	if !known {
		out = append(out, Unspellable("the options of sed cannot be read"))
	}
	for _, i := range scripts {
		text := words[i].Text
		if value, ok := strings.CutPrefix(text, "--"); ok && strings.Contains(value, "=") {
			_, text, _ = strings.Cut(value, "=")
		} else if strings.HasPrefix(text, "-") && strings.Contains(text, "e") {
			_, text, _ = strings.Cut(text, "e")
		}
		if words[i].Kind != word.Static || !IsPlainSed(text) {
			out = append(out, Risk{At: i, Why: "the sed script " + words[i].Text + " is guarded"})
		}
	}
	return out
}

// SedScripts returns which words of sed hold scripts.
func SedScripts(words []word.Word) (scripts []int, known bool) {
	first := 0 // the first operand
	options := true
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case options && w.Is("--"):
			options = false
		case !options || !w.IsOption() || w.Text == "-":
			if first == 0 {
				first = i
			}
		default:
			n, script := sedOption(w.Text)
			if n == 0 || i+n-1 >= len(words) {
				return scripts, false
			}
			i += n - 1
			if script {
				scripts = append(scripts, i)
			}
		}
	}
	if len(scripts) == 0 && first > 0 {
		scripts = append(scripts, first)
	}
	return scripts, true
}

// sedOption returns how many words an option of sed takes (0: not known) and
// whether the last of them holds a script.
func sedOption(text string) (n int, script bool) {
	if strings.HasPrefix(text, "--") {
		name, _, glued := strings.Cut(text, "=")
		switch {
		case len(name) > 4 && strings.HasPrefix("--expression", name):
			if glued {
				return 1, true
			}
			return 2, true
		case name == "--quiet", name == "--silent", name == "--regexp-extended", name == "--separate", name == "--unbuffered",
			name == "--null-data", name == "--posix", name == "--sandbox", name == "--debug":
			return 1, false
		case name == "--line-length" && glued:
			return 1, false
		}
		return 0, false
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case 'n', 'E', 'r', 's', 'u', 'z', 'i', 'f': // i and f are guarded by the table
		case 'e', 'l':
			if i == len(text)-1 {
				return 2, text[i] == 'e'
			}
			return 1, text[i] == 'e'
		default:
			return 0, false
		}
	}
	return 1, false
}

// IsPlainSed reports whether a script is made of commands that each are
// [addr[,addr]][!] and one of p d q =, or one s with plain flags, with ; between
// them.
func IsPlainSed(script string) bool {
	if strings.ContainsAny(script, "\n\x00") {
		return false
	}
	for {
		rest, ok := plainSedCommand(script)
		if !ok || rest == "" {
			return ok
		}
		if script, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), ";"); !ok {
			return false
		}
		if script = strings.TrimLeft(script, " "); script == "" {
			return true
		}
	}
}

// plainSedCommand cuts one command off that neither runs nor writes.
func plainSedCommand(script string) (rest string, ok bool) {
	rest, ok = sedAddress(script)
	if !ok {
		return script, false
	}
	if len(rest) < len(script) {
		if second, more := strings.CutPrefix(rest, ","); more {
			after, ok := sedAddress(second)
			if !ok || len(after) == len(second) {
				return script, false
			}
			rest = after
		}
	}
	rest = strings.TrimPrefix(rest, "!")
	if rest != "" && strings.IndexByte("pdq=", rest[0]) >= 0 {
		return rest[1:], true
	}
	return cutSubstitution(rest)
}

// sedAddress cuts one address off, if there is one.
func sedAddress(s string) (rest string, ok bool) {
	switch {
	case s == "":
		return s, true
	case s[0] == '$':
		return s[1:], true
	case s[0] == '/':
		end := closing(s[1:], '/')
		if end < 0 {
			return s, false
		}
		return s[1+end+1:], true
	}
	return strings.TrimLeft(s, "0123456789"), true
}

// cutSubstitution cuts an s off that has a usual delimiter and flags that neither
// run nor write.
func cutSubstitution(s string) (rest string, ok bool) {
	if len(s) < 2 || s[0] != 's' || strings.IndexByte("/|#,", s[1]) < 0 {
		return s, false
	}
	delimiter := s[1]
	rest = s[2:]
	for range 2 {
		end := closing(rest, delimiter)
		if end < 0 {
			return s, false
		}
		rest = rest[end+1:]
	}
	return strings.TrimLeft(rest, "gpiI0123456789"), true
}

// closing returns where an unescaped delimiter stands.
func closing(s string, delimiter byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case delimiter:
			return i
		}
	}
	return -1
}

// AwkRisks finds a program that runs, reads or writes something, and options
// that are not known.
func AwkRisks(words []word.Word) []Risk {
	i := 1
	for i < len(words) && words[i].IsOption() && words[i].Text != "-" {
		text := words[i].Text
		i++
		switch {
		case text == "--":
			return awkProgram(words, i)
		case text == "-F" || text == "-v" || text == "--field-separator" || text == "--assign":
			i++
		case strings.HasPrefix(text, "-F"), strings.HasPrefix(text, "-v"),
			strings.HasPrefix(text, "--field-separator="), strings.HasPrefix(text, "--assign="):
		case text == "--posix" || text == "--re-interval" || text == "--sandbox" || text == "--csv":
		default:
			return append(awkProgram(words, i), Risk{At: i - 1, Why: "the option " + text + " of awk is guarded"})
		}
	}
	return awkProgram(words, i)
}

func awkProgram(words []word.Word, at int) []Risk {
	if at >= len(words) {
		return nil
	}
	text := withoutComparisons(words[at].Text)
	for _, risky := range []string{"system", "getline", "|", ">", "<", "@", "ARGV", "SYMTAB"} {
		if strings.Contains(text, risky) {
			return []Risk{{At: at, Why: "an awk program with " + risky + " is guarded"}}
		}
	}
	return nil
}

// withoutComparisons takes out of an awk program what compares and joins
// conditions: outside of braces, where nothing is printed, all of < and >, and
// anywhere those with a =.
func withoutComparisons(program string) string {
	program = withoutComparisonsInParentheses(program)
	condition, actions, _ := strings.Cut(program, "{")
	condition = strings.NewReplacer("||", " ", ">>", ">>", ">", " ", "<", " ").Replace(condition)
	return condition + "{" + strings.NewReplacer("||", " ", ">>", ">>", ">=", " ", "<=", " ").Replace(actions)
}

// withoutComparisonsInParentheses takes every > between parentheses out of an awk
// program: there it compares. A program in which a parenthesis may be part of something
// else is left as it is.
func withoutComparisonsInParentheses(program string) string {
	out, depth := []byte(program), 0
	for i := 0; i < len(program); i++ {
		switch program[i] {
		case '"':
			end := closing(program[i+1:], '"')
			if end < 0 {
				return program
			}
			i += end + 1
		case '/', '#', '\\', '`', '\'':
			return program
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return program
			}
		case '>':
			if depth > 0 && program[i-1] != '>' && (i+1 == len(program) || program[i+1] != '>') {
				out[i] = ' '
			}
		}
	}
	return string(out)
}

// jqRisks finds a program that reads others, or files, by names that no word
// holds.
func jqRisks(words []word.Word) (out []Risk) {
	for i, w := range words[1:] {
		if importsInJQ(w.Text) {
			out = append(out, Risk{At: i + 1, Why: "a jq program with import or include is guarded"})
		}
	}
	return out
}

// importsInJQ reports whether a program has an import or an include: they stand at
// its beginning.
func importsInJQ(program string) bool {
	for _, name := range []string{"import", "include"} {
		for rest := program; ; {
			before, after, found := strings.Cut(rest, name)
			if !found {
				break
			}
			if (before == "" || strings.ContainsAny(before[len(before)-1:], "; \t\r\n")) && after != "" && strings.ContainsAny(after[:1], " \t\r\n\"#") {
				return true
			}
			rest = after
		}
	}
	return false
}

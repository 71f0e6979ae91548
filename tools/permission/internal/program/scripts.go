package program

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// sedRisks finds the scripts of sed that are not plain, as isPlainSed says.
func sedRisks(words []word.Word) (out []Risk) {
	scripts, known := sedScripts(words)
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
		if words[i].Kind != word.Static || !isPlainSed(text) {
			out = append(out, Risk{At: i, Why: "the sed script " + words[i].Text + " is guarded"})
		}
	}
	return out
}

// sedOptions are the options of sed; -i and -f are guarded by the table.
var sedOptions = Wrapper{
	Bare: "nErsuzif", Valued: "el", Long: "--quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --sandbox --debug",
	LongValued: "--expression --line-length",
}

// sedScripts returns the indexes of the words of sed that hold scripts; known is false
// when its options can't be read.
func sedScripts(words []word.Word) (scripts []int, known bool) {
	first := 0 // the first operand
	options := true
	for i := 1; i < len(words); i++ {
		text := words[i].Text
		switch {
		case options && words[i].Is("--"):
			options = false
		case !options || !words[i].IsOption():
			if first == 0 {
				first = i
			}
		default:
			n := sedOptions.option(text)
			if n == Unreadable || i+n > len(words) {
				return scripts, false
			}
			i += n - 1
			value := strings.IndexAny(text, sedOptions.Valued)
			if strings.HasPrefix(text, "--expression") || !strings.HasPrefix(text, "--") && value > 0 && text[value] == 'e' {
				scripts = append(scripts, i)
			}
		}
	}
	if len(scripts) == 0 && first > 0 {
		scripts = append(scripts, first)
	}
	return scripts, true
}

// isPlainSed reports whether a script consists of commands with ; between them, each
// [addr[,addr]][!] and then p, d, q, = or an s with plain flags.
func isPlainSed(script string) bool {
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

// plainSedCommand cuts off one command, which must neither run nor write anything.
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

// sedAddress cuts off one address, if there is one.
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

// cutSubstitution cuts off an s command with a usual delimiter, and with flags that
// neither run nor write anything.
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

// closing returns the index of the first unescaped delimiter, or -1.
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

// awkOptions are the options of awk. The table guards those that read, write or run files.
var awkOptions = Wrapper{
	Valued: "FvfileEdDop", Long: "--posix --re-interval --sandbox --csv --dump-variables --debug --pretty-print --profile",
	LongValued: "--field-separator --assign --file --include --load --source --exec",
}

// awkRisks finds an awk program that runs, reads or writes something, and options that
// can't be read.
func awkRisks(words []word.Word) []Risk {
	at := awkOptions.Command(words)
	switch at {
	case NoCommand:
		return nil
	case Unreadable:
		return []Risk{Unspellable("the options of awk cannot be read")}
	}
	// ">>" replaces itself so that ">>=" does not lose its last two characters.
	text := strings.NewReplacer("||", " ", ">>", ">>", ">=", " ").Replace(words[at].Text)
	_, printed, _ := strings.Cut(text, "print") // anywhere else > compares
	for _, risky := range []string{"system", "getline", "|", "@", "ARGV", "SYMTAB"} {
		if strings.Contains(text, risky) {
			return []Risk{{At: at, Why: "an awk program with " + risky + " is guarded"}}
		}
	}
	if strings.Contains(printed, ">") {
		return []Risk{{At: at, Why: "an awk program with > behind print is guarded"}}
	}
	return nil
}

// jqRisks finds a jq program that reads files whose names are not words of the command.
var jqRisks = eachWord(func(x word.Word) (why string, names []string) {
	if importsInJQ(x.Text) {
		why = "a jq program with import or include is guarded"
	}
	return why, nil
})

// importsInJQ reports whether a jq program may have an import or an include.
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

package command

import (
	"slices"
	"strings"
)

// Executed is what files of its working directory a command runs.
type Executed struct {
	Words string // of the command, as far as they say what it runs
	File  string // the one that it names; "" is those that it finds by itself
}

// ExecutedBy returns what files of its working directory a command runs that consists of these
// words, also if other programs, such as env, npx and python -m, run it. Words that are not
// known are "". ok is false for a command that is not known to run any.
func ExecutedBy(words []string) (x Executed, ok bool) {
	for i, word := range words {
		p, after := Named(nameOf(Of(word))), words[i+1:]
		first := slices.IndexFunc(after, func(text string) bool { return !strings.HasPrefix(text, "-") })
		switch when := p.list("executes"); {
		case p.is("executes") && when == "":
			return Executed{Words: word}, true
		case first >= 0 && when.has(after[first]):
			return Executed{Words: word + " " + after[first]}, true
		case strings.Contains(word, "/") && !strings.HasPrefix(word, "/") && !strings.Contains(word, "="):
			return Executed{word, word}, true
		}
		if file := p.scriptFile(after); file != "" {
			return Executed{word + " " + file, file}, !strings.HasPrefix(file, "/")
		}
		module := len(after) > 0 && after[0] == "-m"
		if i == 0 && p.Class != "wrapper" && !p.is("carries") || p.Class == "interpreter" && !module {
			return x, false
		}
	}
	return x, false
}

// scriptFile returns the script that a program is told to run; "" if it is told code, or
// nothing.
func (p *Program) scriptFile(words []string) string {
	code, runs := p.facts["script"]
	for i := 0; i < len(words) && (runs || p == Named(".")); i++ {
		text := words[i]
		switch letter := text[max(0, len(text)-1):]; {
		case text == "" || text == "--eval" || text == "--print" || list("run eval x test install start task bench").has(text):
			return ""
		case text[0] != '-':
			return text
		case strings.HasPrefix(text, "--"):
		case strings.Contains(code, letter):
			return ""
		case strings.Contains("oWX", letter):
			i++ // its value
		}
	}
	return ""
}

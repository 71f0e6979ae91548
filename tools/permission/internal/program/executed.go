package program

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// A Runner says which files of its working directory a program finds and runs: those whose names end
// with one of Endings, in lower case. Words are the first operands that make it run them; without any
// it always does.
type Runner struct{ Words, Endings list }

const (
	goEndings     list = ".go"
	jsEndings     list = ".js .ts .mjs .cjs .jsx .tsx .json .vue .svelte"
	pythonEndings list = ".py .toml .ini .cfg"
	rustEndings   list = ".rs .toml"
)

// anyCode are the endings for programs that run whatever their files say.
const anyCode list = ".go .py .js .ts .mjs .cjs .jsx .tsx .rs .rb .php .java .kt .kts .scala .sbt .groovy .gradle .swift .cs .fs .ex .exs .clj .lua .pl .sh .bash " +
	".mk .cmake .bzl .toml .xml .cfg .ini makefile justfile rakefile gruntfile gulpfile jenkinsfile dockerfile"

// An Executed is what files of its working directory a command runs.
type Executed struct {
	Words   string   // of the command, as far as they say what it runs
	File    string   // the one that it names, or ""
	Endings []string // of the names of those that it finds by itself, in lower case
}

// maxCarriers is how many programs that run programs are looked through.
const maxCarriers = 8

// ExecutedBy returns what files of its working directory a command runs, also if other programs, such
// as env, npx and python -m, run it; ok is false for a command that is not known to run any.
func ExecutedBy(words []word.Word) (x Executed, ok bool) {
	for range maxCarriers {
		if len(words) == 0 || words[0].Kind != word.Static || words[0].Text == "" {
			break
		}
		key := NameOf(words[0])
		known := Named(key)
		if x := known.executed(words); x.File != "" || x.Endings != nil {
			return x, true
		}
		inner := Carried(key, words)
		if known.Wrapper != nil {
			if at := known.Wrapper.Command(words); at > 0 {
				inner = words[at:]
			}
		}
		for len(inner) > 0 && inner[0].IsOption() {
			inner = inner[1:]
		}
		words = inner
	}
	return Executed{}, false
}

// executed is ExecutedBy for the program itself.
func (f *Facts) executed(words []word.Word) Executed {
	x := Executed{Words: words[0].Text}
	if strings.Contains(x.Words, "/") && !strings.HasPrefix(x.Words, "/") {
		x.File = x.Words
	}
	if f.Runner != nil {
		if operand, runs := f.Runner.startedBy(words); runs {
			x.Words = strings.TrimSpace(x.Words + " " + operand)
			x.Endings = slices.Collect(f.Runner.Endings.all())
		}
	}
	if file := f.scriptFile(words); file != "" && !strings.HasPrefix(file, "/") {
		x.Words, x.File = x.Words+" "+file, file
	}
	return x
}

// startedBy returns the operand that makes the program run files, if it needs one.
func (r *Runner) startedBy(words []word.Word) (operand string, runs bool) {
	if r.Words == "" {
		return "", true
	}
	first := slices.IndexFunc(words[1:], func(w word.Word) bool { return !w.IsOption() })
	if first < 0 || !r.Words.has(words[first+1].Text) {
		return "", false
	}
	return words[first+1].Text, true
}

// scriptFile returns the script that the program is told to run; "" where it is told code, or nothing.
func (f *Facts) scriptFile(words []word.Word) string {
	code := f.CodeLetters
	if f.Runs == ShellScript {
		code = "c"
	} else if code == "" && f.Runs != Sources {
		return ""
	}
	for i := 1; i < len(words); i++ {
		text := words[i].Text
		switch {
		case words[i].Kind != word.Static, words[i].IsOption() && f.Opens != nil && f.Opens(text):
			return ""
		case !words[i].IsOption():
			return text
		case strings.HasPrefix(text, "--"):
			continue
		}
		switch last := text[len(text)-1:]; {
		case strings.Contains(code, last):
			return ""
		case strings.Contains("oWX", last):
			i++ // its value
		}
	}
	return ""
}

package command

import (
	"slices"
	"strings"
)

// Executed is what files of its working directory a command runs.
type Executed struct {
	Words   string   // of the command, as far as they say what it runs
	File    string   // the one that it names, or ""
	Endings []string // of the names of those that it finds by itself, in lower case
}

// endings are those of the files that programs find and run.
const endings list = ".go .py .js .ts .mjs .cjs .jsx .tsx .vue .svelte .rs .rb .rspec .php .java .kt .kts .scala .sbt .groovy .gradle .swift .cs .fs .ex .exs .clj .lua .pl .sh .bash " +
	".mk .cmake .bzl .json .toml .xml .cfg .ini makefile justfile rakefile gruntfile gulpfile jenkinsfile dockerfile"

// maxCarriers is how many programs that run programs are looked through.
const maxCarriers = 8

// ExecutedBy returns what files of its working directory a command runs, also if other
// programs, such as env, npx and python -m, run it; ok is false for a command that is not
// known to run any.
func ExecutedBy(words []Word) (x Executed, ok bool) {
	for range maxCarriers {
		if len(words) == 0 || words[0].Kind != Static || words[0].Text == "" {
			break
		}
		p := Named(nameOf(words[0]))
		if x := p.executed(words); x.File != "" || x.Endings != nil {
			return x, true
		}
		inner := p.carried(words)
		if p.is("wraps") && p.facts["wraps"] != "found" {
			if at := p.command(words); at > 0 {
				inner = words[at:]
			}
		}
		for len(inner) > 0 && inner[0].isOption() {
			inner = inner[1:]
		}
		words = inner
	}
	return Executed{}, false
}

// carried returns the command among a program's words that it runs, such as the one after
// npx or python3 -m, or nil.
func (p *Program) carried(words []Word) []Word {
	mark, ok := p.facts["carries"]
	for i := 1; ok && i < len(words); i++ {
		x := words[i]
		if glued, is := strings.CutPrefix(x.Text, mark); is && x.Kind == Static && strings.HasPrefix(mark, "-") && glued != "" {
			return append([]Word{Of(glued)}, words[i+1:]...)
		}
		if mark != "" && x.Is(mark) || mark == "exec" && (x.Is("x") || x.Is("e") || x.Is("dlx")) {
			return words[i+1:]
		}
		if mark == "" && !x.isOption() {
			return words[i:]
		}
	}
	return nil
}

// executed is ExecutedBy for the program itself.
func (p *Program) executed(words []Word) Executed {
	x := Executed{Words: words[0].Text}
	if strings.Contains(x.Words, "/") && !strings.HasPrefix(x.Words, "/") {
		x.File = x.Words
	}
	if p.is("executes") {
		first := slices.IndexFunc(words[1:], func(x Word) bool { return !x.isOption() })
		switch when := p.list("executes"); {
		case when == "":
			x.Endings = slices.Collect(endings.all())
		case first >= 0 && when.has(words[first+1].Text):
			x.Words, x.Endings = x.Words+" "+words[first+1].Text, slices.Collect(endings.all())
		}
	}
	if file := p.scriptFile(words); file != "" && !strings.HasPrefix(file, "/") {
		x.Words, x.File = x.Words+" "+file, file
	}
	return x
}

// scriptFile returns the script that a program is told to run; "" if it is told code, or
// nothing.
func (p *Program) scriptFile(words []Word) string {
	code, source := p.facts["script"], list(". source").has(words[0].Text)
	if code == "" && !source {
		return ""
	}
	for i := 1; i < len(words); i++ {
		text := words[i].Text
		switch {
		case words[i].Kind != Static:
			return ""
		case !words[i].isOption():
			if list("run eval x test install start task bench").has(text) {
				return ""
			}
			return text
		case strings.HasPrefix(text, "--"):
			if text == "--eval" || text == "--print" {
				return ""
			}
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

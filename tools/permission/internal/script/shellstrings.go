package script

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/internal/bash"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// shellString walks a shell, and the script in its -c.
func (w *walker) shellString(s simple) {
	at, found := commandString(s.words)
	switch {
	case at == program.Unreadable, found && (at == len(s.words) || s.words[at].Kind != word.Static):
		w.unreadable(s)
	case !found:
		w.readsScript(s, at)
	default:
		outer := w.shell
		if w.shell = program.NameOf(s.words[0]); w.shell == "bash" {
			w.shell = ""
		}
		if w.addString(s, s.words[at].Text) {
			script, _ := w.inString(s.words[at].Text, s.at)
			w.replace(s, at, cmp.Or(script, ":"))
		} else {
			w.inString(s.words[at].Text, s.at)
		}
		w.shell = outer
	}
}

// addString appends the unit of a command that runs a script. Scripts are walked as bash
// reads them: it returns false where another shell may read this one differently.
func (w *walker) addString(s simple, script string) (readable bool) {
	if readsOtherwise(w.shell, script) {
		w.unreadable(s)
		return false
	}
	w.add(s, nil, nil)
	return true
}

// commandString returns the index of a shell's first operand, and whether the shell runs
// it as a script.
func commandString(words []word.Word) (at int, found bool) {
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case w.Kind != word.Static:
			return program.Unreadable, false
		case w.Text == "--" || w.Text == "-":
			return i + 1, found
		case w.Text == "--norc" || w.Text == "--noprofile" || w.Text == "--posix" || w.Text == "--login":
			continue
		case !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "+"):
			return i, found
		case strings.Trim(w.Text[1:], "abcefhklnpsuvxoBCE") != "":
			return program.Unreadable, false
		}
		found = found || w.Text[0] == '-' && strings.Contains(w.Text, "c")
		i += strings.Count(w.Text, "o") // -o takes the name of an option
	}
	return len(words), found
}

// inString walks a script that a command gets as a string.
func (w *walker) inString(text string, at Cwd) (printed string, out outcome) {
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > MaxDepth {
		w.refuse("commands that run commands are nested too deep")
		return "", stays(at)
	}
	if w.strings += len(text); w.strings > maxStrings {
		w.refuse("the scripts given as strings are too long")
		return "", stays(at)
	}
	return w.script(text, at)
}

// eval walks eval, and the script that its words make.
func (w *walker) eval(s simple) outcome {
	var text []string
	for _, x := range s.words[1:] {
		if x.Kind != word.Static {
			w.unreadable(s)
			return stays(s.at.away())
		}
		text = append(text, x.Text)
	}
	if len(text) > 0 && text[0] == "--" {
		text = text[1:]
	}
	w.addString(s, strings.Join(text, " "))
	script, out := w.inString(strings.Join(text, " "), s.at)
	for i := range s.words[1:] {
		w.replace(s, i+1, "")
	}
	if len(s.words) > 1 {
		w.replace(s, 1, script)
	}
	return out
}

// trap walks trap, and the script that it sets, which may run at any time.
func (w *walker) trap(s simple) outcome {
	w.unordered = true
	args := s.words[1:]
	if len(args) > 0 && args[0].Is("--") {
		args = args[1:]
	}
	switch {
	case len(args) == 0 || args[0].Is("-") || args[0].Is("-p") || args[0].Is("-l"):
		w.add(s, nil, nil)
	case args[0].Kind != word.Static || args[0].IsOption():
		w.unreadable(s)
	case len(args) == 1:
		w.addString(s, args[0].Text)
	default:
		w.addString(s, args[0].Text)
		at := s.at
		if !w.staysPut(args[0].Text) {
			at = at.away()
		}
		script, _ := w.inString(args[0].Text, at)
		if w.refused == "" {
			w.replace(s, len(s.words)-len(args), cmp.Or(script, ":"))
		}
		return stays(at)
	}
	return stays(s.at.away())
}

// staysPut reports whether neither a trap's script nor the script around it changes the
// directory.
func (w *walker) staysPut(script string) bool {
	file, err := bash.Parse(script)
	return err == nil && w.depth == 0 && len(w.moves) == 1 && len(w.directoryChanges(file)) == 0
}

// readsScript appends the unit of a shell without -c. If it reads its standard input it
// may run anything.
func (w *walker) readsScript(s simple, operand int) {
	var forms []program.Form
	if operand >= len(s.words) || isInput(s.words[operand]) || readsInput(s.words[:operand]) {
		forms = append(forms, program.AnyForm)
	}
	w.add(s, nil, forms)
}

// isInput reports whether a script's file may be the standard input.
func isInput(file word.Word) bool {
	return file.Kind != word.Static || strings.HasPrefix(file.Text, "/dev/")
}

// readsInput reports whether a shell has the option -s.
func readsInput(options []word.Word) bool {
	return slices.ContainsFunc(options[1:], func(x word.Word) bool { return x.IsOption() && strings.Contains(x.Text, "s") })
}

// bashOnly are the marks of syntax that other shells read differently, or not at all.
var bashOnly = []string{
	"$'", `$"`, "$[", "<(", ">(", "=(", "&>", ">&", "|&", "<&", "[[", "((", "<<<", "function", "select", "coproc", "time",
	"@(", "?(", "*(", "+(", "!(", ";&", ";;&", "~+", "~-",
}

// readsOtherwise reports whether a shell may read a script differently from bash. Quoted
// marks count too.
func readsOtherwise(shell, script string) bool {
	switch shell {
	case "":
		return false
	case "zsh": // it has commands, words and expansions that are plain names in bash
		return true
	}
	script = copiesOfDescriptors.Replace(script + "\n")
	for _, mark := range bashOnly {
		if strings.Contains(script, mark) {
			return true
		}
	}
	_, braces, _ := strings.Cut(script, "{")
	if strings.Contains(braces, ",") || strings.Contains(braces, "..") {
		return true
	}
	_, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(script), "")
	return err != nil
}

// copiesOfDescriptors removes the redirects that all shells know.
var copiesOfDescriptors = strings.NewReplacer("2>&1 ", " ", "1>&2 ", " ", ">&2 ", " ", "2>&1\n", "\n", ">&2\n", "\n")

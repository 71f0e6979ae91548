package permission

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shellString judges a shell, and the string that it is given with -c.
func (w *walker) shellString(s simple) {
	at, found := commandString(s.words)
	switch {
	case at == unreadable, found && (at == len(s.words) || s.words[at].kind != static):
		w.unreadable(s)
	case !found:
		w.readsScript(s, at)
	default:
		outer := w.shell
		if w.shell = programName(s.words[0]); w.shell == "bash" {
			w.shell = ""
		}
		if w.addString(s, s.words[at].text) {
			script, _ := w.inString(s.words[at].text, s.at)
			w.replace(s, at, cmp.Or(script, ":"))
		} else {
			w.inString(s.words[at].text, s.at)
		}
		w.shell = outer
	}
}

// addString lists the unit of a command that runs a script. The script is walked
// as bash reads it; where its own shell may read it otherwise it cannot be told
// what runs.
func (w *walker) addString(s simple, script string) (readable bool) {
	if readsOtherwise(w.shell, script) {
		w.unreadable(s)
		return false
	}
	w.add(s, nil, nil)
	return true
}

// commandString returns the first operand of a shell, and whether it is a
// string to run.
func commandString(words []word) (at int, found bool) {
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case w.kind != static:
			return unreadable, false
		case w.text == "--" || w.text == "-":
			return i + 1, found
		case w.text == "--norc" || w.text == "--noprofile" || w.text == "--posix" || w.text == "--login":
			continue
		case !strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "+"):
			return i, found
		case strings.Trim(w.text[1:], "abcefhklnpsuvxoBCE") != "":
			return unreadable, false
		}
		found = found || w.text[0] == '-' && strings.Contains(w.text, "c")
		i += strings.Count(w.text, "o") // -o takes the name of an option
	}
	return len(words), found
}

// inString walks a script that a command is given as a string.
func (w *walker) inString(text string, at cwd) (printed string, out outcome) {
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > maxDepth {
		w.refuse("commands that run commands are nested too deep")
		return "", stays(at)
	}
	if w.strings += len(text); w.strings > maxStrings {
		w.refuse("the scripts given as strings are too long")
		return "", stays(at)
	}
	return w.script(text, at, true)
}

// eval judges eval and the script that its words make.
func (w *walker) eval(s simple) outcome {
	var text []string
	for _, x := range s.words[1:] {
		if x.kind != static {
			w.unreadable(s)
			return stays(s.at.away())
		}
		text = append(text, x.text)
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

// trap judges trap and the script that it sets, which may run at any time.
func (w *walker) trap(s simple) outcome {
	w.unordered = true
	args := s.words[1:]
	if len(args) > 0 && args[0].is("--") {
		args = args[1:]
	}
	switch {
	case len(args) == 0 || args[0].is("-") || args[0].is("-p") || args[0].is("-l"):
		w.add(s, nil, nil)
	case args[0].kind != static || args[0].isOption():
		w.unreadable(s)
	case len(args) == 1:
		w.addString(s, args[0].text)
	default:
		w.addString(s, args[0].text)
		at := s.at
		if !w.staysPut(args[0].text) {
			at = at.away()
		}
		script, _ := w.inString(args[0].text, at)
		if w.refused == "" {
			w.replace(s, len(s.words)-len(args), cmp.Or(script, ":"))
		}
		return stays(at)
	}
	return stays(s.at.away())
}

// staysPut reports whether a script that may run at any time finds, and leaves,
// the directory as it is: neither it nor what is around it changes that.
func (w *walker) staysPut(script string) bool {
	file, err := parse(script)
	return err == nil && w.depth == 0 && len(w.moves) == 1 && len(w.directoryChanges(file)) == 0
}

// readsScript judges a shell that is given no string. Where it reads a script
// from its standard input, deny and ask patterns are tried on the commands in
// that, and where it cannot be told all of them hit.
func (w *walker) readsScript(s simple, operand int) {
	if operand < len(s.words) && !isInput(s.words[operand]) && !readsInput(s.words[:operand]) {
		w.add(s, nil, nil)
		return
	}
	forms := []form{}
	for _, body := range s.fed {
		text, known := w.expand.body(body)
		if known {
			var more []form
			more, known = w.formsIn(text, s.at)
			forms = append(forms, more...)
		}
		if !known {
			forms = append(forms, anyForm)
		}
	}
	if len(forms) == 0 {
		forms = append(forms, anyForm)
	}
	w.add(s, nil, forms)
}

// isInput reports whether a script's file may be what a command is fed.
func isInput(file word) bool { return file.kind != static || strings.HasPrefix(file.text, "/dev/") }

// readsInput reports whether a shell has the option -s.
func readsInput(options []word) bool {
	return slices.ContainsFunc(options[1:], func(x word) bool { return x.isOption() && strings.Contains(x.text, "s") })
}

// formsIn returns the readings of all commands in a script that needs no rule.
func (w *walker) formsIn(script string, at cwd) (forms []form, ok bool) {
	inner := &walker{policy: w.policy, roots: w.roots, expand: w.expand, budget: w.budget, depth: w.depth + 1, places: w.places, listings: w.listings, strings: w.strings, scripts: w.scripts, dashes: w.dashes, dotglob: true, globstar: true}
	if inner.depth > maxDepth {
		return nil, false
	}
	inner.script(script, at, false)
	for _, u := range inner.units {
		forms = append(forms, u.forms...)
	}
	return forms, inner.refused == ""
}

// fed returns the here-documents and here-strings of a statement.
func fed(stmt *syntax.Stmt) (bodies []*syntax.Redirect) {
	for _, r := range stmt.Redirs {
		if r.Hdoc != nil || r.Op == syntax.WordHdoc {
			bodies = append(bodies, r)
		}
	}
	return bodies
}

// body returns the text of a here-document or a here-string, where nothing in
// it is expanded.
func (e expander) body(r *syntax.Redirect) (text string, known bool) {
	if r.Hdoc == nil {
		w := e.whole(r.Word)
		return w.text, w.kind == static
	}
	text = r.Hdoc.Lit()
	return text, text != "" && !strings.Contains(text, `\`)
}

package permission

import (
	"slices"
	"strings"
)

// outputOption says which options of a program take the one file that it writes.
// They need no rule that spells them where the write rules allow that file.
type outputOption struct {
	short string   // a letter, with its value glued or behind it
	long  []string // with two dashes
	flags []string // of Go programs
}

// outputs says of the guards on such options what they write.
func (w *walker) outputs(u *unit, risks []risk, at cwd) []risk {
	known := named(u.name)
	option := known.output
	if option == nil && known.inPlace == nil || u.words[0].kind != static {
		return risks
	}
	risks = slices.Clone(risks)
	for i, g := range risks {
		if g.at <= 0 || len(g.names) == 0 {
			continue
		}
		if known.inPlace != nil {
			if slices.Contains(known.inPlace, g.names[0]) {
				risks[i].outs, risks[i].lands = w.changedInPlace(u.words, at)
				u.outs = append(u.outs, risks[i].outs...)
			}
			continue
		}
		file, ok := option.file(u.words, g)
		if !ok || file.kind != static || file.text == "" || strings.ContainsAny(file.text, "#") {
			continue
		}
		risks[i].lands = true
		if file.is("/dev/null") || file.is("/dev/stdout") || file.is("/dev/stderr") || file.is("-") {
			continue
		}
		risks[i].outs = w.filesIn(file, at)
		u.outs = append(u.outs, risks[i].outs...)
	}
	return risks
}

// file returns the word that an option names as its output.
func (o outputOption) file(words []word, g risk) (file word, ok bool) {
	at := g.at
	text := words[at].text
	if cluster := len(g.names) == 1 && !strings.HasPrefix(text, "--") && o.short != "" && strings.HasSuffix(text, o.short); cluster {
		text = "-" + o.short // the last of several letters
	}
	name, value, glued := strings.Cut(text, "=")
	long := slices.Contains(o.long, name) || len(o.flags) > 0 && slices.Contains(o.flags, strings.TrimLeft(name, "-"))
	switch {
	case long && glued:
		return staticWord(value), true
	case !long && (o.short == "" || !strings.HasPrefix(text, "-"+o.short)):
		return word{}, false
	case !long && len(text) > 2:
		return staticWord(text[2:]), true
	case at+1 < len(words):
		return words[at+1], true
	}
	return word{}, false
}

// landsWell reports whether all that an option writes may be written.
func (j shellJudge) landsWell(g risk) bool {
	return g.lands && !slices.ContainsFunc(g.outs, func(t writeTarget) bool { return j.writing(t).verdict != Allow })
}

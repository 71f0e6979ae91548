package permission

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Bounds on a shell command; what exceeds them is never allowed.
const (
	maxSource   = 32 << 10
	maxCommands = 256
	maxDepth    = 16
	// maxNesting bounds the brackets that a parser would follow, maxStrings the
	// bytes of scripts given as strings.
	maxNesting = 1000
	maxStrings = 2 * maxSource
)

// decideBash judges a shell command.
func (p *Policy) decideBash(call Call, dir string) Decision {
	args, err := arguments(call.Input)
	if err != nil {
		return refused(err.Error()).decision()
	}
	command, _, err := args.text("command")
	if err != nil {
		return refused(err.Error()).decision()
	}
	workdir, given, err := args.text("workdir")
	if err != nil {
		return refused(err.Error()).decision()
	}
	if given && workdir != "" {
		at, err := p.roots.ResolveTilde(dir, workdir)
		if err != nil || !at.Inside {
			return refused(fmt.Sprintf("the working directory %q is not in the workspace", workdir)).decision()
		}
		dir = at.Canonical
	}
	units, script, why := p.analyze(command, dir)
	if why != "" {
		return refused(why).decision()
	}
	d := p.judgeUnits(units, p.held != nil && p.held())
	if d.Verdict != Deny {
		d.Script = script
	}
	return d
}

// judgeUnits asks every domain about every part.
func (p *Policy) judgeUnits(units []*unit, held bool) Decision {
	judges := make([]shellJudge, len(p.domains))
	caps := make([]*finding, len(p.domains))
	for i, d := range p.domains {
		judges[i], caps[i] = d.shellJudge(p.roots)
		judges[i].held, judges[i].lands = held, func(at place.Path) finding { return d.lands(p.roots, at) }
	}
	var parts []Part
	all := make([]finding, 0, len(units))
	for _, u := range units {
		i := -1
		f := p.each(func(*domain) finding {
			i++
			return judges[i].judge(u).cap(caps[i])
		})
		all = append(all, f)
		parts = append(parts, Part{u.source, f.verdict, f.refused, f.rule, f.reason})
	}
	worst := strictest(all)
	d := worst.decision()
	d.Parts = parts
	for i, f := range all {
		if f == worst {
			d.Reason = fmt.Sprintf("%s: %s", parts[i].Source, f.reason)
			break
		}
	}
	return d
}

// shellJudge collects the rules that judge the parts of a command, and what
// restricts bash as a whole.
func (d *domain) shellJudge(t place.Roots) (shellJudge, *finding) {
	restriction, standIn := d.gate("bash")
	j := shellJudge{roots: t, bash: d.shell(standIn)}
	j.read, _ = d.paths(t, "read")
	j.write, j.writeCap = d.paths(t, "write")
	return j, restriction
}

// analyze takes a command apart, and returns the script that runs in its place.
// why says that no rule allows it.
func (p *Policy) analyze(command, dir string) (units []*unit, script, why string) {
	at, err := p.roots.Resolve(dir, ".")
	if err != nil || !at.Inside {
		return nil, "", fmt.Sprintf("the working directory %q is not in the workspace", dir)
	}
	w := &walker{
		policy:   p,
		roots:    p.roots.Caching(),
		budget:   maxCommands,
		places:   map[string]place.Path{},
		listings: map[string][]fs.DirEntry{},
		scripts:  map[*syntax.CallExpr]map[int]string{},
		dashes:   map[*syntax.CallExpr]int{},
		cdpath:   strings.Contains(command, "CDPATH"),
		dotglob:  strings.Contains(command, "dotglob") || strings.Contains(command, "GLOBIGNORE"),
		globstar: strings.Contains(command, "globstar"),
		expand:   word.Expander{Home: p.roots.Home, HomeKnown: !changesHome(command), Values: map[*syntax.ParamExp]word.Word{}},
	}
	script, _ = w.script(command, cwd{dirs: []string{at.Canonical}}, false)
	w.throughLink()
	w.throughBrought()
	w.inWrittenRepository()
	w.besideAnything()
	for _, name := range []string{"CDPATH", "dotglob", "GLOBIGNORE", "globstar"} {
		if !strings.Contains(command, name) && strings.Contains(script, name) {
			w.refuse("it spells " + name + " in pieces")
		}
	}
	if w.refused != "" {
		return nil, "", w.refused
	}
	if w.budget == maxCommands {
		return nil, "", "there is no command in it"
	}
	return w.units, script, ""
}

// whyNotParsed returns why a text is refused before it is parsed.
func whyNotParsed(text string) string {
	if len(text) > maxSource {
		return "the command is longer than 32 KiB"
	}
	if nesting(text) > maxNesting {
		return "its brackets are nested too deep"
	}
	if what := pattern.StrangeRune(text, "\t\n"); what != "" {
		return "the command holds " + what
	}
	if pattern.StrangeSpace(text) {
		return "the command holds a space or line separator that is no plain blank"
	}
	if continuesComment(text) {
		return "a line with a comment ends in a backslash"
	}
	if continuesOperator(text) {
		return "a backslash at the end of a line splits an operator or an expansion"
	}
	return ""
}

// continuesComment reports whether a line that may hold a comment ends in a
// backslash: the parser goes on with the comment on the next line, bash does not.
func continuesComment(text string) bool {
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\\\n") {
			continue
		}
		for i := range len(line) {
			if line[i] == '#' && (i == 0 || strings.IndexByte(" \t;&|()<>`{}", line[i-1]) >= 0 && !strings.HasPrefix(line[max(0, i-2):], "${")) {
				return true
			}
		}
	}
	return false
}

// continuesOperator reports whether the end of a line, taken away by a backslash,
// may split a $ or an operator from what makes it another one: bash joins them,
// the parser does not.
func continuesOperator(text string) bool {
	for rest := text; ; {
		before, after, found := strings.Cut(rest, "\\\n")
		if !found {
			return false
		}
		for strings.HasPrefix(after, "\\\n") {
			after = after[2:]
		}
		rest = after
		if before == "" || after == "" {
			continue
		}
		switch last, next := before[len(before)-1], after[:1]; {
		case last == '$' && !strings.ContainsAny(next, " \t\n"):
			return true
		case strings.IndexByte("<>&|;(", last) >= 0 && strings.ContainsAny(next, "<>&|;(-!"):
			return true
		}
	}
}

// nesting returns how many brackets are open at once, quoted ones included.
func nesting(text string) (deepest int) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth = max(0, depth-1)
		}
		deepest = max(deepest, depth)
	}
	return deepest
}

// changesHome reports whether a command names HOME other than to read it, after
// which ~ may lead anywhere.
func changesHome(command string) bool {
	reads := strings.Count(command, "$HOME") + strings.Count(command, "${HOME}")
	return strings.Count(command, "HOME") > reads
}

// parse reads a script as bash does.
func parse(text string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// ReadOnly reports whether a shell command, started in dir, only reads. It says
// no where it is not sure.
func (p *Policy) ReadOnly(command, dir string) bool {
	units, _, why := p.analyze(command, p.start(dir))
	return why == "" && !slices.ContainsFunc(units, func(u *unit) bool { return !u.onlyReads() })
}

// Script returns what is to run in the place of a shell command that was
// allowed, started in dir: the commands that were judged, written in the one way
// that bash can't read otherwise. It is an error where there is none.
func (p *Policy) Script(command, dir string) (string, error) {
	_, script, why := p.analyze(command, p.start(dir))
	if why != "" {
		return "", errors.New(why)
	}
	return script, nil
}

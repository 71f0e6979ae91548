package command

import (
	_ "embed"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed programs.txt
var table string

// Program is a row of the table of programs, which programs.txt explains.
type Program struct {
	Class string
	facts map[string]string
	subs  map[string]*Program
	super *Program // the program that this is a subcommand of
	// guard matches words that a rule has to spell, without what unless matches, and filter the
	// arguments with which it only reads a pipe, as joined writes them; nil: none.
	guard, unless, filter *regexp.Regexp
}

// list is names with commas or blanks between them.
type list string

func (l list) all() iter.Seq[string] {
	return strings.FieldsFuncSeq(string(l), func(r rune) bool { return r == ',' || r == ' ' })
}

func (l list) has(name string) bool { return l.any(func(other string) bool { return other == name }) }

func (l list) any(fits func(name string) bool) bool {
	for name := range l.all() {
		if fits(name) {
			return true
		}
	}
	return false
}

// programs are the rows by name.
var programs = sync.OnceValue(func() map[string]*Program {
	all := map[string]*Program{}
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		row := Program{Class: fields[1], facts: map[string]string{}}
		for _, field := range fields[2:] {
			name, value, _ := strings.Cut(field, "=")
			row.facts[name] = value
			switch name {
			case "guard":
				row.guard = regexp.MustCompile("(?s)" + value)
			case "unless":
				row.unless = regexp.MustCompile("(?s)" + value)
			case "filter":
				row.filter = filter(value)
			}
		}
		for name := range list(fields[0]).all() {
			program, sub, is := strings.Cut(name, "/")
			if !is {
				all[name] = &row
				continue
			}
			mine := row
			all[program].add(sub, &mine)
		}
	}
	return all
})

// filter returns the expression for arguments that are options with some letters and their values,
// and for two operands that are no files, if there is anything behind the letters.
func filter(fact string) *regexp.Regexp {
	letters, operands, _ := strings.Cut(fact, ",")
	const value, operand = `(?:[^\x00]|[+0-9,.nr-]*)\x00`, `(?:(?:-|[^\x00-][^\x00]*)\x00)?`
	option := "-[" + letters + "0-9](?:[" + letters + "0-9]*\x00|" + value + ")(?:" + value + ")?"
	return regexp.MustCompile("^(?:" + option + ")*" + strings.Repeat(operand, 2*len(operands)) + "$")
}

// add adds the row of a subcommand, which has the options that stand behind any.
func (p *Program) add(name string, sub *Program) {
	if p.subs == nil {
		p.subs = map[string]*Program{}
	}
	sub.super = p
	if every := p.subs["*"]; every != nil {
		own := sub.facts
		sub.facts = map[string]string{}
		for _, facts := range []map[string]string{every.facts, own} {
			for fact, value := range facts {
				sub.facts[fact] = strings.Trim(sub.facts[fact]+","+value, ",")
			}
		}
	}
	p.subs[name] = sub
}

var unlisted = &Program{Class: "other"}

// Named returns the row of a program by its name without a folder, in lower case. A name
// with a version, such as python3.12, stands for the program without it, unless that is
// allowed something because of its name.
func Named(name string) *Program {
	if p := programs()[name]; p != nil {
		return p
	}
	plain := strings.TrimRight(strings.TrimRight(name, "0123456789."), "-")
	if p := programs()[plain]; p != nil && !list("text names reader").has(p.Class) {
		return p
	}
	return unlisted
}

// nameOf returns the name under which the table has a command.
func nameOf(name Word) string {
	return strings.ToLower(name.Text[strings.LastIndexByte(name.Text, '/')+1:])
}

func (p *Program) is(fact string) bool {
	_, is := p.facts[fact]
	return is
}

// list returns the names that a fact has.
func (p *Program) list(fact string) list { return list(p.facts[fact]) }

// sub returns the row of the subcommand in the words of a command, and its index, which is
// that of the end if there is none. known is false if a word before it is not known.
func (p *Program) sub(words []Word) (sub *Program, at int, known bool) {
	for at = 1; at < len(words); at++ {
		x := words[at]
		switch {
		case x.Kind != Static:
			return p, at, false
		case !x.isOption():
			name := x.Text
			if sub = p.subs[name]; sub == nil {
				sub = p.subs["*"]
			}
			if sub == nil {
				sub = p
			}
			return sub, at, true
		case p.list("longvalued").has(x.Text), len(x.Text) == 2 && strings.Contains(p.facts["valued"], x.Text[1:]):
			if at++; at < len(words) && (words[at].Kind == Unknown || words[at].Many) {
				return p, at, false
			}
		}
	}
	return p, len(words), true
}

// ofCommand returns the row that counts for a command: that of its subcommand, if there is
// one.
func ofCommand(words []Word) *Program {
	p := Named(nameOf(words[0]))
	if p.subs == nil {
		return p
	}
	sub, at, _ := p.sub(words)
	if at == len(words) {
		return p
	}
	return sub
}

// options are the facts whose options a rule has to spell.
var options = []string{"run", "files", "out", "inplace"}

// option returns the guarded option that a word is or holds, as the fact lists it, and its
// fact. value is what follows it in the same word, and glued says that something may.
func (p *Program) option(text string) (fact, name, value string, glued bool) {
	for _, fact := range append([]string{"outside"}, options...) {
		for name := range p.list(fact).all() {
			if value, glued, ok := p.matches(text, name); ok {
				return fact, name, value, glued
			}
		}
	}
	return "", "", "", false
}

// matches reports whether a word is an option, or holds its letter in a cluster.
func (p *Program) matches(text, name string) (value string, glued, ok bool) {
	head, tail, assigned := strings.Cut(text, "=")
	switch {
	case name[0] != '-': // a text with which a word begins, such as @
		return "", false, strings.HasPrefix(text, name)
	case strings.HasPrefix(name, "--"):
		exact := head == name
		cut := len(head) > 2 && strings.HasPrefix(head, "--") && strings.HasPrefix(name, head) && !p.fine(head)
		return tail, assigned, exact || cut || strings.HasSuffix(name, ".") && strings.HasPrefix(text, name)
	case len(name) > 2 || p.is("whole"):
		bare := strings.TrimPrefix(head, "-")
		return tail, assigned, bare == name || head == name
	case !strings.HasPrefix(text, "-") || strings.HasPrefix(text, "--"):
		return "", false, false
	}
	for i := 1; i < len(text); i++ {
		if text[i] == name[1] {
			return text[i+1:], i+1 < len(text), true
		}
		if strings.IndexByte(p.facts["valued"], text[i]) >= 0 {
			break
		}
	}
	return "", false, false
}

// fine reports whether a long option is one of its own and no cut form: the program has one
// of that name.
func (p *Program) fine(head string) bool {
	return p.list("fine").has(head) || slices.ContainsFunc(options, func(fact string) bool { return p.list(fact).has(head) })
}

// RunsAnything reports whether a rule for all arguments of a program allows much more than the
// program itself.
func RunsAnything(name string) bool {
	return list("runner tester interpreter wrapper service").has(Named(name).Class)
}

// OpensAll reports whether a rule for all that follows a first argument allows as much as
// one for all arguments.
func OpensAll(name, argument string) bool {
	opens := Named(name).list("opens")
	return opens.has("*") || opens.has(argument)
}

// HasSubcommands reports whether a program does nothing without a subcommand.
func HasSubcommands(name string) bool {
	return Named(name).is("commands") || list("go cargo gh npm kubectl docker").has(name)
}

package permission

import (
	"slices"
	"strings"
)

// facts is a row of the table of programs: all that is known of one program, or of
// several that are alike. A program without a row is run as a rule says, and is
// not known to write anything.
type facts struct {
	// names are what it is called without a folder, in lower case, with blanks between.
	names string

	// runs says how what it runs is found, moves that it may change the shell's
	// working directory, and wrapper where the command stands that it runs.
	runs    runs
	moves   bool
	wrapper *wrapper
	// readsFolder says that it does what files of its working directory say,
	// runsGit that git is one of the things that it runs.
	readsFolder, runsGit bool

	// options are those that a rule has to spell, risks what else it has to.
	options *riskyOptions
	risks   func(words []word) []risk
	// runsInput says that it runs what it is fed.
	runsInput bool
	// interprets are the words that are no names of files, and subscripts tells
	// when they name variables, whose subscripts are evaluated.
	interprets interprets
	subscripts when
	// bare are short options without a value, of a program that takes what follows --
	// for operands: words that are not known are put behind one.
	bare string
	// scripts returns which words are scripts, where that is not the first operand.
	scripts func(words []word) (at []int, known bool)

	// needsNoRule, textOnly and reads say when it is allowed without a rule, does
	// nothing with its words but print or compare them, and changes nothing.
	needsNoRule, textOnly, reads when
	// filter says when it is allowed at the end of a pipe.
	filter *filter
	// contents says whether what is in files can be seen by it; searches, whether it
	// goes through directories by itself.
	contents contents
	// counts says that it shows no more of what is in files than how much it is.
	counts   bool
	searches when

	// writes says which operands it writes, saysWrites that these are all that it
	// writes, and output which options name a file that it writes.
	writes     operandRule
	saysWrites bool
	// noContent says that it writes nothing of its own into files: it makes and takes
	// them away, or changes what is known of them. onlyFiles says that all that a rule
	// has to spell of it is about which files it reads and writes.
	noContent, onlyFiles bool
	output               *outputOption
	// inPlace are the options with which its operands are what it writes.
	inPlace []string
	// copies says that it puts files, links among them, under other names;
	// targetOption that -t names where, allTargets when all operands may be
	// targets, intoFolder that a single operand gets a name in the working
	// directory, and replaces that a name which is there is taken away.
	copies, targetOption, intoFolder, replaces bool
	allTargets, hardLinks                      when
	// trees returns the words of which the operands are taken with all that is in
	// them; changesBelow says when what is in directories is changed; brings, when
	// it puts files of others in the place of those that are there.
	trees                func(words []word) []word
	changesBelow, brings when

	// synonyms are the words with which it says the same: a rule that denies one
	// denies all. A group without a first word that is a subcommand is of options
	// and operands.
	synonyms [][]string
	// wide is what a rule for all its arguments allows too; anything, what it is
	// if it runs whatever it is told to; and opens reports whether it does so
	// after a first argument.
	wide     *wideRule
	anything string
	opens    func(argument string) bool
}

// runs says how what a program runs is found.
type runs uint8

const (
	movesDir      runs = iota + 1 // cd and its like
	executesFound                 // -exec of find
	shellScript                   // -c of a shell
	evaluates                     // its words are a script
	setsTrap                      // its first word is one, for later
	renames                       // it may give a name another meaning
	sources                       // a file is a script
	callback                      // a risky option takes a word that it runs
)

// contents says whether a program shows what is in files.
type contents uint8

const (
	shown  contents = iota + 1 // it may print, copy or send it
	hidden                     // it looks at no more than names
)

// when reports of which commands something is true; nil, of none.
type when func(words []word) bool

func always([]word) bool { return true }

// of is when for a command.
func (t when) of(words []word) bool { return t != nil && t(words) }

// programs are the rows of the table by name.
var programs = byName(shellPrograms, filePrograms, textPrograms, projectPrograms)

func byName(tables ...[]facts) map[string]*facts {
	all := map[string]*facts{}
	for _, row := range slices.Concat(tables...) {
		for _, name := range strings.Fields(row.names) {
			all[name] = &row
		}
	}
	return all
}

// named returns what is known of a program by that name, however its name is
// written in a command.
func named(name string) *facts {
	if row := programs[name]; row != nil {
		return row
	}
	return &facts{}
}

// list splits names at blanks.
func list(names string) []string { return strings.Fields(names) }

// programName returns the name by which the table knows a command, however it is
// written.
func programName(name word) string {
	return strings.ToLower(name.text[strings.LastIndexByte(name.text, '/')+1:])
}

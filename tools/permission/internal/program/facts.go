// Package program is the table of programs: what is known of each, and what a command's
// words mean to it. Nothing here looks at the file system, or at a rule.
//
// Most programs need no row: a rule names them. What else there is to know of one is a
// row in rows_shell.go, rows_files.go, rows_text.go or rows_projects.go, in which its
// name is looked up by [Named]: which options a rule has to spell, which operands it
// writes, whether it runs another program, which words it interprets, whether it only
// reads. The fields are explained at [Facts].
package program

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Facts is a row of the table of programs: all that is known of one program, or of
// several that are alike. A program without a row is run as a rule says, and is
// not known to write anything.
type Facts struct {
	// Names are what it is called without a folder, in lower case, with blanks between.
	Names string

	// Runs says how what it runs is found, Moves that it may change the shell's
	// working directory, and Wrapper where the command stands that it runs.
	Runs    Runs
	Moves   bool
	Wrapper *Wrapper
	// ReadsFolder says that it does what files of its working directory say,
	// RunsGit that git is one of the things that it runs.
	ReadsFolder, RunsGit bool

	// Options are those that a rule has to spell, Risks what else it has to.
	Options *RiskyOptions
	Risks   func(words []word.Word) []Risk
	// RunsInput says that it runs what it is fed.
	RunsInput bool
	// Interprets are the words that are no names of files, and Subscripts says
	// when they name variables, whose subscripts are evaluated.
	Interprets Interprets
	Subscripts When
	// Bare are short options without a value, of a program that takes what follows --
	// for operands: words that are not known are put behind one.
	Bare string
	// Scripts returns which words are scripts, where that is not the first operand.
	Scripts func(words []word.Word) (at []int, known bool)

	// NeedsNoRule, TextOnly and Reads say when it is allowed without a rule, does
	// nothing with its words but print or compare them, and changes nothing.
	NeedsNoRule, TextOnly, Reads When
	// Filter says when it is allowed at the end of a pipe.
	Filter *Filter
	// Contents says whether what is in files can be seen by it; Searches, whether it
	// goes through directories by itself.
	Contents Contents
	// Counts says that it shows no more of what is in files than how much it is.
	Counts   bool
	Searches When

	// Writes returns the words that name what it writes, SaysWrites says that these are
	// all that it writes, InFolder that in a folder it is some files, and not all of it,
	// and Output which options name a file that it writes.
	Writes     OperandRule
	InFolder   bool
	SaysWrites bool
	// NoContent says that it writes nothing of its own into files: it makes and takes
	// them away, or changes what is known of them. OnlyFiles says that all that a rule
	// has to spell of it is about which files it reads and writes.
	NoContent, OnlyFiles bool
	Output               *OutputOption
	// InPlace are the options with which its operands are what it writes.
	InPlace list
	// Copies says that it puts files, links among them, under other names;
	// TargetOption that -t names where, AllTargets when all operands may be
	// targets, IntoFolder that a single operand gets a name in the working
	// directory, and Replaces that a name which is there is taken away.
	Copies, TargetOption, IntoFolder, Replaces bool
	AllTargets, HardLinks                      When
	// Trees returns the words of which the operands are taken with all that is in
	// them; ChangesBelow says when what is in directories is changed; Brings, when
	// it puts files of others in the place of those that are there.
	Trees                func(words []word.Word) []word.Word
	ChangesBelow, Brings When

	// Synonyms are the words with which it says the same: a rule that denies one
	// denies all. A group without a first word that is a subcommand is of options
	// and operands.
	Synonyms [][]string
	// Commands are its subcommands. Any other word in their place may be one of them
	// cut short where it Shortens, or an alias of its user's where it has Aliases.
	// Where there are none its operands are all such words. Tasks says that each operand
	// is one that it does.
	Commands                 list
	Shortens, Aliases, Tasks bool
	// Carries are the words behind which another program is named that it runs: "" is
	// none.
	Carries []string
	// Wide is what a rule for all its arguments allows too; Opens reports whether one
	// for all behind a first argument does so.
	Wide  *WideRule
	Opens func(argument string) bool
}

// Runs says how what a program runs is found.
type Runs uint8

const (
	MovesDir      Runs = iota + 1 // cd and its like
	ExecutesFound                 // -exec of find
	ShellScript                   // -c of a shell
	Evaluates                     // its words are a script
	SetsTrap                      // its first word is one, for later
	Renames                       // it may give a name another meaning
	Sources                       // a file is a script
	Callback                      // a risky option takes a word that it runs
)

// Contents says whether a program shows what is in files.
type Contents uint8

const (
	Shown  Contents = iota + 1 // it may print, copy or send it
	Hidden                     // it looks at no more than names
)

// When reports of which commands something is true; nil, of none.
type When func(words []word.Word) bool

func always([]word.Word) bool { return true }

// Of is when for a command.
func (t When) Of(words []word.Word) bool { return t != nil && t(words) }

// programs are the rows of the table by name.
var programs = sync.OnceValue(func() map[string]*Facts {
	all := map[string]*Facts{}
	for _, row := range slices.Concat(shellPrograms, filePrograms, textPrograms, projectPrograms) {
		for _, name := range strings.Fields(row.Names) {
			all[name] = &row
		}
	}
	return all
})

// Named returns what is known of a program by that name, as [NameOf] gives it. One with
// a version behind its name, such as python3.12, is the program without it, unless that
// is allowed anything for its name.
func Named(name string) *Facts {
	if row := programs()[name]; row != nil {
		return row
	}
	if row := programs()[Unversioned(name)]; row != nil && row.Reads == nil && row.NeedsNoRule == nil && row.Filter == nil && row.TextOnly == nil {
		return row
	}
	return &Facts{}
}

// Unversioned is a name without the version behind it: pip of pip3.12, gcc of gcc-12.
func Unversioned(name string) string {
	return strings.TrimRight(strings.TrimRight(name, "0123456789."), "-")
}

// A list is names with blanks between: a row is made of constants, which cost nothing
// where it is not looked up.
type list string

func (l list) all() iter.Seq[string] { return strings.FieldsSeq(string(l)) }

// has reports whether a name is in the list.
func (l list) has(name string) bool { return l.any(func(other string) bool { return other == name }) }

// any reports whether a name of the list fits.
func (l list) any(fits func(name string) bool) bool {
	for name := range l.all() {
		if fits(name) {
			return true
		}
	}
	return false
}

// NameOf returns the name by which the table knows a command, however it is
// written.
func NameOf(name word.Word) string {
	return strings.ToLower(name.Text[strings.LastIndexByte(name.Text, '/')+1:])
}

// WideRule says of a program that does much more than a rule for all its arguments
// seems to say what that allows beside the harmless, with the arguments that do it, and
// a rule that does not. %s stands for the program's name.
type WideRule struct {
	Does, Narrower string
	// RunsFiles says that it is files of the workspace that it runs so.
	RunsFiles bool
}

// For is what is said of a program by one of its names.
func (w WideRule) For(name string) (does, narrower string) {
	return strings.ReplaceAll(w.Does, "%s", name), strings.ReplaceAll(w.Narrower, "%s", name)
}

// Whether a first argument says nothing of what is run after it. Strings that
// shells run are judged as commands, so -c of bash is fine.

func anyArgument(string) bool { return true }

func startsContainer(argument string) bool { return argument == "run" || argument == "exec" }

func givesCode(argument string) bool {
	return slices.Contains([]string{"-c", "-e", "-m", "-r", "-E", "-p", "--eval", "--print", "run", "eval", "x"}, argument)
}

// Package program is the table of programs: what is known of each, and what the words of
// a command mean to it. It looks at neither the file system nor the rules.
//
// Most programs need no row: a rule names them. A row, in rows_shell.go, rows_files.go,
// rows_text.go or rows_projects.go, says what else there is to know of a program: which
// options a rule has to spell, which operands it writes, whether it runs another program,
// which words it interprets, whether it only reads. [Facts] explains the fields, and
// [Named] looks a row up.
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
	// Names are its names without a folder, in lower case, with blanks between them.
	Names string

	// Runs says how it finds what it runs, Moves that it may change the shell's
	// working directory, and Wrapper where in its words the command is that it runs.
	Runs    Runs
	Moves   bool
	Wrapper *Wrapper
	// ReadsFolder says that it does what files of its working directory say,
	// RunsGit that it may run git.
	ReadsFolder, RunsGit bool

	// Runner says which files of its working directory it finds and runs. CodeLetters are the
	// letters of the options after which it takes code, for a program whose first operand is
	// a script else; a shell needs none.
	Runner      *Runner
	CodeLetters string

	// Options are the options that a rule has to spell, Risks finds what else it has to.
	Options *RiskyOptions
	Risks   func(words []word.Word) []Risk
	// RunsInput says that it runs what it reads from its standard input.
	RunsInput bool
	// Interprets are the words that are not names of files. Subscripts says when its
	// words are names of variables, whose subscripts the shell evaluates.
	Interprets Interprets
	Subscripts When
	// Bare are the short options without a value of a program that takes all words
	// after -- for operands: a -- is put before words that are not known.
	Bare string
	// Scripts returns which words are scripts, for a program where that is not simply
	// the first operand.
	Scripts func(words []word.Word) (at []int, known bool)

	// NeedsNoRule says when it is allowed without a rule, TextOnly when it only prints
	// or compares its words, and Reads when it changes nothing.
	NeedsNoRule, TextOnly, Reads When
	// Filter says when it is allowed at the end of a pipe.
	Filter *Filter
	// Contents says whether it shows what is in files, Counts that it shows only how
	// much that is, and Searches when it goes through directories by itself.
	Contents Contents
	Counts   bool
	Searches When

	// Writes returns the words that name what it writes. SaysWrites says that it writes
	// nothing else; InFolder that of a folder it writes some files, not the whole; and
	// Output which options name a file that it writes.
	Writes     OperandRule
	InFolder   bool
	SaysWrites bool
	// NoContent says that it writes no content of its own into files: it creates or
	// removes them, or changes their attributes. OnlyFiles says that what a rule has to
	// spell of it is only about which files it reads and writes.
	NoContent, OnlyFiles bool
	Output               *OutputOption
	// InPlace are the options with which it writes its operands.
	InPlace list
	// Copies says that it gives files, or links, other names; TargetOption that its
	// option -t names the target; AllTargets when every operand may be a target;
	// IntoFolder that it gives a single operand a name in the working directory; and
	// Replaces that it removes an existing file of the target's name.
	Copies, TargetOption, IntoFolder, Replaces bool
	AllTargets, HardLinks                      When
	// Trees returns the words whose operands it copies, moves or links with all that is
	// in them. ChangesBelow says when it changes what is in directories, and Brings when
	// it may replace files of the workspace by files from elsewhere.
	Trees                func(words []word.Word) []word.Word
	ChangesBelow, Brings When

	// Synonyms are groups of words that mean the same: a rule that denies one word
	// denies the whole group.
	Synonyms [][]string
	// Commands are its subcommands. Another word in their place may be a subcommand cut
	// short where it Shortens, or an alias of the user where it has Aliases. Without a
	// list every operand may be one. Tasks says that each operand is a task to run.
	Commands                 list
	Shortens, Aliases, Tasks bool
	// Carries are the words after which it takes another program to run; "" says that
	// the first operand is that program.
	Carries []string
	// Wide is what a rule for all its arguments allows beside the harmless. Opens
	// reports whether a rule for all that follows a first argument does the same.
	Wide  *WideRule
	Opens func(argument string) bool
}

// Runs says how a program finds what it runs.
type Runs uint8

const (
	MovesDir      Runs = iota + 1 // it changes the directory, as cd does
	ExecutesFound                 // -exec of find
	ShellScript                   // -c of a shell
	Evaluates                     // its words are a script
	SetsTrap                      // its first word is a script to run later
	Renames                       // it may give a name another meaning
	Sources                       // its first word names a script file
	Callback                      // it runs the value of a risky option
)

// Contents says whether a program shows what is in files.
type Contents uint8

const (
	Shown  Contents = iota + 1 // it may print, copy or send it
	Hidden                     // it looks only at names
)

// When reports whether something is true of a command. Nil is false of every command.
type When func(words []word.Word) bool

func always([]word.Word) bool { return true }

func (t When) Of(words []word.Word) bool { return t != nil && t(words) }

// programs maps each name to its row.
var programs = sync.OnceValue(func() map[string]*Facts {
	all := map[string]*Facts{}
	for _, row := range slices.Concat(shellPrograms, filePrograms, textPrograms, projectPrograms) {
		for _, name := range strings.Fields(row.Names) {
			all[name] = &row
		}
	}
	return all
})

// Named returns the row of a program by its name, as [NameOf] returns it, or an empty
// row. A name with a version, such as python3.12, stands for the program without it,
// unless that program is allowed something because of its name.
func Named(name string) *Facts {
	if row := programs()[name]; row != nil {
		return row
	}
	if row := programs()[Unversioned(name)]; row != nil && row.Reads == nil && row.NeedsNoRule == nil && row.Filter == nil && row.TextOnly == nil {
		return row
	}
	return &Facts{}
}

// Unversioned returns a name without its version: pip for pip3.12, gcc for gcc-12.
func Unversioned(name string) string {
	return strings.TrimRight(strings.TrimRight(name, "0123456789."), "-")
}

// A list is names with blanks between them. As a constant it costs nothing until its row
// is looked up.
type list string

func (l list) all() iter.Seq[string] { return strings.FieldsSeq(string(l)) }

// has reports whether a name is in the list.
func (l list) has(name string) bool { return l.any(func(other string) bool { return other == name }) }

// any reports whether fits is true of a name in the list.
func (l list) any(fits func(name string) bool) bool {
	for name := range l.all() {
		if fits(name) {
			return true
		}
	}
	return false
}

// NameOf returns the name under which the table has a command: without its folder, in
// lower case.
func NameOf(name word.Word) string {
	return strings.ToLower(name.Text[strings.LastIndexByte(name.Text, '/')+1:])
}

// WideRule is for a warning about a rule that allows all arguments of a program, and so
// much more than it seems to: what it allows, and a narrower rule. %s stands for the
// program's name.
type WideRule struct {
	Does, Narrower string
	// RunsFiles says that what the program runs are files of the workspace.
	RunsFiles bool
}

// For returns both texts for one of the program's names.
func (w WideRule) For(name string) (does, narrower string) {
	return strings.ReplaceAll(w.Does, "%s", name), strings.ReplaceAll(w.Narrower, "%s", name)
}

// The functions for Facts.Opens: whether anything may be run after a first argument.
// Strings that shells run are judged as commands, so -c of bash is fine.

func anyArgument(string) bool { return true }

func startsContainer(argument string) bool { return argument == "run" || argument == "exec" }

func givesCode(argument string) bool {
	return slices.Contains([]string{"-c", "-e", "-m", "-r", "-E", "-p", "--eval", "--print", "run", "eval", "x"}, argument)
}

package script

import (
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Unit is one part of a shell command that every domain judges: a simple
// command, a redirect, or a construct that no pattern can name.
type Unit struct {
	Source string
	// Refused is why no rule allows the part. unsure is why the words alone don't
	// say which files it reads or writes: then none allows it where commands are
	// not held.
	Refused, Unsure string
	// Anywhere says that it puts content of its own into files that the words don't
	// name.
	Anywhere bool
	// IsFile says of a part that it is a file which a redirect opens, and needs no
	// rule over commands; Reason says why.
	IsFile bool
	Reason string
	// IsInput says that it is a file that is read, and not known before.
	IsInput bool
	// NeedsNoRule says of a command that it needs no rule unless there is a risk in it.
	NeedsNoRule bool
	// Forms are the readings that deny and ask patterns are tried on; own are
	// those that say what the part is, not what it may run.
	Forms, Own []program.Form
	// Allows are the readings of which an allow pattern has to cover one.
	Allows []AllowForm
	// Name is the program, for telling what only reads; guarded and inner parts
	// are units of their own.
	Name  string
	Words []word.Word
	At    Cwd
	// Inputs are the files that < names, Targets those that a redirect writes, and Outputs
	// those that options name. Around are the words of wrappers that need no rule.
	Inputs, Targets, Around []word.Word
	Outputs                 []program.Output
}

// AllowForm is a command as an allow pattern has to cover it.
type AllowForm struct {
	Level program.Level
	Words []word.Word
	Risks []program.Risk
}

// Risks returns what is a risk in the part.
func (u *Unit) Risks() []program.Risk {
	if len(u.Allows) == 0 {
		return nil
	}
	return u.Allows[0].Risks
}

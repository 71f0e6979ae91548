package script

import (
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/program"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/word"
)

// Unit is one part of a shell command that every domain judges: a simple command, a
// redirect, or a construct that no pattern can name. Commands inside another one are units
// of their own.
type Unit struct {
	Source string
	// Refused is why no rule can allow the unit. Unsure is why its words alone don't say
	// which files it reads or writes: where commands are not held, no rule can allow it.
	Refused, Unsure string
	// Anywhere says that it writes content of its own into files that its words don't
	// name.
	Anywhere bool
	// IsFile says that the unit is only a file which a redirect opens, and needs no rule
	// over commands; Reason says why it needs none.
	IsFile bool
	Reason string
	// IsInput says that the unit is a file that a redirect reads, and that is not known
	// before it runs.
	IsInput bool
	// NeedsNoRule says that the command needs no rule unless it has a risk.
	NeedsNoRule bool
	// Forms are the forms that deny and ask patterns are matched with. Own are those of
	// the unit itself, without what it may run.
	Forms, Own []program.Form
	// Allows are the forms of which an allow pattern has to cover one.
	Allows []AllowForm
	// Name is the program's name in the table.
	Name  string
	Words []word.Word
	At    Cwd
	// Inputs are the files that < names, Targets those that other redirects write, and
	// Outputs those that options name. Around are the words of transparent wrappers.
	Inputs, Targets, Around []word.Word
	Outputs                 []program.Output
}

// AllowForm is one form of a command, with the risks that an allow pattern has to spell.
type AllowForm struct {
	Level program.Level
	Words []word.Word
	Risks []program.Risk
}

// Risks returns the risks of the unit.
func (u *Unit) Risks() []program.Risk {
	if len(u.Allows) == 0 {
		return nil
	}
	return u.Allows[0].Risks
}

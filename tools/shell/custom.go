package shell

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/tools"
)

// CustomOptions configure a tool that is a command.
type CustomOptions struct {
	Spec tools.Spec // without Keep both ends of the output are kept

	// Render returns the Script and Values, or the Args, of a call, and nothing else of
	// the Command. Arguments of the model have to be elements of Args or Values, never a
	// part of a script. Numbers are as in [jsonline.ExactNumbers]. An error is reported to
	// the model.
	Render func(arguments map[string]any) (Command, error)

	// Reads says that no call changes anything: calls run side by side, and one that was cut
	// off may be made again. It allows nothing.
	Reads bool

	Dir     string
	Env     []string // see [Environment]
	Sandbox *Sandbox // of every call; nil is none
}

// Custom returns a tool that is a command.
func Custom(o CustomOptions) tools.Tool {
	if o.Spec.Keep == "" {
		o.Spec.Keep = tools.KeepBoth
	}
	return custom{o}
}

type custom struct{ o CustomOptions }

func (c custom) Spec() tools.Spec { return c.o.Spec }

// Effects returns everything, unless the command is said to read only.
func (c custom) Effects(json.RawMessage) tools.Effects {
	if !c.o.Reads {
		return tools.Everything()
	}
	return tools.Effects{Reads: []string{filepath.Clean(c.o.Dir)}}
}

func (c custom) Run(ctx context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	var values map[string]any
	if err := jsonline.Decode(arguments, &values); err != nil {
		return tools.Fail(err)
	}
	command, err := c.o.Render(values)
	if err != nil {
		return tools.Fail(err)
	}
	command.Dir, command.Env, command.Sandbox = c.o.Dir, c.o.Env, c.o.Sandbox
	command.call = command.authorsCall()
	return runTool(ctx, command, out)
}

package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/a-seed-11b9befa/flow/tools"
)

// CustomOptions describe a tool that is a command.
type CustomOptions struct {
	Spec tools.Spec // without Keep both ends of its output are kept

	// Render makes the script, or the words, of a call. What the model gives is
	// a word of Args, or a variable of Env, never a part of a script. Numbers
	// are as [tools.ExactNumbers] has them. An error is told to the model.
	Render func(arguments map[string]any) (Command, error)

	Dir     string        // where Render names no other
	Env     []string      // what Render gives comes after it
	Timeout time.Duration // where Render gives none; 0 stands for [DefaultTimeout]
	Sandbox *Sandbox      // of every call; nil is none

	// Effects are those of a call; nil takes it to touch everything.
	Effects func(arguments json.RawMessage) tools.Effects
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

func (c custom) Effects(arguments json.RawMessage) tools.Effects {
	if c.o.Effects == nil {
		return tools.Everything()
	}
	return c.o.Effects(arguments)
}

func (c custom) Run(ctx context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	values, err := decode(arguments)
	if err != nil {
		return failed(err)
	}
	command, err := c.o.Render(values)
	if err != nil {
		return failed(err)
	}
	if command.Dir == "" {
		command.Dir = c.o.Dir
	}
	if command.Timeout <= 0 {
		command.Timeout = c.o.Timeout
	}
	command.Timeout = min(command.Timeout, MaxTimeout)
	command.Sandbox = c.o.Sandbox
	command.Env = append(c.o.Env[:len(c.o.Env):len(c.o.Env)], command.Env...)
	return runTool(ctx, command, out)
}

// decode parses an object, and keeps the digits of its integers.
func decode(arguments json.RawMessage) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	var values map[string]any
	if err := d.Decode(&values); err != nil {
		return nil, err
	}
	tools.ExactNumbers(values)
	return values, nil
}

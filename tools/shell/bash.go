package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

const bashSchema = `{
  "type": "object",
  "properties": {
    "command": {"type": "string", "minLength": 1, "description": "What bash is to run"},
    "description": {"type": "string", "description": "What it is for, in a few words"},
    "workdir": {"type": "string", "description": "Folder to run it in; the workspace where it is missing"},
    "timeout": {"type": "integer", "minimum": 1, "maximum": 600000, "description": "Milliseconds, after which it is ended; 120000 where it is missing"}
  },
  "required": ["command", "description"],
  "additionalProperties": false
}`

// BashOptions configure the bash tool.
type BashOptions struct {
	Root string   // the workspace; commands run in folders of it
	Env  []string // see [Environment]

	// Read returns what is known of a command that was allowed, in dir, before it runs. Nil
	// runs commands as they were written, and takes each to touch everything.
	Read func(command, dir string) (permission.Reading, error)

	Sandbox *Sandbox // of every command; nil is none
}

// Bash returns the tool bash {command, description, workdir?, timeout?}.
func Bash(o BashOptions) tools.Tool { return bash{o} }

type bash struct{ o BashOptions }

func (bash) Spec() tools.Spec {
	return tools.Spec{
		Name: "bash",
		Description: "Run a command with bash, without standard input. " +
			"You get its standard output and error as they came, and its exit code where that is not 0. Processes left in the background are ended.",
		Parameters: json.RawMessage(bashSchema),
		Keep:       tools.KeepBoth,
	}
}

type bashArguments struct {
	Command string `json:"command"`
	Workdir string `json:"workdir"`
	Timeout int64  `json:"timeout"` // milliseconds
}

func (b bash) Effects(arguments json.RawMessage) tools.Effects {
	var a bashArguments
	if json.Unmarshal(arguments, &a) != nil {
		return tools.Everything()
	}
	dir, err := b.dir(a.Workdir)
	if err != nil {
		return tools.Everything()
	}
	if read, err := b.read(a.Command, dir); err != nil || !read.ReadOnly {
		return tools.Everything()
	}
	return tools.Effects{Reads: []string{dir, filepath.Clean(b.o.Root)}}
}

func (b bash) Run(ctx context.Context, arguments json.RawMessage, out *tools.Output) (tools.Result, error) {
	var a bashArguments
	if err := json.Unmarshal(arguments, &a); err != nil {
		return tools.Fail(fmt.Errorf("arguments: %w", err))
	}
	dir, err := b.dir(a.Workdir)
	if err != nil {
		return tools.Fail(err)
	}
	read, err := b.read(a.Command, dir)
	if err != nil {
		return tools.Fail(err)
	}
	args, err := commandArgs(read.Script)
	if err != nil {
		return tools.Fail(err)
	}
	return runTool(ctx, Command{
		call:    held.Call{ReadOnly: read.ReadOnly, Git: read.OnlyGit, Beside: read.Beside, Prints: read.GitPrints, Connects: read.Connects},
		Args:    args,
		Dir:     dir,
		Env:     b.o.Env,
		Sandbox: b.o.Sandbox,
		Timeout: min(time.Duration(a.Timeout)*time.Millisecond, maxTimeout),
	}, out)
}

func (b bash) read(command, dir string) (permission.Reading, error) {
	if b.o.Read == nil {
		return permission.Reading{Script: command}, nil
	}
	return b.o.Read(command, dir)
}

// dir returns the real path of a command's folder, which has to be inside the root.
func (b bash) dir(workdir string) (string, error) {
	root, err := filepath.EvalSymlinks(b.o.Root)
	if err != nil {
		return "", fmt.Errorf("workspace: %w", err)
	}
	if !filepath.IsAbs(workdir) {
		workdir = root + string(filepath.Separator) + workdir
	}
	dir, err := filepath.EvalSymlinks(workdir)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("workdir %q: there is no such folder", workdir)
	}
	if err != nil {
		return "", fmt.Errorf("workdir: %w", err)
	}
	if rest, err := filepath.Rel(root, dir); err != nil || !filepath.IsLocal(rest) {
		return "", fmt.Errorf("workdir %q is outside of the workspace", workdir)
	}
	return dir, nil
}

// runTool runs a command for a model.
func runTool(ctx context.Context, c Command, out *tools.Output) (tools.Result, error) {
	printed, err := c.printTo(out)
	if err != nil {
		return tools.Fail(err)
	}
	defer printed.close()
	c.Stdout, c.Stderr, c.Untrusted = printed, printed, true
	c.Env = ofModel(c.Env)
	exit, view, err := c.run(ctx)
	if view != nil {
		defer view.Close()
	}
	if ctx.Err() != nil && err != nil {
		return tools.Result{}, err
	}
	if err != nil {
		return tools.Fail(err)
	}
	note := exit.note(c.timeout())
	if note != "" && printed.refused && c.Sandbox != nil {
		note += "; " + c.Sandbox.note()
	}
	if note != "" && view != nil && view.Closed() != "" {
		note += "; " + view.Closed()
	}
	result := tools.Result{Failed: note != "", Note: note}
	if c.undone != "" {
		result.Failed, result.Note = true, strings.TrimPrefix(note+"; "+c.undone, "; ")
		result.Denied = &tools.Decision{Verdict: tools.Deny, Rule: "what no rule allows was undone", Reason: c.undone}
	}
	if view == nil {
		return result, nil
	}
	return c.Sandbox.Hold.land(ctx, view, result, printed)
}

// note describes how a command ended, or returns "" if it ended well.
func (e Exit) note(limit time.Duration) string {
	var notes []string
	if e.TimedOut {
		notes = append(notes, fmt.Sprintf("timed out after %v, and was ended with its process group", limit))
	}
	if e.Why != "" {
		notes = append(notes, "ended, because "+e.Why)
	} else if e.Signal != "" {
		notes = append(notes, "ended by "+e.Signal)
	}
	if e.Code != 0 {
		notes = append(notes, fmt.Sprintf("exit code %d", e.Code))
	}
	return strings.Join(notes, "; ")
}

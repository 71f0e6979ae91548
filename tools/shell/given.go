package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of the environment, in bytes. The kernel's are 128 KiB for one string, and 2 MiB
// for all strings and the arguments together.
const (
	maxVariable  = 100 << 10
	maxVariables = 1 << 20
)

// Variable is a shell variable of a script. A long value is not exported: the script has
// it, the programs that it starts do not.
type Variable struct {
	Name, Value string
}

// given is what a command gets: the script, if it has one, and its environment.
type given struct {
	source string
	env    []string
	folder string // holds the values that are too long for the environment; "" is none
}

// give returns the script and the environment with the values. What is too long, even the
// script, goes to a file that only this user can read.
func (c Command) give() (given, error) {
	g := given{source: c.Script, env: slices.Clone(c.Env)}
	if len(c.Args) > 0 {
		return g, nil
	}
	if err := g.assign(c.Values); err != nil {
		return g, errors.Join(err, g.remove())
	}
	return g, nil
}

func (g *given) assign(values []Variable) error {
	room := maxVariables
	for i, v := range values {
		switch {
		case strings.ContainsRune(v.Value, 0):
			return fmt.Errorf("value %d of the script: a NUL byte, which no shell variable can hold", i+1)
		case len(v.Value) <= maxVariable && len(v.Value) <= room:
			room -= len(v.Value)
			g.env = append(g.env, v.Name+"="+v.Value)
		default:
			path, err := g.write(v.Name, v.Value)
			if err != nil {
				return err
			}
			g.source = assignment(v.Name, path) + g.source
		}
	}
	if len(g.source) <= maxVariable {
		return nil
	}
	path, err := g.write("script", g.source)
	g.source = ". " + quoted(path)
	return err
}

// assignment returns shell code that reads a variable from a file. It has no newline, so
// that the line numbers in the shell's messages stay right; the x keeps the newlines at
// the end of the value.
func assignment(name, path string) string {
	return fmt.Sprintf("%s=$(cat %s; echo x); %s=${%s%%x}; ", name, quoted(path), name, name)
}

func quoted(path string) string {
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

func (g *given) write(name, content string) (path string, err error) {
	if g.folder == "" {
		if g.folder, err = os.MkdirTemp("", "flow-"); err != nil {
			return "", fmt.Errorf("folder for long values: %w", err)
		}
	}
	path = filepath.Join(g.folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return "", fmt.Errorf("file for a long value: %w", err)
	}
	return path, nil
}

// remove removes the files. It may be called only when the shell has ended.
func (g *given) remove() error {
	if g.folder == "" {
		return nil
	}
	return os.RemoveAll(g.folder)
}

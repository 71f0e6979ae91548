package steps

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The kernel takes 128 KiB for one string of the environment, and 2 MiB for
// all of them and the arguments together.
const (
	maxVariable  = 100 << 10
	maxVariables = 1 << 20
)

// A script is what the shell is started with.
type script struct {
	source string
	env    []string
	folder string // of values that are too long for the environment; "" for none
}

// script puts the values where the shell finds them. What is too long for the
// environment, the source too, goes to a file that only this user can read.
func (c *Command) script() (script, error) {
	s := script{source: c.Source, env: slices.Clone(c.Env)}
	room := maxVariables
	for i, v := range c.Values {
		switch {
		case strings.ContainsRune(v.Value, 0):
			return s, errors.Join(fmt.Errorf("value %d of the script: a NUL byte, which no shell variable can hold", i+1), s.remove())
		case len(v.Value) <= maxVariable && len(v.Value) <= room:
			room -= len(v.Value)
			s.env = append(s.env, v.Name+"="+v.Value)
		default:
			path, err := s.write(v.Name, v.Value)
			if err != nil {
				return s, errors.Join(err, s.remove())
			}
			s.source = assignment(v.Name, path) + s.source
		}
	}
	if len(s.source) <= maxVariable {
		return s, nil
	}
	path, err := s.write("script", s.source)
	if err != nil {
		return s, errors.Join(err, s.remove())
	}
	s.source = ". " + quoted(path)
	return s, nil
}

// assignment is shell code that reads a variable from a file. It stands on the
// script's first line, so that the shell's messages keep their line numbers;
// the x keeps the newlines at the value's end.
func assignment(name, path string) string {
	return fmt.Sprintf("%s=$(cat %s; echo x); %s=${%s%%x}; ", name, quoted(path), name, name)
}

func quoted(path string) string {
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

func (s *script) write(name, content string) (path string, err error) {
	if s.folder == "" {
		if s.folder, err = os.MkdirTemp("", "flow-"); err != nil {
			return "", fmt.Errorf("folder for long values: %w", err)
		}
	}
	path = filepath.Join(s.folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return "", fmt.Errorf("file for a long value: %w", err)
	}
	return path, nil
}

// remove removes what was written. It is called when the shell has ended.
func (s *script) remove() error {
	if s.folder == "" {
		return nil
	}
	return os.RemoveAll(s.folder)
}

package shell

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// The exit codes of a shell for a program that it can't run, and for one that it does not find.
const (
	cannotRun = 126
	notFound  = 127
)

// maxLooked is how many words of a command are looked at.
const maxLooked = 1000

// lacks returns a line that says which program of a held command, or which interpreter of one, was not
// there for it, because it lies in a temporary folder; "" for none.
func (c *Command) lacks(view *held.View, exit Exit) string {
	if exit.Code != notFound && exit.Code != cannotRun {
		return ""
	}
	words := strings.FieldsFunc(strings.Join(append(c.Args, c.Script), " "), func(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>\"'`=", r) })
	for _, word := range words[:min(len(words), maxLooked)] {
		for _, path := range c.programs(word) {
			if view.Lacks(path) {
				return fmt.Sprintf("flow: %s is not there for held commands, which have temporary folders of their own: keep it elsewhere, or name it in the workflow, as in sandbox: {reveal: [%s]}", path, revealed(path))
			}
		}
	}
	return ""
}

// programs returns the existing files that are run if a word names a program: the file, the target of
// its links, and the interpreter that its first line names.
func (c *Command) programs(word string) []string {
	path := word
	if !strings.Contains(word, "/") {
		path = ""
		for _, dir := range filepath.SplitList(variable(c.Env, "PATH")) {
			if info, err := os.Stat(filepath.Join(dir, word)); err == nil && info.Mode().IsRegular() {
				path = filepath.Join(dir, word)
				break
			}
		}
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(c.Dir, path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !filepath.IsAbs(path) {
		return nil
	}
	all := []string{filepath.Clean(path), real}
	if interpreter := interpreterOf(real); interpreter != "" {
		all = append(all, interpreter)
		if real, err := filepath.EvalSymlinks(interpreter); err == nil {
			all = append(all, real)
		}
	}
	return all
}

// interpreterOf returns the absolute path in the first line of a script; "" if it has none.
func interpreterOf(path string) string {
	file, err := paths.OpenRegular(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	start := make([]byte, 256)
	n, _ := io.ReadFull(file, start)
	line, _, _ := bytes.Cut(start[:n], []byte("\n"))
	words, isScript := strings.CutPrefix(string(line), "#!")
	if fields := strings.Fields(words); isScript && len(fields) > 0 && filepath.IsAbs(fields[0]) {
		return fields[0]
	}
	return ""
}

// revealed returns the folder to reveal for a path in a temporary folder: the one right below it.
func revealed(path string) string {
	for _, dir := range []string{"/tmp/", "/var/tmp/", "/run/"} {
		if rest, below := strings.CutPrefix(path, dir); below {
			first, _, _ := strings.Cut(rest, "/")
			return dir + first
		}
	}
	return path
}

// variable returns the value of a variable in an environment; the last one counts.
func variable(env []string, name string) (value string) {
	for _, entry := range env {
		if text, is := strings.CutPrefix(entry, name+"="); is {
			value = text
		}
	}
	return value
}

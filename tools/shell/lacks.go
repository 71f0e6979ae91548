package shell

import (
	"bufio"
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
				return fmt.Sprintf("flow: %s exists, but the sandbox hides it: commands have temporary folders of their own. Keep it elsewhere, or show it: sandbox: {reveal: [%s]}", path, revealed(path))
			}
		}
	}
	return ""
}

// programs returns the files that are run if a word names a program: the file, the target of its
// links, and the interpreter that its first line names.
func (c *Command) programs(word string) (all []string) {
	found := []string{paths.In(c.Dir, word)}
	if !strings.Contains(word, "/") {
		found = nil
		for _, variable := range c.Env {
			if list, is := strings.CutPrefix(variable, "PATH="); is {
				found = filepath.SplitList(list)
			}
		}
		for i := range found {
			found[i] = filepath.Join(found[i], word)
		}
	}
	for _, path := range found {
		real, err := filepath.EvalSymlinks(path)
		if info, statErr := os.Stat(path); err != nil || statErr != nil || !info.Mode().IsRegular() {
			continue
		}
		all = append(all, path, real)
		if interpreter := interpreterOf(real); interpreter != "" {
			all = append(all, interpreter)
		}
		break
	}
	return all
}

// interpreterOf returns the path in the first line of a script; "" if it has none.
func interpreterOf(path string) string {
	file, err := paths.OpenRegular(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	line, _ := bufio.NewReader(io.LimitReader(file, 256)).ReadString('\n')
	words, isScript := strings.CutPrefix(line, "#!")
	if fields := strings.Fields(words); isScript && len(fields) > 0 {
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

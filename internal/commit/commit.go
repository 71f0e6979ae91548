// Package commit reads the current commit of a git repository, without git. The repository is not
// trusted: files are read up to a limit, and only the hash of a commit is returned.
package commit

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// Of returns the commit of the working tree around a folder; "" if there is none, or it can't be
// read.
func Of(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	top := paths.Repository(dir)
	if top == "" {
		return ""
	}
	git := gitDir(filepath.Join(top, ".git"))
	if git == "" {
		return ""
	}
	return head(git)
}

// gitDir is the folder .git, or the one that a file .git names, of a worktree or a submodule.
func gitDir(dot string) string {
	info, err := os.Stat(dot)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return dot
	}
	named, is := strings.CutPrefix(read(dot), "gitdir: ")
	if !is {
		return ""
	}
	return paths.In(filepath.Dir(dot), named)
}

// head is the commit of HEAD.
func head(git string) string {
	at := read(filepath.Join(git, "HEAD"))
	ref, symbolic := strings.CutPrefix(at, "ref: ")
	if !symbolic {
		return hash(at)
	}
	if !strings.HasPrefix(ref, "refs/") || !filepath.IsLocal(ref) {
		return ""
	}
	shared := git
	if named := read(filepath.Join(git, "commondir")); named != "" { // a worktree has its own HEAD alone
		shared = paths.In(git, named)
	}
	if at := hash(read(filepath.Join(shared, ref))); at != "" {
		return at
	}
	return packed(filepath.Join(shared, "packed-refs"), ref)
}

// hash returns a text that is a hash of SHA-1 or SHA-256; "" for any other.
func hash(text string) string {
	if n := len(text); n != 40 && n != 64 || strings.Trim(text, "0123456789abcdef") != "" {
		return ""
	}
	return text
}

// packed is the commit of a ref in the file packed-refs.
func packed(name, ref string) string {
	const most = 16 << 20
	file := open(name)
	if file == nil {
		return ""
	}
	defer file.Close()
	lines := bufio.NewScanner(io.LimitReader(file, most))
	for lines.Scan() {
		if at, of, _ := strings.Cut(lines.Text(), " "); of == ref {
			return hash(at)
		}
	}
	return ""
}

// read returns the line of a small file; "" for any other.
func read(name string) string {
	const most = 4 << 10
	file := open(name)
	if file == nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\r\n")
}

// open opens a regular file, without waiting for the other end of a pipe.
func open(name string) *os.File {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil
	}
	return file
}

package shell

import (
	"bytes"
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// A Sandbox is what the kernel lets a command change, whatever the command runs.
// Its zero value lets it change nothing but devices such as /dev/null. What is
// to be read stays free.
type Sandbox struct {
	// Write are the files, and the folders with all that is in them, that may
	// be changed; absolute, without links. What does not exist is left out.
	Write []string
	// Offline leaves a command no socket but those between the processes of
	// this machine; one that is held has a network of its own.
	Offline bool
	// Hold has commands held, in place of Write. Nil leaves it to Landlock.
	Hold *Hold
	// Keeper undoes what commands that are left to Landlock do to files that never
	// change; the commands are taken for untrusted. Nil: it is not undone.
	Keeper *Keeper
	// Unread are files, and folders with all that is in them, that commands left to
	// Landlock can't read: absolute, without links. In the folders around one nothing
	// is made or taken away, so that it keeps its name.
	Unread []string
}

func (s *Sandbox) hold() *Hold {
	if s == nil {
		return nil
	}
	return s.Hold
}

func (s *Sandbox) keeper() *Keeper {
	if s == nil {
		return nil
	}
	return s.Keeper
}

// Scratch returns the folders that programs take for granted: those of temporary
// files, and those where compilers and package managers keep what they have
// built or fetched, but none of programs. Links are followed, but for those that a
// command may have made in another of these folders. Lookup is such as [os.LookupEnv].
func Scratch(lookup func(name string) (string, bool)) []string {
	value := func(name string) string { v, _ := lookup(name); return v }
	home := value("HOME")
	in := func(folder string) string {
		if home == "" {
			return ""
		}
		return filepath.Join(home, folder)
	}
	var folders []string
	for _, folder := range []string{
		cmp.Or(value("TMPDIR"), "/tmp"), "/var/tmp", "/dev/shm",
		cmp.Or(value("XDG_CACHE_HOME"), in(".cache")), in("Library/Caches"),
		value("GOCACHE"), cmp.Or(value("GOMODCACHE"), in("go/pkg")),
		filepath.Join(cmp.Or(value("CARGO_HOME"), in(".cargo")), "registry"), in(".npm"), in(".gradle"), in(".m2"), in(".nuget"),
	} {
		if filepath.IsAbs(folder) {
			folders = append(folders, filepath.Clean(folder))
		}
	}
	return followed(folders)
}

// followed are folders by their real paths, those that are not inside of another.
func followed(folders []string) (all []string) {
	for _, path := range folders {
		inside := slices.ContainsFunc(folders, func(other string) bool { return other != path && folder.Holds(other, path) })
		if w := (paths.Walk{At: "/", Todo: path}); !inside && w.Run() == nil {
			path = w.At
		}
		all = append(all, path)
	}
	return all
}

// note says to a model what its commands are held to.
func (s *Sandbox) note() string {
	note := "it ran in a sandbox that lets it change nothing"
	if s.Hold != nil {
		note = "it ran in a sandbox that lets it change the workspace alone"
	} else if len(s.Write) > 0 {
		note = "it ran in a sandbox that lets it change only " + strings.Join(s.Write, ", ")
	}
	if s.Offline {
		note += ", and without a network"
	}
	return note
}

// refusals passes on what a command prints, and finds the system's words for what
// it may not do.
type refusals struct {
	to    io.Writer
	found bool
	last  []byte // of what was printed: the words may come in pieces
	read  int
}

// mostRead bounds how much of what a command prints is looked through.
const mostRead = 256 << 10

// Write keeps the words that a later piece may complete.
func (r *refusals) Write(p []byte) (int, error) {
	if !r.found && r.read < mostRead {
		r.read += len(p)
		text := bytes.ToLower(append(r.last, p...))
		for _, words := range []string{"permission denied", "not permitted", "eacces", "read-only file system", "erofs"} {
			r.found = r.found || bytes.Contains(text, []byte(words))
		}
		r.last = append(r.last[:0], text[max(len(text)-32, 0):]...)
	}
	return r.to.Write(p)
}

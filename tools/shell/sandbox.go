package shell

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// Sandbox says what the kernel lets a command change, whatever the command runs. The zero
// value lets it change only devices such as /dev/null. It can read everything.
type Sandbox struct {
	// Write are the files and whole folders that may be changed: absolute, without
	// symlinks. Those that do not exist are ignored.
	Write []string
	// Offline leaves a command only sockets between processes of this machine. A held
	// command gets a network of its own.
	Offline bool
	// Hold holds commands, and Write is not used. Nil leaves them to Landlock.
	Hold *Hold
	// Keeper undoes changes to files that never change, of commands left to Landlock,
	// which are then untrusted. Nil undoes nothing.
	Keeper *Keeper
	// Unread are files and whole folders that commands left to Landlock can't read:
	// absolute, without symlinks. In the folders around them nothing can be created or
	// removed, so that they keep their names.
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

// Scratch returns the folders that programs have to write: those of temporary files, and
// the caches of compilers and package managers that hold no installed programs. Symlinks
// are resolved, except those that a command may have created in another of these folders.
// lookup is like [os.LookupEnv].
func Scratch(lookup func(name string) (string, bool)) []string {
	home, _ := lookup("HOME")
	temporary, _ := lookup("TMPDIR")
	folders := []string{filepath.Clean(cmp.Or(temporary, "/tmp")), "/var/tmp", "/dev/shm"}
	for _, c := range known.Caches() {
		if path := c.Path(home, lookup); path != "" && c.Open != "" {
			folders = append(folders, filepath.Join(path, c.Open))
		}
	}
	return followed(slices.DeleteFunc(folders, func(path string) bool { return !filepath.IsAbs(path) }))
}

// MakeCache makes the user's cache folder, as the first program that uses it would: Landlock opens only
// folders that are there. lookup is like [os.LookupEnv].
func MakeCache(lookup func(name string) (string, bool)) {
	home, _ := lookup("HOME")
	if dir := known.Caches()[0].Path(home, lookup); dir != "" {
		_ = os.Mkdir(dir, 0o700) // without it, programs say what they lack
	}
}

// followed returns the real paths of folders. One that is inside another stays as it is.
func followed(folders []string) (all []string) {
	for _, path := range folders {
		inside := slices.ContainsFunc(folders, func(other string) bool { return other != path && paths.Holds(other, path) })
		if w := (paths.Walk{At: "/", Todo: path}); !inside && w.Run() == nil {
			path = w.At
		}
		all = append(all, path)
	}
	return all
}

// note tells a model what its commands may change.
func (s *Sandbox) note() string {
	note := "it ran in a sandbox that lets it change nothing"
	if s.Hold != nil {
		note = "it ran in a sandbox that lets it change the workspace alone, and what is in .git only if it runs git without other programs"
	} else if len(s.Write) > 0 {
		note = "it ran in a sandbox that lets it change only " + strings.Join(s.Write, ", ")
	}
	if s.Offline {
		note += ", and without a network"
	}
	return note
}

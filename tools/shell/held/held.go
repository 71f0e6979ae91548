// Package held runs commands in a view of the file system of their own, and lets
// what they did land once it has been judged.
//
//	run, err := held.Open(held.Options{Home: home, Lookup: os.LookupEnv})
//	defer run.Close()
//	space, err := run.Space(held.SpaceOptions{Root: workspace})
//	view, err := space.Begin(held.Call{})
//	defer view.Close()
//	err = view.Wrap(cmd) // then start it, and wait for it
//	outcome, err := view.Land(judge, false)
//
// A command sees the workspace as it is, and writes to an overlay. When it has
// ended, each path that it created, changed or deleted is judged; all of them land
// in the workspace, or none. Caches are overlays that last for the run. Everything
// else is read-only, temporary folders are the command's own, secrets are empty,
// and sockets of other programs are not there. All that it started ends with it.
//
// A command is started by way of the program that calls this package: that is started
// anew for it, and does nothing else then.
//
// Only Linux has this, 5.12 or newer, with user namespaces or as root: [Available]
// says whether it works here. What is in a file that is deleted or overwritten in
// the workspace while a command runs is not defined for that command.
package held

import (
	"fmt"
	"strings"
)

// Options say what the commands of a run share.
type Options struct {
	Home   string                           // absolute; "" is none
	Lookup func(name string) (string, bool) // of the environment; such as [os.LookupEnv]

	// Base is where the folder of the run is made. "" chooses: below the user's
	// state, for temporary files, or beside the workspace.
	Base string

	// KeepCaches lets what commands put into caches land when the run is closed.
	KeepCaches bool
}

// SpaceOptions describe one workspace, under one policy.
type SpaceOptions struct {
	Root string // the workspace: absolute, without links

	// Others are folders beside the workspace in which a judge may let commands
	// change something: absolute, without links.
	Others []string

	// Hidden reports whether a command finds a file of the workspace empty, or a
	// folder. Nil hides nothing. It is called for every file, so that it has to be
	// fast, and for several at once.
	Hidden func(path string, folder bool) bool

	// Outside returns the files and folders that a command finds empty outside of the
	// workspace: absolute, without links. Where it fails, so does the command. Nil: none are.
	Outside func() ([]string, error)

	// Reveal are files and folders that would be hidden, and are shown: absolute.
	Reveal []string

	// Ignored returns, for one landing, what reports whether a path, from the root,
	// is a by-product. Where no rule allows it, it is no denial: it stays in a layer
	// of the space, where the next command finds it. Nil: nothing is.
	Ignored func() func(rel string, folder bool) bool

	// Protected are files and folders that never change: absolute.
	Protected []string
}

// A Call is how one command is held.
type Call struct {
	Offline   bool     // no network at all
	ReadOnly  bool     // it can change nothing but temporary files, which costs less
	DropAside bool     // its by-products, and what it puts into caches, are gone with it
	Git       bool     // git's own files may land, and its configuration can be read
	Show      []string // folders that it needs to read though they are in a temporary folder
}

// An Exit is how a command ended.
type Exit struct {
	Code   int    // as a shell has it
	Signal string // that ended it, such as SIGKILL
	Why    string // it was ended for taking too much: of what; "" where it was not
}

// A Kind is what has happened to a path.
type Kind string

// The kinds of changes.
const (
	Create Kind = "create"
	Modify Kind = "change"
	Delete Kind = "delete"
)

// A Change is one path that a command has changed.
type Change struct {
	Path string // in the file system, absolute
	Rel  string // from its root
	Kind Kind

	Folder bool
	Link   string // where a symlink leads, as it is written in it; "" for what is none

	root   string // that it is below
	beside bool   // the root is not the workspace
}

// name is the path as a model knows it.
func (c Change) name() string {
	if c.beside {
		return c.Path
	}
	return c.Rel
}

// A Judge decides about one change. The rule is named in the denial. It is
// called for one path after the other.
type Judge func(c Change) (allowed bool, rule string)

// An Outcome is what became of the changes of a command.
type Outcome struct {
	Landed  int // files, folders and links that were changed in the workspace
	Kept    int // by-products that stay in the layer of the space
	Denied  []Denial
	Partial bool // there are denials, and what is allowed has landed

	Conflicts []string // paths that somebody else has changed meanwhile: nothing has landed
}

// A Denial is a change that did not land, and why.
type Denial struct {
	Change
	Rule string
}

// shown is how many paths of an outcome are named.
const shown = 8

// Note says what did not land, in words for a model; "" where nothing is to be
// said.
func (o Outcome) Note() string {
	switch {
	case len(o.Conflicts) > 0:
		return "nothing of what the command changed was kept: " + list(o.Conflicts) + " changed meanwhile by somebody else"
	case len(o.Denied) == 0:
		return ""
	}
	var denied []string
	for _, d := range o.Denied {
		denied = append(denied, fmt.Sprintf("%s %s (%s)", d.Kind, d.name(), d.Rule))
	}
	if o.Partial {
		return "some of what the command changed was not kept, because it is denied: " + list(denied)
	}
	return "nothing of what the command changed was kept, because some of it is denied: " + list(denied)
}

func list(all []string) string {
	if len(all) <= shown {
		return strings.Join(all, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(all[:shown], "; "), len(all)-shown)
}

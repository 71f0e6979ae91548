// Package held runs commands in a private view of the file system, and lets their changes
// land once they have been judged.
//
//	run, err := held.Open(held.Options{Home: home, Lookup: os.LookupEnv})
//	defer run.Close()
//	space, err := run.Space(held.SpaceOptions{Root: workspace})
//	view, err := space.Begin(held.Call{})
//	defer view.Close()
//	err = view.Wrap(cmd) // then start it, and wait for it
//	outcome, err := view.Land(judge, false)
//
// A command sees the workspace, and writes to an overlay above it. When it has ended, each
// path that it created, changed or deleted is judged; all of them land in the workspace,
// or none. Caches are overlays that last for the run. Everything else is read-only, the
// temporary folders are private, secrets are empty, and the sockets of other programs are
// absent. All processes that the command started end with it.
//
// To start a command, the program that uses this package starts itself again; the new
// process then does nothing else.
//
// This needs Linux 5.12 or newer, with user namespaces: [Available] says whether it works
// here. If somebody deletes or overwrites a file of the workspace while a command
// runs, the content that the command sees is not defined.
package held

import (
	"fmt"
	"strings"
)

// Options are shared by the commands of a run.
type Options struct {
	Home   string                           // absolute; "" is none
	Lookup func(name string) (string, bool) // looks up environment variables, like [os.LookupEnv]

	// Base is the folder in which that of the run is created. "" chooses one: in the
	// user's state folder, a temporary folder, or beside the workspace.
	Base string

	// Finished is called for each landing of another run that was killed meanwhile and that this
	// run has finished, with the folder in which something changed. Nil ignores it.
	Finished func(root string)

	// KeepCaches has commands change the caches themselves.
	KeepCaches bool
}

// SpaceOptions describe one workspace under one policy. All paths are absolute and, but for
// those to reveal or protect, without symlinks.
type SpaceOptions struct {
	Root string // the workspace

	// Others are folders beside the workspace in which a judge may allow changes.
	Others []string

	// Hidden reports whether a file or a folder of the workspace is empty for commands.
	// Nil hides nothing. It is called for every file, so it has to be fast, and must be
	// safe for concurrent use.
	Hidden func(path string, folder bool) bool

	// Outside returns the files and folders outside of the workspace that are empty for
	// commands. If it returns an error, the command fails. Nil hides nothing.
	Outside func() ([]string, error)

	// Reveal are files and folders that are shown although they would be hidden.
	Reveal []string

	// Ignored is called for each landing, and returns a function that reports whether a
	// path, from the root, is a by-product. A by-product that no rule allows is not a
	// denial: it stays in a layer of the space, where the next command finds it. Nil says
	// that there are no by-products.
	Ignored func() func(rel string, folder bool) bool

	// Protected are files and folders that never change.
	Protected []string
	// Hooks are those of them from which git takes its hooks and settings.
	Hooks []string

	// Disposable says that the workspace is the program's own, and removed before anybody else uses
	// it: settings and hooks of git may change there, and repositories may be made.
	Disposable bool
}

// Call says how one command is held.
type Call struct {
	Offline  bool     // it has no network at all
	ReadOnly bool     // it can change only temporary files, which costs less
	Git      bool     // it is git's: git's own files may land
	Prints   bool     // git only prints: they may not
	Beside   bool     // beside git there are programs that can read what it shows
	Connects bool     // git talks to another repository, and needs the passwords in its configuration
	Show     []string // folders in a temporary folder that it can read

	// Direct are files and folders that a ReadOnly command, such as a server, changes at once,
	// without a judge. Those that are not there, that are hidden, or that lie outside of Root and
	// Others, don't change. In the others a .git, the .flow of the workspace, and what is hidden
	// or protected, as far as it is there when the command starts, stay what they are.
	Direct []string
}

// Exit says how a command ended.
type Exit struct {
	Code   int    // the exit code that a shell would report
	Signal string // the signal that ended it, such as SIGKILL
	Why    string // what it used too much of, if it was ended for that
}

// Kind is what happened to a path.
type Kind string

// The kinds of changes.
const (
	Create Kind = "create"
	Modify Kind = "change"
	Delete Kind = "delete"
)

// Change is one path that a command has changed.
type Change struct {
	Path string // absolute
	Root string // the workspace, or one of the folders beside it
	Rel  string // from Root
	Kind Kind

	Folder bool
	Link   string // the target that a symlink has, as written; "" if it is not one

	beside  bool     // Root is not the workspace
	git     *gitFile // what it is to git; nil for other files
	outside bool     // it is in the working tree around the workspace, where nothing lands
}

// name returns the path that a model knows.
func (c Change) name() string {
	if c.beside {
		return c.Path
	}
	return c.Rel
}

// Judge decides about one change. A denial names the rule. It is not called concurrently.
type Judge func(c Change) (allowed bool, rule string)

// Outcome says what became of the changes of a command.
type Outcome struct {
	Landed  int // how many files, folders and symlinks were changed in the workspace
	Kept    int // how many by-products stay in the layer of the space
	Denied  []Denial
	Partial bool // there are denials, and the allowed changes have landed

	// Withheld says that what the command printed may show what is hidden from it.
	Withheld bool

	Conflicts []string // paths that somebody else has changed meanwhile; then nothing has landed
}

// Denial is a change that did not land, and why.
type Denial struct {
	Change
	Rule string
}

// shown is how many paths of an outcome are named.
const shown = 8

// Note returns a message for a model about what did not land, or "".
func (o Outcome) Note() string {
	switch {
	case len(o.Conflicts) > 0:
		return "none of the command's changes were kept, because somebody else changed these files meanwhile: " + list(o.Conflicts)
	case len(o.Denied) == 0:
		return ""
	}
	var denied []string
	for _, d := range o.Denied {
		denied = append(denied, fmt.Sprintf("%s %s (%s)", d.Kind, d.name(), d.Rule))
	}
	if o.Partial {
		return "some of the command's changes were not kept, because they are denied: " + list(denied)
	}
	return "none of the command's changes were kept, because these are denied: " + list(denied)
}

func list(all []string) string {
	if len(all) <= shown {
		return strings.Join(all, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(all[:shown], "; "), len(all)-shown)
}

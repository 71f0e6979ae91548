package host

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/repository"
	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// LevelNone is the level of commands that are judged by their words only.
const LevelNone = "none"

// A Health lists the parts that workflows need of this machine.
type Health struct {
	Level  string   `json:"level"`             // to which models' commands are held, at most
	WhyNot []string `json:"why_not,omitempty"` // no higher level
	Parts  []Part   `json:"parts"`
}

// The states of a part.
const (
	PartOK      = "ok"
	PartMissing = "missing"
)

// A Part is one thing that workflows may need. It has no secret.
type Part struct {
	Area   string `json:"area"` // program, folder, key
	Name   string `json:"name"`
	State  string `json:"state"`
	Detail string `json:"detail"`
}

// Doctor checks what this machine has of what workflows need: sandboxes, programs, folders and keys.
// It creates and removes a sandbox for commands. It runs no program, and asks no provider.
func (env Environment) Doctor() Health {
	h := Health{Level: LevelNone}
	unheld := env.unheld()
	switch less := shell.Sandboxes(); {
	case unheld == nil:
		h.Level = string(workflows.LevelHeld)
	case less == nil:
		h.Level, h.WhyNot = string(workflows.LevelLandlock), []string{"held: " + unheld.Error()}
	default:
		h.WhyNot = []string{"held: " + unheld.Error(), "landlock: " + less.Error()}
	}
	h.Parts = append(h.Parts, program("bash"), program("git"))
	h.Parts = append(h.Parts, env.foldersOfRuns()...)
	if start, err := StartFolder(); err == nil {
		h.Parts = append(h.Parts, foreignRepository(start)...)
		if unheld == nil {
			h.Parts = append(h.Parts, foreignFolders(start)...)
		}
	}
	h.Parts = append(h.Parts, env.keys()...)
	return h
}

// keys says of each provider whether its key is set.
func (env Environment) keys() (parts []Part) {
	chosen, _ := env.Providers() // all: there is no name that could be wrong
	for _, p := range chosen {
		part := Part{Area: "key", Name: p.Name, State: PartOK, Detail: p.KeyState}
		switch azure := p.service.api == apiAzure; {
		case azure && !p.URLSet:
			part.State, part.Detail = PartMissing, p.AddressState
		case azure && !p.KeySet:
			part.Detail += ": uses Entra ID"
		case p.SignIn == "" && !p.KeySet && len(p.KeyVars) > 0:
			part.State = PartMissing
		}
		parts = append(parts, part)
	}
	return parts
}

// unheld returns an error if commands can't be held in the current folder: a capable system may
// still have an unsuitable file system there.
func (env Environment) unheld() error {
	if err := held.Available(); err != nil {
		return err
	}
	start, err := StartFolder()
	if err != nil {
		return err
	}
	if start, err = filepath.EvalSymlinks(start); err != nil {
		return err
	}
	run, err := held.Open(held.Options{Home: env.home(), Lookup: env.lookup})
	if err != nil {
		return err
	}
	defer run.Close()
	_, err = run.Space(held.SpaceOptions{Root: start})
	return err
}

// program finds a program.
func program(name string) Part {
	path, err := exec.LookPath(name)
	if err != nil {
		return Part{Area: "program", Name: name, State: PartMissing, Detail: err.Error()}
	}
	return Part{Area: "program", Name: name, State: PartOK, Detail: path}
}

// foldersOfRuns checks the folders that runs and their commands write to.
func (env Environment) foldersOfRuns() []Part {
	var parts []Part
	add := func(name, path string) {
		part := Part{Area: "folder", Name: name, State: PartOK, Detail: path + " is writable"}
		if err := writableFolder(path); err != nil {
			part.State, part.Detail = PartMissing, fmt.Sprintf("%s is not writable: %v", path, err)
		}
		parts = append(parts, part)
	}
	start, err := StartFolder()
	if err != nil {
		parts = append(parts, Part{Area: "folder", Name: "runs", State: PartMissing, Detail: err.Error()})
	} else {
		add("runs", filepath.Join(start, RunsFolder))
	}
	add("temporary files", os.TempDir())
	if env.home() == "" {
		return append(parts, Part{Area: "folder", Name: "home", State: PartMissing, Detail: "HOME is not set to an absolute path"})
	}
	add("home", env.home())
	cache := env.get("XDG_CACHE_HOME")
	if !filepath.IsAbs(cache) {
		cache = filepath.Join(env.home(), ".cache")
	}
	add("caches", cache)
	return parts
}

// foreignRepository reports that a folder is in a repository of another user, such as a checkout
// that was made for a container.
func foreignRepository(start string) []Part {
	found, ok := repository.Around(start)
	if !ok || found.Owned() {
		return nil
	}
	detail := found.Top + " belongs to another user: git refuses it unless it is told otherwise, by git config --global --add safe.directory " + found.Top
	return []Part{{Area: "folder", Name: "repository", State: PartMissing, Detail: detail}}
}

// maxForeign is the highest number of listed folders of others.
const maxForeign = 4

// foreignFolders lists the folders in the current one that held commands can't change.
func foreignFolders(start string) (parts []Part) {
	all := held.Foreign(start)
	for _, path := range all[:min(len(all), maxForeign)] {
		detail := path + " belongs to another user or group: held commands can't change files in it (Value too large for defined data type)"
		parts = append(parts, Part{Area: "folder", Name: "workspace", State: PartMissing, Detail: detail})
	}
	return parts
}

// writableFolder returns an error unless files can be created in a folder or, if it does not exist,
// in the nearest one above it that does.
func writableFolder(path string) error {
	info, err := os.Stat(path)
	for ; os.IsNotExist(err) && filepath.Dir(path) != path; info, err = os.Stat(path) {
		path = filepath.Dir(path)
	}
	switch {
	case err != nil:
		return paths.Cause(err)
	case !info.IsDir():
		return unix.ENOTDIR
	}
	return unix.Access(path, unix.W_OK|unix.X_OK)
}

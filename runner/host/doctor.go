package host

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

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
	start, err := StartFolder()
	home := Part{"folder", "home", PartMissing, "HOME is not set to an absolute path"}
	if dir := env.home(); dir != "" {
		home = writable("home", dir)
	}
	runs := writable("runs", filepath.Join(start, RunsFolder))
	if err != nil {
		runs.State, runs.Detail = PartMissing, err.Error()
	}
	h.Parts = append(h.Parts, runs, writable("temporary files", os.TempDir()), home)
	chosen, _ := env.Providers() // all: there is no name that could be wrong
	for _, p := range chosen {
		h.Parts = append(h.Parts, p.key())
	}
	return h
}

// key says whether a provider has what it needs to be asked.
func (p Provider) key() Part {
	part := Part{"key", p.Name, PartOK, p.KeyState}
	switch azure := p.service.api == apiAzure; {
	case azure && !p.URLSet:
		part.State, part.Detail = PartMissing, p.AddressState
	case azure && !p.KeySet:
		part.Detail += ": uses Entra ID"
	case p.SignIn == "" && !p.KeySet && len(p.KeyVars) > 0:
		part.State = PartMissing
	}
	return part
}

// unheld returns an error if commands can't be held in the current folder, for example because of its
// file system.
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
		return Part{"program", name, PartMissing, err.Error()}
	}
	return Part{"program", name, PartOK, path}
}

// writable says whether files can be created in a folder.
func writable(name, path string) Part {
	if err := checkWritable(path); err != nil {
		return Part{"folder", name, PartMissing, fmt.Sprintf("%s is not writable: %v", path, err)}
	}
	return Part{"folder", name, PartOK, path + " is writable"}
}

package host

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/providers"
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
	Area   string `json:"area"` // program, key, variable, server, folder, models
	Name   string `json:"name"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Needed bool   `json:"needed"` // the workflow can't do all of its work without it
}

// Lacks reports whether a needed part is missing.
func (h Health) Lacks() bool {
	return slices.ContainsFunc(h.Parts, func(p Part) bool { return p.Needed && p.State == PartMissing })
}

// Doctor checks the parts that any workflow may need. It asks two programs for their versions, and
// creates and removes a view for commands. It runs nothing else, and asks no provider.
func (env Environment) Doctor(ctx context.Context) Health {
	h := env.newHealth(ctx, false, false)
	chosen, _ := env.Providers() // all: there is no name that could be wrong
	for _, p := range chosen {
		part := Part{Area: "key", Name: p.Name, State: PartOK, Detail: p.KeyState}
		switch azure := p.service.api == apiAzure; {
		case azure && !p.URLSet:
			part.State, part.Detail = PartMissing, p.AddressState
		case azure && !p.KeySet:
			part.Detail += ": Entra ID is asked"
		case p.SignIn == "" && !p.KeySet && len(p.KeyVars) > 0:
			part.State = PartMissing
		}
		h.Parts = append(h.Parts, part)
	}
	return h
}

// newHealth checks the parts that don't depend on a workflow. A run needs the folder that it writes
// to, and bash if a model is offered it.
func (env Environment) newHealth(ctx context.Context, forRun, bash bool) Health {
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
	h.Parts = append(h.Parts, env.program(ctx, "bash", bash), env.program(ctx, "git", false))
	h.Parts = append(h.Parts, env.foldersOfRuns(forRun)...)
	if start, err := StartFolder(); err == nil && unheld == nil {
		h.Parts = append(h.Parts, foreignFolders(start)...)
	}
	date, _ := providers.TableDate()
	h.Parts = append(h.Parts, Part{Area: "models", Name: "table", State: PartOK, Detail: "lengths, abilities and prices of " + date})
	return h
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

// versionTimeout is how long a program may take to print its version.
const versionTimeout = 5 * time.Second

// program finds a program, and asks it for its version.
func (env Environment) program(ctx context.Context, name string, needed bool) Part {
	part := Part{Area: "program", Name: name, State: PartMissing, Needed: needed}
	path, err := exec.LookPath(name)
	if err != nil {
		part.Detail = err.Error()
		return part
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env, cmd.WaitDelay = env.ofCommands(nil, nil), time.Second
	said, err := cmd.Output()
	if err != nil {
		part.Detail = fmt.Sprintf("%s --version: %v", path, err)
		return part
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	part.State, part.Detail = PartOK, path+", "+line
	return part
}

// foldersOfRuns checks the folders that runs and their commands write to.
func (env Environment) foldersOfRuns(needed bool) []Part {
	var parts []Part
	add := func(name, path string, needed bool) {
		part := Part{Area: "folder", Name: name, State: PartOK, Detail: path + " can be written", Needed: needed}
		if err := writableFolder(path); err != nil {
			part.State, part.Detail = PartMissing, fmt.Sprintf("%s can't be written: %v", path, err)
		}
		parts = append(parts, part)
	}
	start, err := StartFolder()
	if err != nil {
		parts = append(parts, Part{Area: "folder", Name: "runs", State: PartMissing, Detail: err.Error(), Needed: needed})
	} else {
		add("runs", filepath.Join(start, RunsFolder), needed)
	}
	add("temporary files", os.TempDir(), false)
	if env.home() == "" {
		return append(parts, Part{Area: "folder", Name: "home", State: PartMissing, Detail: "HOME is not set to an absolute path"})
	}
	add("home", env.home(), false)
	cache := env.get("XDG_CACHE_HOME")
	if !filepath.IsAbs(cache) {
		cache = filepath.Join(env.home(), ".cache")
	}
	add("caches", cache, false)
	return parts
}

// mostForeign is how many folders of others are listed.
const mostForeign = 4

// foreignFolders lists the folders in the current one that held commands can't change.
func foreignFolders(start string) (parts []Part) {
	all := held.Foreign(start)
	for _, path := range all[:min(len(all), mostForeign)] {
		detail := path + " is another user's or group's: held commands can change nothing in it (Value too large for defined data type)"
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

package main

import (
	"errors"
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/a-seed-11b9befa/flow/"

// mayImport says which of our packages a room may import. Vendors stand for
// all packages below providers. What tests import is not looked at.
func mayImport(room string) (allowed []string, known bool) {
	switch {
	case strings.HasPrefix(room, "internal/"):
		return leafImports(room)
	case room == "workflows", strings.HasPrefix(room, "workflows/"):
		return workflowsImports(room)
	case room == "providers":
		return []string{"internal/jsonline"}, true
	case room == "providers/providertest":
		return []string{"providers"}, true
	case strings.HasPrefix(room, "providers/"):
		return []string{"internal/jsonline", "providers", "providers/internal/wire", "providers/internal/native"}, true
	case room == "tools":
		return []string{"internal/jsonline", "internal/jsonschema", "internal/known", "internal/nearest", "internal/paths"}, true
	case strings.HasPrefix(room, "tools/permission"):
		return permissionImports(room)
	case room == "tools/internal/process", room == "tools/internal/restrict":
		return []string{"internal/paths"}, true
	case room == "tools/shell/held":
		return []string{"internal/known", "internal/paths", "internal/repository", "tools/internal/restrict"}, true
	case room == "tools/shell":
		return []string{"internal/jsonline", "internal/known", "internal/nearest", "internal/paths", "internal/trace", "tools", "tools/permission", "tools/internal/restrict", "tools/internal/process", "tools/shell/held"}, true
	case strings.HasPrefix(room, "tools/"):
		return []string{"internal/jsonline", "internal/known", "internal/nearest", "internal/paths", "internal/trace", "tools", "tools/permission", "tools/internal/process"}, true
	case room == "steps":
		return []string{"internal/jsonline", "internal/jsonschema", "internal/trace", "tools", "providers", "tools/shell"}, true
	case room == "runner/host":
		return []string{
			"internal/authority", "internal/bash", "internal/jsonline", "internal/known", "internal/nearest", "internal/paths", "internal/repository", "runner", "runner/journal", "steps", "workflows", "workflows/diagnostic",
			"providers", "providers/cache", "providers/anthropic", "providers/azure", "providers/google", "providers/ollama", "providers/openai", "providers/openai-chat", "providers/script",
			"tools", "tools/files", "tools/mcp", "tools/permission", "tools/shell", "tools/shell/held", "tools/web",
		}, true
	case room == "runner":
		return []string{"internal/jsonline", "internal/known", "internal/nearest", "internal/paths", "internal/trace", "steps", "workflows", "tools", "providers", "providers/cache", "runner/journal", "runner/history"}, true
	case room == "runner/journal/journaltest":
		return nil, true
	case room == "runner/journal":
		return []string{"internal/jsonline", "steps", "tools"}, true
	case room == "runner/view":
		return []string{"internal/jsonline", "internal/known", "internal/term", "runner", "runner/journal", "runner/history", "steps", "tools", "workflows"}, true
	case room == "runner/suite":
		return []string{"internal/format", "internal/jsonline", "internal/nearest", "internal/paths", "internal/term", "internal/tree", "runner", "runner/host", "runner/journal", "steps", "tools", "workflows", "workflows/diagnostic"}, true
	case room == "runner/history":
		return []string{"runner/journal", "steps", "tools"}, true
	case room == "cmd/flow-otel":
		return []string{"internal/trace", "providers", "runner/journal", "steps", "tools"}, true
	case strings.HasPrefix(room, "examples"):
		return nil, true // they try the program from outside
	}
	return nil, false
}

// workflowsImports is mayImport for the file format and its rooms.
func workflowsImports(room string) (allowed []string, known bool) {
	switch room {
	case "workflows":
		return []string{
			"internal/format", "internal/jsonline", "internal/jsonschema", "internal/known", "internal/nearest", "internal/tree",
			"workflows/diagnostic", "workflows/internal/expression", "workflows/internal/shell",
		}, true
	case "workflows/diagnostic":
		return []string{"internal/columns"}, true
	case "workflows/internal/shell":
		return []string{"internal/bash", "internal/known"}, true
	case "workflows/internal/expression":
		return []string{"internal/jsonline", "internal/nearest", "workflows/diagnostic", "internal/tree"}, true
	}
	return nil, false
}

// permissionImports is mayImport for the policy and its rooms, each of which may
// import those before it.
func permissionImports(room string) (allowed []string, known bool) {
	switch room {
	case "tools/permission":
		allowed = []string{"internal/known", "internal/paths"}
	case "tools/permission/internal/place":
		allowed = []string{"internal/known", "internal/paths"}
	case "tools/permission/internal/command":
		allowed = []string{"internal/bash", "internal/known"}
	}
	for _, before := range []string{"pattern", "address", "place", "command"} {
		inner := "tools/permission/internal/" + before
		if room == inner {
			return allowed, true
		}
		allowed = append(allowed, inner)
	}
	return allowed, room == "tools/permission"
}

// leafImports is mayImport for the packages below the leaves.
func leafImports(room string) (allowed []string, known bool) {
	switch path.Base(room) {
	case "recipe":
		return []string{"internal/columns", "internal/paths", "internal/tree"}, true
	case "authority":
		return []string{"internal/term", "workflows"}, true
	case "tree":
		return []string{"internal/jsonline", "internal/nearest", "workflows/diagnostic"}, true
	case "format":
		return []string{"internal/nearest", "internal/tree", "workflows/diagnostic"}, true
	case "jsonschema":
		return []string{"internal/nearest"}, true
	case "ci":
		return []string{"internal/paths", "internal/report", "internal/term", "runner", "runner/suite", "runner/view", "steps", "tools", "workflows"}, true
	case "plan":
		return []string{"internal/authority", "internal/columns", "internal/term", "providers", "runner", "runner/history", "runner/host", "runner/journal", "steps", "workflows"}, true
	case "report":
		return []string{
			"internal/columns", "internal/jsonline", "internal/nearest", "internal/plan", "internal/scaffold", "internal/term", "providers", "runner", "runner/host", "runner/journal", "runner/suite", "runner/view",
			"steps", "tools", "tools/permission", "workflows", "workflows/diagnostic",
		}, true
	case "page":
		return []string{"internal/jsonline", "internal/plan", "internal/report", "internal/term", "providers", "runner", "runner/journal", "runner/view", "steps", "tools"}, true
	case "relock":
		return []string{"internal/authority", "internal/paths", "internal/recipe", "runner/host", "workflows", "workflows/diagnostic"}, true
	case "serve":
		return []string{"internal/jsonline", "internal/paths", "internal/report", "internal/term", "internal/trace", "runner", "runner/host", "runner/view", "steps", "tools", "workflows", "workflows/diagnostic"}, true
	case "flags":
		return []string{"internal/format", "internal/nearest", "internal/term", "providers", "runner", "runner/host", "runner/journal", "steps", "workflows"}, true
	case "session":
		return []string{
			"internal/ci", "internal/paths", "internal/plan", "internal/report", "internal/term", "internal/trace", "providers/script",
			"runner", "runner/host", "runner/view", "steps", "tools", "workflows",
		}, true
	case "term":
		return []string{"internal/columns"}, true
	case "scaffold":
		return []string{"internal/nearest", "internal/paths", "internal/recipe", "steps"}, true
	case "repository":
		return []string{"internal/paths"}, true
	case "bash", "columns", "quantity", "jsonline", "known", "nearest", "paths", "testkit", "trace":
		return nil, true
	}
	return nil, false
}

// TestImports holds the cut of the code, on each system that it is for:
// what may know of what.
func TestImports(t *testing.T) {
	for _, system := range []string{"linux", "darwin"} {
		t.Run(system, func(t *testing.T) {
			imports := allImports(t, system)
			if len(imports) < 20 {
				t.Errorf("only %d packages were found", len(imports))
			}
			for room := range imports {
				checkImports(t, room, imports)
			}
		})
	}
}

// allImports gives what each package imports, by the room that it is.
func allImports(t *testing.T, system string) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	reading := build.Default
	reading.GOOS = system
	all := map[string][]string{}
	err := filepath.WalkDir(root, func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if name := e.Name(); dir != root && (strings.HasPrefix(name, ".") || name == "testdata" || exists(filepath.Join(dir, "go.mod"))) {
			return filepath.SkipDir
		}
		p, err := reading.ImportDir(dir, 0)
		if none := new(build.NoGoError); errors.As(err, &none) || err == nil && len(p.GoFiles) == 0 {
			return nil // no package, or tests alone
		}
		if err != nil {
			return err
		}
		room, err := filepath.Rel(root, dir)
		all[filepath.ToSlash(room)] = p.Imports
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func checkImports(t *testing.T, room string, all map[string][]string) {
	t.Helper()
	allowed, known := mayImport(room)
	if room == "cmd/flow" {
		return // the only one that knows everything
	}
	if !known {
		t.Errorf("package %s has no place in the cut of the code", room)
		return
	}
	for _, imported := range all[room] {
		ours, isOurs := strings.CutPrefix(imported, module)
		switch {
		case ours == "internal/quantity": // words for numbers are for all
		case isOurs && !slices.Contains(allowed, ours):
			t.Errorf("%s imports %s", room, ours)
		case strings.Contains(imported, "openai-go") && room != "providers/openai":
			t.Errorf("%s imports a vendor's SDK: %s", room, imported)
		case path.Base(imported) == "go-hclog" && room != "internal/report": // which prints
			t.Errorf("%s imports a logger", room)
		case slices.Contains([]string{"github.com/spf13/cobra", "github.com/spf13/pflag", "flag", "golang.org/x/term"}, imported):
			if room != "internal/term" && room != "internal/flags" && room != "internal/complete" && !strings.HasPrefix(room, "cmd/") {
				t.Errorf("%s imports flags or terminals: %s", room, imported)
			}
		}
	}
	switch room {
	case "workflows":
		checkPure(t, room, all)
	case "runner/history":
		for _, imported := range all[room] {
			if imported == "os" || imported == "sync" {
				t.Errorf("%s imports %s: where a run stands hangs on its records alone", room, imported)
			}
		}
	}
}

// checkPure reports what reaches outside: a file format does no I/O, nor does what
// it is made of.
func checkPure(t *testing.T, room string, all map[string][]string) {
	t.Helper()
	for _, imported := range all[room] {
		if slices.Contains([]string{"os", "net", "context", "net/http", "os/exec", "syscall"}, imported) {
			t.Errorf("%s imports %s: a file format does no I/O", room, imported)
		}
		if ours, isOurs := strings.CutPrefix(imported, module); isOurs {
			checkPure(t, ours, all)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

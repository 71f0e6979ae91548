package main

import (
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
// all packages below providers.
func mayImport(room string) (allowed []string, known bool) {
	switch {
	case room == "internal/jsonline", room == "internal/folder", room == "internal/nearest", room == "internal/toolname", room == "tools/internal/process":
		return nil, true
	case room == "internal/jsonschema":
		return []string{"internal/nearest"}, true
	case room == "tools/permission":
		return []string{"internal/folder", "internal/toolname"}, true
	case room == "providers":
		return []string{"internal/jsonline"}, true
	case room == "workflows", room == "tools":
		return []string{"internal/jsonschema", "internal/jsonline", "internal/toolname", "internal/nearest"}, true // the leaves below the leaves
	case strings.HasPrefix(room, "providers/"):
		return []string{"internal/jsonline", "providers", "providers/internal/wire", "providers/internal/sdk", "providers/providertest"}, true
	case strings.HasPrefix(room, "tools/"):
		return []string{"internal/jsonline", "internal/toolname", "internal/nearest", "tools", "tools/permission", "tools/internal/process"}, true
	case room == "steps":
		return []string{"internal/jsonline", "tools", "providers", "tools/shell"}, true
	case room == "runner":
		return []string{"internal/jsonline", "steps", "workflows", "tools", "providers"}, true
	case room == "cmd/flow", strings.HasPrefix(room, "examples"):
		return nil, true
	case strings.HasPrefix(room, "cmd/flow-bench"):
		return nil, true // it measures the program from outside
	}
	return nil, false
}

// TestImportsRunOneWay holds the cut of the code: what may know of what.
func TestImportsRunOneWay(t *testing.T) {
	root := filepath.Join("..", "..")
	checked := 0
	err := filepath.WalkDir(root, func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		name := e.Name()
		if dir != root && (strings.HasPrefix(name, ".") || name == "testdata") {
			return filepath.SkipDir
		}
		if inner := filepath.Join(dir, "go.mod"); dir != root && exists(inner) {
			return filepath.SkipDir
		}
		p, err := build.ImportDir(dir, 0)
		if err != nil || len(p.GoFiles) == 0 {
			return nil // no package, or tests alone
		}
		room, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		checked++
		checkImports(t, filepath.ToSlash(room), p.Imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 10 {
		t.Errorf("only %d packages were found", checked)
	}
}

func checkImports(t *testing.T, room string, imports []string) {
	t.Helper()
	allowed, known := mayImport(room)
	if !known {
		t.Errorf("package %s has no place in the cut of the code", room)
		return
	}
	for _, imported := range imports {
		ours, isOurs := strings.CutPrefix(imported, module)
		switch {
		case isOurs && room != "cmd/flow" && !strings.HasPrefix(room, "examples") && !slices.Contains(allowed, ours):
			t.Errorf("%s imports %s", room, ours)
		case room == "workflows" && slices.Contains([]string{"os", "net", "context", "net/http"}, imported):
			t.Errorf("%s imports %s: a file format does no I/O", room, imported)
		case room == "providers" && strings.Contains(imported, "openai"):
			t.Errorf("%s imports a vendor's SDK: %s", room, imported)
		case path.Base(imported) == "go-hclog" && room != "cmd/flow":
			t.Errorf("%s imports a logger", room)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

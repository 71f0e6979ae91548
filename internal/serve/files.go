package serve

import (
	"context"
	"fmt"
	"os"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// maxFiles is how many workflows a server has.
const maxFiles = 500

// A source is a file that is served.
type source struct {
	path  string
	named bool // it was asked for, and not only found in a folder
}

// refreshing reads the files again before the tools are listed, and reports mistakes.
func (s *Server) refreshing(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if method == "tools/list" {
			found, _ := s.read()
			for _, d := range found {
				s.warn(d.String())
			}
		}
		return next(ctx, method, r)
	}
}

// read announces the current workflows. A tool whose file has mistakes stays as it was, and fails
// when it is called; one whose file is gone is removed. It is not ok if a named file has mistakes,
// two workflows have one name, or there is none.
func (s *Server) read() (found workflows.Diagnostics, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sources, found := s.sources()
	ok = len(found) == 0
	seen, broken := map[string]string{}, map[string]bool{} // files by tools, and those with mistakes
	for _, from := range sources {
		w, problems := s.load(from.path)
		if w == nil {
			found, ok, broken[from.path] = append(found, problems...), ok && !from.named, true
			continue
		}
		name := toolName(w.Name)
		if other := seen[name]; other != "" {
			found, ok = append(found, mistake(from.path, fmt.Sprintf("the workflow has the name %q, as has that of %s: names of tools must differ", w.Name, other))), false
			continue
		}
		seen[name] = from.path
		s.announce(name, from.path, w)
	}
	for name, tool := range s.announced {
		if seen[name] == "" && !broken[tool.file] {
			delete(s.announced, name)
			s.sdk.RemoveTools(name)
		}
	}
	if len(s.announced) == 0 && len(found) == 0 {
		found, ok = append(found, mistake(strings.Join(s.o.Paths, ", "), "no workflow found: expected a YAML file with name and steps")), false
	}
	return found, ok && len(s.announced) > 0
}

// sources lists the files to serve: the named ones, and the workflows of folders.
func (s *Server) sources() (all []source, found workflows.Diagnostics) {
	for _, path := range s.o.Paths {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			all = append(all, source{path, true}) // what is wrong with it is told when it is loaded
			continue
		}
		files, err := host.WorkflowsIn(path)
		if err != nil {
			found = append(found, mistake(path, paths.Cause(err).Error()))
		}
		for _, file := range files {
			if len(all) < maxFiles {
				all = append(all, source{file, false})
			}
		}
	}
	return all, found
}

// load loads a workflow. It refuses that of a recipe without a grant, to which a link in a folder
// may lead.
func (s *Server) load(file string) (*host.Loaded, workflows.Diagnostics) {
	reference, granted := s.o.Granted[file]
	w, found := host.Load(file, host.LoadOptions{Environment: s.o.Environment, Recipe: reference})
	if w != nil && w.Fetched() && !granted {
		d := mistake(file, "it belongs to a recipe that has no grant")
		d.Code, d.Hint = diagnostic.CodeGrant, "name it on the command line"
		return nil, workflows.Diagnostics{d}
	}
	return w, found
}

func mistake(path, message string) workflows.Diagnostic {
	return diagnostic.OfFile(path, diagnostic.CodeFile, message)
}

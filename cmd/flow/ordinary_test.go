package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// ordinaryFiles are a project in several languages at once.
var ordinaryFiles = map[string]string{
	"README.md": "# app\nparser\n", "CHANGELOG.md": "## 1.2.0\n- x\n## 1.1.0\n", "docs/a.md": "v1.1.0\n", "docs/env.example": "KEY=\n", ".gitignore": "bin/\nbuild/\ndist*\nnode_modules/\n.venv/\n__pycache__/\n",
	"go.mod": "module app\n\ngo 1.24\n", "src/main.go": "package src\n\n// OldName is foo.\nconst OldName = 1\n", "src/old.go": "package src\n", "cmd/app/main.go": "package main\n\nfunc main() {}\n",
	"pkg/parse/parse.go": "package parse\n", "pkg/parse/parse_test.go": "package parse\n\nimport \"testing\"\n\nfunc TestFoo(*testing.T) {}\n",
	"package.json": `{"name": "app", "version": "1.0.0", "scripts": {"test": "node -e 1", "build": "mkdir -p dist && echo x > dist/x", "lint": "node -e 1"}}`, "scripts/gen.js": "1\n", "src/a.test.ts": "1\n", "src/index.ts": "1\n",
	"requirements.txt": "\n", "pyproject.toml": "[tool]\nversion = \"1.1.0\"\n", "scripts/run.py": "print(1)\n", "scripts/gen.py": "print('# x')\n", "src/app/__init__.py": "", "tests/test_a.py": "def test_b(): pass\n", "data/sample.json": "{}",
	"src/a.py": "print(1)\n", "src/b.py": "print(2)\n", "Makefile": "build test lint release:\n\ttrue\n", "scripts/check.sh": "#!/bin/sh\ntrue\n", "scripts/release.sh": "echo released\n", "build/notes.txt": "x\n",
}

// TestOrdinaryForReal runs what coding agents run all day, where its commands are
// held, under policies that allow it: of 200 commands at most 2 are denied, by their
// words or by what they did. A program that is not here fails, and is not denied.
func TestOrdinaryForReal(t *testing.T) {
	t.Parallel()
	if err := held.Available(); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	playAll(t, "../../tools/permission/testdata/agents/ordinary.txt", "{network: none}", 200, 2)
}

// TestEveryday does the work of an hour at both levels: of 40 commands none is denied where
// they are held, and at most two under Landlock.
func TestEveryday(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		level, sandbox string
		missing        error
		most           int
	}{
		{"held", "{required: true, network: none}", held.Available(), 0},
		{"landlock", "{level: landlock, network: none}", shell.Sandboxes(), 2},
	} {
		t.Run(test.level, func(t *testing.T) {
			if test.missing != nil {
				t.Skipf("SKIPPED: %v", test.missing)
			}
			playAll(t, "testdata/everyday.txt", test.sandbox, 40, test.most)
		})
	}
}

// playAll runs the commands of a file, and wants at most so many of them denied.
func playAll(t *testing.T, file, sandbox string, count, most int) {
	t.Helper()
	if testing.Short() {
		t.Skip("compilers and installers take their time")
	}
	text, err := os.ReadFile(filepath.FromSlash(file))
	check(t, err)
	ran := 0
	var denied []string
	for block := range strings.SplitSeq(string(text), "\n\n") {
		rules, commands := agentBlock(t, block)
		ran += len(commands)
		denied = append(denied, playOrdinary(t, sandbox, rules, commands)...)
	}
	t.Logf("%d of %d commands were denied: %s", len(denied), ran, strings.Join(denied, "; "))
	if ran != count || len(denied) > most {
		t.Errorf("%d of %d commands were denied", len(denied), ran)
	}
}

// agentBlock reads rules, and the commands under them.
func agentBlock(t *testing.T, block string) (rules map[string]map[string]string, commands []any) {
	rules = map[string]map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(block), "\n") {
		fields := strings.SplitN(line, " ", 4)
		switch {
		case strings.HasPrefix(line, "# "):
		case fields[0] == "rule":
			if rules[fields[1]] == nil {
				rules[fields[1]] = map[string]string{}
			}
			rules[fields[1]][fields[3]] = fields[2]
		default:
			arguments := attemptOf(t, "bash", line)
			arguments["timeout"] = 8_000
			commands = append(commands, map[string]any{"name": "bash", "arguments": arguments})
		}
	}
	return rules, commands
}

// playOrdinary returns the calls that were denied, with why.
func playOrdinary(t *testing.T, sandbox string, rules map[string]map[string]string, commands []any) (denied []string) {
	flow, err := exec.LookPath("flow")
	check(t, err)
	base, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	permissions, err := json.Marshal(rules)
	check(t, err)
	script, err := json.Marshal(map[string]any{"steps": map[string]any{"*": []any{map[string]any{"calls": commands}, map[string]any{"text": "done"}}}})
	check(t, err)
	files := map[string]string{
		"home/.gitconfig": "[user]\nname = a\nemail = a@b.c\n", "tmp/x": "", "model.script.yaml": string(script),
		"flow.yaml": "name: ordinary\nmodel: script/model.script.yaml\ntools: [bash]\nsandbox: " + sandbox + "\npermissions: " + string(permissions) + "\nsteps: [{prompt: Work.}]\n",
	}
	// Without a network it would wait for the registry, again and again.
	files["home/bin/npx"] = "#!/bin/sh\necho no network >&2; exit 1\n"
	for name, text := range ordinaryFiles {
		files["work/"+name] = text
	}
	for name, text := range files {
		path := filepath.Join(base, name)
		check(t, errorsOf(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
	}
	if caches, err := os.UserCacheDir(); err == nil { // so that not all of Go is compiled
		check(t, errorsOf(os.MkdirAll(caches, 0o755), os.Symlink(caches, filepath.Join(base, "home", ".cache"))))
	}
	s := stage{base: base, level: findingLevel{program: flow}}
	if out, err := s.run("bash", "-ec", "git init -q -b main; git add -A; git commit -qm one; git tag v1.1.0; git commit -qm two --allow-empty; chmod +x scripts/*.sh ../home/bin/npx"); err != nil {
		t.Skipf("SKIPPED: git: %v %s", err, out)
	}
	out, err := s.run(flow, "run", "../flow.yaml", "--workspace", ".", "--run-dir", "../run", "--log-level", "warn")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	result, err := os.ReadFile(filepath.Join(base, "run", "run.json"))
	check(t, err)
	var all any
	check(t, json.Unmarshal(result, &all))
	for _, call := range deniedCalls(all) {
		denied = append(denied, fmt.Sprint(call["input"], call["rule"], call["reason"]))
	}
	return denied
}

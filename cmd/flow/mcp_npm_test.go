package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// npmVersion is that of both servers.
const npmVersion = "2026.8.31"

// npmServers returns the folder of the two servers from npm. FLOW_MCP_NPM is
// the folder that they are installed in, or 1 to install them for this test.
func npmServers(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("FLOW_MCP_NPM")
	if folder == "" {
		t.Skip("the servers from npm are not called: FLOW_MCP_NPM=1 installs them, or names the folder where they are")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("the servers from npm are not called: %v", err)
	}
	if folder == "1" {
		folder = t.TempDir()
		install := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder,
			"@modelcontextprotocol/server-everything@"+npmVersion, "@modelcontextprotocol/server-filesystem@"+npmVersion)
		if out, err := install.CombinedOutput(); err != nil {
			t.Skipf("the servers from npm are not called: npm install: %v\n%s", err, out)
		}
	}
	return filepath.Join(folder, "node_modules", "@modelcontextprotocol")
}

// A npmCall is a call of a tool of the real servers, and a pattern that its
// answer fits.
type npmCall struct {
	tool, arguments string
	want            string
	failed          bool
}

// everythingCalls calls every tool of server-everything.
func everythingCalls() []npmCall {
	return []npmCall{
		{"everything_echo", `{"message": "hello"}`, `^Echo: hello$`, false},
		{"everything_echo", `{}`, `"message" is missing`, true},
		{"everything_get-annotated-message", `{"messageType": "success", "includeImage": true}`, `(?s)Operation completed.*\[image: image/png, \d+ bytes\]`, false},
		{"everything_get-env", `{}`, `"PATH"`, false},
		{"everything_get-resource-links", `{"count": 2}`, `(?s)\[resource: demo://.*\[resource: demo://`, false},
		{"everything_get-resource-reference", `{"resourceType": "Text", "resourceId": 1}`, `(?s)\[resource: demo://.*\]\n.*Resource 1`, false},
		{"everything_get-resource-reference", `{"resourceType": "Blob", "resourceId": 1}`, `\[resource: demo://.*, \d+ bytes\]`, false},
		{"everything_get-structured-content", `{"location": "Chicago"}`, `^\{"temperature":\d+,"conditions":"[^"]*","humidity":\d+\}$`, false},
		{"everything_get-sum", `{"a": 40, "b": 2}`, `The sum of 40 and 2 is 42`, false},
		{"everything_get-sum", `{"a": "x", "b": 2}`, `/a`, true},
		{"everything_get-tiny-image", `{}`, `\[image: image/png, \d+ bytes\]`, false},
		{"everything_gzip-file-as-resource", `{"name": "a.gz", "data": "data:text/plain,hello", "outputType": "resource"}`, `\[resource: demo://.*a\.gz, application/gzip, \d+ bytes\]`, false},
		{"everything_toggle-simulated-logging", `{}`, `(?i)logging`, false},
		{"everything_toggle-subscriber-updates", `{}`, `(?i)updates`, false},
		{"everything_trigger-long-running-operation", `{"duration": 1, "steps": 2}`, `Long running operation completed`, false},
		{"everything_simulate-research-query", `{"topic": "tides"}`, `(?i)task`, true},
	}
}

// filesystemCalls calls every tool of server-filesystem, in an order in which
// they make sense.
func filesystemCalls() []npmCall {
	return []npmCall{
		{"files_list_allowed_directories", `{}`, `Allowed directories:`, false},
		{"files_create_directory", `{"path": "made"}`, `Successfully created directory`, false},
		{"files_write_file", `{"path": "made/a.txt", "content": "one\ntwo\n"}`, `Successfully wrote`, false},
		{"files_read_file", `{"path": "made/a.txt"}`, `^one\ntwo$`, false},
		{"files_read_text_file", `{"path": "made/a.txt", "head": 1}`, `^one$`, false},
		{"files_read_text_file", `{"path": "/etc/passwd"}`, `Access denied`, true},
		{"files_read_media_file", `{"path": "pixel.png"}`, `\[image: image/png, \d+ bytes\]`, false},
		{"files_read_multiple_files", `{"paths": ["made/a.txt", "pixel.png"]}`, `(?s)made/a.txt:\none\ntwo`, false},
		{"files_edit_file", `{"path": "made/a.txt", "edits": [{"oldText": "two", "newText": "three"}]}`, `\+three`, false},
		{"files_list_directory", `{"path": "made"}`, `\[FILE\] a\.txt`, false},
		{"files_list_directory_with_sizes", `{"path": "made"}`, `a\.txt +10 B`, false},
		{"files_directory_tree", `{"path": "made"}`, `"name": "a\.txt"`, false},
		{"files_move_file", `{"source": "made/a.txt", "destination": "made/b.txt"}`, `Successfully moved`, false},
		{"files_search_files", `{"path": ".", "pattern": "**/b.txt"}`, `made/b\.txt`, false},
		{"files_get_file_info", `{"path": "made/b.txt"}`, `size: 10`, false},
	}
}

// TestRealServers calls every tool of two servers as they are published,
// through a workflow.
func TestRealServers(t *testing.T) {
	servers, dir := npmServers(t), t.TempDir()
	calls := append(everythingCalls(), filesystemCalls()...)
	// One call a turn: they build on each other.
	var turns strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&turns, "    - calls: [{name: %s, arguments: %s}]\n", c.tool, c.arguments)
	}
	writeAll(t, dir, map[string]string{
		"pixel.png": "\x89PNG\r\n\x1a\n",
		"flow.yaml": `name: real
mcp:
  everything: {command: [node, ` + servers + `/server-everything/dist/index.js, stdio], env: {GZIP_ALLOWED_DOMAINS: ""}}
  files: {command: [node, ` + servers + `/server-filesystem/dist/index.js, .], required: true}
permissions: {"everything_*": allow, "files_*": allow}
steps:
  - id: ask
    model: script/a.script.yaml
    prompt: hi
    tools: ["everything_*", "files_*"]
    stop: {max_turns: 60}
`,
		"a.script.yaml": "steps:\n  ask:\n" + turns.String() + "    - text: ${{ join(map(tools, .name), \" \") }}\n",
	})
	t.Setenv("OPENAI_API_KEY", "sk-not-for-servers")
	stdout, stderr, code := runFlow(t, dir, "run", "flow.yaml", "--run-dir", "run")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for _, tool := range strings.Fields(stdout) {
		if !slices.ContainsFunc(calls, func(c npmCall) bool { return c.tool == tool }) {
			t.Errorf("the tool %s is not called", tool)
		}
	}
	answers := toolAnswers(t, filepath.Join(dir, "run", "journal.jsonl"))
	if len(answers) != len(calls) {
		t.Fatalf("%d answers to %d calls", len(answers), len(calls))
	}
	for i, c := range calls {
		if got := answers[i]; (got.Status == "failed") != c.failed || !regexp.MustCompile(c.want).MatchString(got.Content) {
			t.Errorf("%s %s: failed %v, %.500q; want failed %v, %q", c.tool, c.arguments, got.Status == "failed", got.Content, c.failed, c.want)
		}
		if strings.Contains(answers[i].Content, "sk-not-for-servers") {
			t.Errorf("%s sees a key", c.tool)
		}
	}
}

// TestRealServerKilled kills a server in the middle of a call, and calls again.
func TestRealServerKilled(t *testing.T) {
	servers, dir := npmServers(t), t.TempDir()
	writeAll(t, dir, map[string]string{
		"flow.yaml": `name: killed
mcp:
  everything: {command: [sh, -c, 'echo $$ > pid; exec node ` + servers + `/server-everything/dist/index.js stdio']}
permissions: {"everything_*": allow}
steps:
  - id: ask
    model: script/a.script.yaml
    prompt: hi
    tools: [everything_trigger-long-running-operation, everything_echo]
  - needs: []
    run: until grep -q '"kind":"call"' run/journal.jsonl; do sleep 0.05; done; sleep 0.3; kill -9 "$(cat pid)"
`,
		"a.script.yaml": `steps:
  ask:
    - calls: [{name: everything_trigger-long-running-operation, arguments: {duration: 50, steps: 5}}]
    - calls: [{name: everything_echo, arguments: {message: again}}]
    - text: done
`,
	})
	_, stderr, code := runFlow(t, dir, "run", "flow.yaml", "--run-dir", "run")
	if want := `MCP server "everything" ended: SIGKILL`; code != 0 || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d, want 0 and %q\n%s", code, want, stderr)
	}
	answers := toolAnswers(t, filepath.Join(dir, "run", "journal.jsonl"))
	for i, want := range []string{"ended during the call: SIGKILL", "Echo: again\nThe server had ended"} {
		if !strings.Contains(answers[i].Content, want) {
			t.Errorf("answer %d: %q, want %q", i, answers[i].Content, want)
		}
	}
}

// runFlow runs the program in a folder.
func runFlow(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Chdir(dir)
	var out, errs bytes.Buffer
	p := newProgram(strings.NewReader(""), &out, &errs, os.LookupEnv)
	code = p.run(args)
	return out.String(), errs.String(), code
}

func writeAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A toolAnswer is what a model got for a call.
type toolAnswer struct {
	Status, Content string
}

// toolAnswers reads the answers to the calls of a conversation, in their order.
func toolAnswers(t *testing.T, journal string) []toolAnswer {
	t.Helper()
	data, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	var all []toolAnswer
	for line := range bytes.Lines(data) {
		var record struct {
			Kind string
			Data json.RawMessage
		}
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatal(err)
		}
		if record.Kind != "answer" {
			continue
		}
		var answer toolAnswer
		if err := json.Unmarshal(record.Data, &answer); err != nil {
			t.Fatal(err)
		}
		all = append(all, answer)
	}
	return all
}

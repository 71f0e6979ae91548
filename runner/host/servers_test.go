package host

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/runner"
	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/permission"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// served are tools of servers by their full names, written server/tool.
func served(names ...string) []serverTool {
	var all []serverTool
	for _, name := range names {
		server, tool, _ := strings.Cut(name, "/")
		all = append(all, serverTool{server, missingTool{name: server + "_" + tool}})
	}
	return all
}

func namesOf(all []tools.Tool) string {
	var names []string
	for _, t := range all {
		names = append(names, t.Spec().Name)
	}
	return strings.Join(names, " ")
}

// TestPick has the list of a step, the tools that there are, and what each entry
// of the list stands for.
func TestPick(t *testing.T) {
	cases := []struct {
		name   string
		listed []string
		there  []serverTool
		want   []string
	}{
		{"a name", []string{"git_log"}, served("git/log", "git/push"), []string{"git_log"}},
		{"a pattern", []string{"git_*"}, served("git/log", "git/push"), []string{"git_log git_push"}},
		{"a pattern of some", []string{"git_get_*"}, served("git/get_a", "git/set_a"), []string{"git_get_a"}},
		{"a pattern and a name", []string{"git_*", "git_log"}, served("git/log", "git/push"), []string{"git_push", "git_log"}},
		{"two patterns", []string{"git_p*", "git_*"}, served("git/log", "git/push"), []string{"git_push", "git_log"}},
		{"a server that begins alike", []string{"git_*"}, served("git/log", "git_hub/issue"), []string{"git_log"}},
		{"another server", []string{"hub_*"}, served("git/log"), []string{""}},
		{"a built-in tool", []string{"read"}, served("git/read"), []string{""}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for i, entry := range c.listed {
				if got := namesOf(pick(entry, c.listed, c.there)); got != c.want[i] {
					t.Errorf("%s stands for %q, want %q", entry, got, c.want[i])
				}
			}
		})
	}
}

func TestDistinct(t *testing.T) {
	var warned []string
	boxes := newToolboxes(loadedIn(with(nil)), Options{})
	boxes.say = func(message string) { warned = append(warned, message) }
	there := served("a/b_c", "a_b/c", "a/own", "a/fine")
	left := boxes.distinct(there, map[string]tools.Tool{"a_own": missingTool{}})
	if len(left) != 1 || left[0].name() != "a_fine" {
		t.Errorf("left: %v", left)
	}
	if len(warned) != 3 || !strings.Contains(warned[0], `"a_b_c"`) {
		t.Errorf("warnings %q", warned)
	}
}

func TestServersNamed(t *testing.T) {
	w := &workflows.Workflow{MCP: map[string]*workflows.Server{"a": {}, "a_b": {}, "c": {}}}
	for list, want := range map[string][]string{"read": nil, "a_x": {"a"}, "a_b_c": {"a", "a_b"}, "c_*": {"c"}, "cx": nil} {
		if got := serversNamed(w, []string{list}); !slices.Equal(got, want) {
			t.Errorf("%s names %v, want %v", list, got, want)
		}
	}
}

// TestJudgeAddress asks for a redirect what nobody was asked before.
func TestJudgeAddress(t *testing.T) {
	policy, err := permission.New(permission.Config{Root: t.TempDir(), Domains: []permission.Domain{{Layers: []permission.Rules{{
		"webfetch": {{Pattern: "https://a.example/**", Verdict: permission.Allow}, {Pattern: "https://b.example/**", Verdict: permission.Ask}},
	}}}}})
	if err != nil {
		t.Fatal(err)
	}
	answer := func(v tools.Verdict, err error) tools.Asker {
		return func(_ context.Context, tool string, arguments json.RawMessage, d tools.Decision) (tools.Decision, error) {
			if tool != "webfetch" || !strings.Contains(string(arguments), "b.example") {
				t.Errorf("asked about %s %s", tool, arguments)
			}
			return tools.Decision{Verdict: v, Rule: d.Rule}, err
		}
	}
	cases := []struct {
		name, address string
		first         bool
		ask           tools.Asker
		normal        string
		want          tools.Verdict
	}{
		{"allowed", "HTTPS://A.example:443/x/../y#z", false, nil, "https://a.example/y", tools.Allow},
		{"asked for before", "https://b.example/", true, answer(tools.Deny, nil), "https://b.example/", tools.Ask},
		{"asked for, and allowed", "https://b.example/", false, answer(tools.Allow, nil), "https://b.example/", tools.Allow},
		{"asked for, and denied", "https://b.example/", false, answer(tools.Deny, nil), "https://b.example/", tools.Deny},
		{"nobody answers", "https://b.example/", false, answer(tools.Allow, errors.New("gone")), "https://b.example/", tools.Deny},
		{"nobody to ask", "https://b.example/", false, nil, "https://b.example/", tools.Ask},
		{"denied", "https://c.example/", false, answer(tools.Allow, nil), "https://c.example/", tools.Deny},
		{"never", "http://169.254.169.254/", true, answer(tools.Allow, nil), "http://169.254.169.254/", tools.Deny},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			boxes := newToolboxes(loadedIn(with(nil)), Options{})
			boxes.options.Ask = c.ask
			normal, d := boxes.judgeAddress(t.Context(), policy, c.address, c.first)
			if normal != c.normal || d.Verdict != c.want {
				t.Errorf("%q %s, want %q %s", normal, d.Verdict, c.normal, c.want)
			}
		})
	}
}

func TestSideWarnings(t *testing.T) {
	var said, told []string
	a := &sideWarnings{say: func(message string) { said = append(said, message) }}
	a.warn("early")
	over := false
	a.attach(func(message string) bool {
		told = append(told, message)
		return !over
	})
	a.warn("in time")
	over = true
	a.warn("late")
	if !slices.Equal(told, []string{"in time", "late"}) || !slices.Equal(said, []string{"early", "late"}) {
		t.Errorf("told %q, said %q", told, said)
	}
}

// TestServersAreShared makes one server of what is reached in the same way.
func TestServersAreShared(t *testing.T) {
	w, found := Load(writeWorkflow(t, `name: w
mcp:
  a: {command: [x, "${{ inputs.n }}"], env: {B: "2", A: "1"}}
  b: {url: "${{ inputs.u }}"}
inputs: {n: {type: string, default: "1"}, u: {type: string, default: "https://x.example/mcp"}}
steps: [{run: "true"}]
`), LoadOptions{Environment: with(nil)})
	if w == nil {
		t.Fatal(found)
	}
	boxes := newToolboxes(loadedIn(with(map[string]string{"PATH": "/bin", "KEY": "k"})), Options{})
	server := func(name, n, u, dir string) any {
		scope := runner.ToolScope{Workflow: w.Workflow, Workspace: dir, Env: workflows.Env{"inputs": map[string]any{"n": n, "u": u}}}
		s, err := boxes.server(scope, w.MCP[name])
		if err != nil {
			return err.Error()
		}
		return s
	}
	one := server("a", "1", "", "/w")
	if one != server("a", "1", "", "/w") || one == server("a", "2", "", "/w") || one == server("a", "1", "", "/v") {
		t.Error("what is the same server is not told apart from what is another")
	}
	if got := server("b", "", "ftp://x", "/w"); got != `MCP server "b": url is not an http or https URL` {
		t.Errorf("%v", got)
	}
	o, err := boxes.serverOptions(w.MCP["a"], workflows.Env{"inputs": map[string]any{"n": "1"}}, "/w")
	if err != nil || !slices.Equal(o.Env, []string{"PATH=/bin", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.quotePath", "GIT_CONFIG_VALUE_0=false", "A=1", "B=2"}) || !slices.Equal(o.Command, []string{"x", "1"}) {
		t.Errorf("%+v, %v", o, err)
	}
	if err := boxes.close(); err != nil {
		t.Error(err)
	}
}

func writeWorkflow(t *testing.T, text string) string {
	t.Helper()
	file := t.TempDir() + "/flow.yaml"
	write(t, file, text)
	return file
}

// TestMissingTool answers what a model should know.
func TestMissingTool(t *testing.T) {
	all := missingTools("git", []string{"git_log", "git_*", "read"}, errors.New("no token"))
	if len(all) != 1 || all[0].announced() != (permission.MCPTool{Server: "git", Tool: "log"}) {
		t.Fatalf("%v", all)
	}
	box := runner.Toolbox{Find: func(string) []tools.Tool { return []tools.Tool{all[0].tool} }, Guard: allowing{}}
	if answer := call(t, box, "git_log", `{"any": 1}`); answer.Status != tools.Failed || answer.Content != "no token" {
		t.Errorf("%s %q", answer.Status, answer.Content)
	}
}

// allowing allows everything.
type allowing struct{}

func (allowing) Decide(context.Context, string, json.RawMessage) tools.Decision {
	return tools.Decision{Verdict: tools.Allow}
}
func (allowing) Offered(string) bool { return true }

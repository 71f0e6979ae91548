package permission

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/testkit"
)

// vector is one line of the file of vectors.
type vector struct {
	ID, Class, Tool, Scope string
	Policy                 [][2]string
	Also                   map[string][][2]string
	Call                   map[string]any
	Cwd                    string
	Expect, Effective      string
	Why                    string
	Layers                 []struct {
		Kind  string
		Rules map[string][][2]string
	}
	Tools    []string
	Workflow string
	Run      *struct{ Ask string }
	Fixture  struct {
		Files     []fixtureFile
		DNS       map[string][]string
		Redirects []string
		MCP       [][2]string
	}
}

type fixtureFile struct {
	Path, File, Symlink, Hardlink string
	Dir, Fifo                     bool
}

// TestVectors runs the vectors of the file that FLOW_PERMISSION_VECTORS names.
func TestVectors(t *testing.T) {
	name := testkit.Find(t, "FLOW_PERMISSION_VECTORS", "../shared/permissions/vectors.jsonl")
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(file))
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		n++
		t.Run(v.ID, func(t *testing.T) { v.run(t) })
	}
	if n == 0 {
		t.Error("the file holds no vectors")
	}
	testkit.Ran(t, "%d vectors run from %s", n, name)
}

func (v vector) run(t *testing.T) {
	m := newSandbox(t)
	m.build(t, v.Fixture.Files)
	p, err := New(v.config(m))
	var got Decision
	if err == nil {
		got = v.decide(t, p, m)
	}
	if got.Verdict.String() != v.Expect {
		t.Errorf("%s %v: got %v (%s), want %s: %s (policy error %v)", v.Tool, v.Call, got.Verdict, got.Reason, v.Expect, v.Why, err)
	}
	if v.Effective != "" {
		effective := got.Verdict.String()
		if effective == "ask" {
			effective = "deny"
			if v.Run != nil && v.Run.Ask != "" {
				effective = v.Run.Ask
			}
		}
		if effective != v.Effective {
			t.Errorf("effective: got %s, want %s", effective, v.Effective)
		}
	}
	if len(got.Parts) == 0 && got.Reason == "" {
		t.Error("the decision has no reason")
	}
}

func (v vector) config(m sandbox) Config {
	step := Rules{}
	if v.Scope == "tool" {
		for _, r := range v.Policy {
			step[r[0]] = append(step[r[0]], m.rules([][2]string{{"*", r[1]}})...)
		}
	} else {
		key := known.RuledBy(v.Tool)
		if key == "" {
			key = v.Tool
		}
		step[key] = m.rules(v.Policy)
	}
	for tool, rules := range v.Also {
		step[tool] = m.rules(rules)
	}
	own := Domain{Name: "step"}
	c := Config{Root: m.path("/ws"), Home: m.path("/home/u"), Tools: v.Tools}
	for _, layer := range v.Layers {
		rules := Rules{}
		for tool, list := range layer.Rules {
			rules[tool] = m.rules(list)
		}
		if layer.Kind == "workflow" {
			own.Layers = append(own.Layers, rules)
		} else {
			c.Domains = append(c.Domains, Domain{Name: layer.Kind, Layers: []Rules{rules}})
		}
	}
	own.Layers = append(own.Layers, step)
	c.Domains = append(c.Domains, own)
	if v.Workflow != "" {
		c.Protected = []string{m.path(v.Workflow)}
	}
	for _, pair := range v.Fixture.MCP {
		c.MCP = append(c.MCP, MCPTool{pair[0], pair[1]})
	}
	return c
}

// decide makes the call and, for a page, those of its redirects.
func (v vector) decide(t *testing.T, p *Policy, m sandbox) Decision {
	input := map[string]any{}
	for key, value := range v.Call {
		if text, ok := value.(string); ok {
			value = m.path(text)
		}
		input[key] = value
	}
	if gen, ok := input["gen"].(map[string]any); ok {
		delete(input, "gen")
		input["command"] = m.path(gen["prefix"].(string) + strings.Repeat(gen["repeat"].(string), int(gen["times"].(float64))) + gen["suffix"].(string))
	}
	call := Call{Tool: v.Tool, Dir: m.path(v.Cwd)}
	if server, ok := input["server"].(string); ok && v.Scope == "tool" {
		call.Server, call.MCPTool = server, input["tool"].(string)
	}
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	call.Input = raw
	got := v.fetched(t, p.Decide(call))
	for i, hop := range v.Fixture.Redirects {
		if got.Verdict != Allow {
			break
		}
		if i == MaxRedirects {
			return Decision{Reason: "too many redirects"}
		}
		got = v.fetched(t, p.Decide(Call{Tool: v.Tool, Input: fmt.Appendf(nil, `{"url": %q}`, hop)}))
	}
	return got
}

// fetched is a decision that counts where its page is dialled.
func (v vector) fetched(t *testing.T, d Decision) Decision {
	if v.Tool != "webfetch" {
		return d
	}
	return dialled(t, d, func(host string) []string {
		if addrs, ok := v.Fixture.DNS[host]; ok {
			return addrs
		}
		return []string{"8.8.8.8"}
	})
}

// sandbox is a temporary directory that stands for the root of the vectors'
// file system.
type sandbox struct{ base string }

func newSandbox(t testing.TB) sandbox {
	t.Helper()
	m := sandbox{t.TempDir()}
	for _, dir := range []string{"/ws/docs", "/ws/src", "/ws/.flow", "/ws/.git/hooks", "/ws-evil", "/outside", "/home/u"} {
		if err := os.MkdirAll(m.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{
		"/ws/README.md", "/ws/flow.yaml", "/ws/.env", "/ws/docs/a.md", "/ws/src/main.go", "/ws/.git/config",
		"/ws-evil/x.txt", "/outside/secret.txt", "/home/u/.bashrc",
	} {
		if err := os.WriteFile(m.path(file), []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

var vectorPath = regexp.MustCompile(`(^|[^A-Za-z0-9_./~-])(/ws-evil|/ws|/outside|/home/u)($|[^A-Za-z0-9_-])`)

// path maps the paths of the vectors in a text to the sandbox.
func (m sandbox) path(text string) string {
	for range 2 { // two paths may share the character between them
		text = vectorPath.ReplaceAllString(text, "${1}"+m.base+"${2}${3}")
	}
	return text
}

func (m sandbox) rules(pairs [][2]string) []Rule {
	out := []Rule{}
	for _, pair := range pairs {
		verdict, err := ParseVerdict(pair[1])
		if err != nil {
			panic(err)
		}
		out = append(out, Rule{m.path(pair[0]), verdict})
	}
	return out
}

func (m sandbox) build(t testing.TB, files []fixtureFile) {
	t.Helper()
	for _, f := range files {
		name := m.path(f.Path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case f.Dir:
			err = os.MkdirAll(name, 0o755)
		case f.Symlink != "":
			err = os.Symlink(m.path(f.Symlink), name)
		case f.Hardlink != "":
			err = os.Link(m.path(f.Hardlink), name)
		case f.Fifo:
			err = syscall.Mkfifo(name, 0o644)
		default:
			err = os.WriteFile(name, []byte(f.File), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

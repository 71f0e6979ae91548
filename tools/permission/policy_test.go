package permission

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// build returns a policy over a sandbox, with the rules of each domain as one
// layer.
func build(t testing.TB, m sandbox, c Config, domains ...Rules) *Policy {
	t.Helper()
	c.Root, c.Home = m.path("/ws"), m.path("/home/u")
	for i, rules := range domains {
		c.Domains = append(c.Domains, Domain{Name: fmt.Sprint("domain ", i+1), Layers: []Rules{rules}})
	}
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func fileCall(tool, path string) Call {
	input, err := json.Marshal(map[string]string{"filePath": path})
	if err != nil {
		panic(err)
	}
	return Call{Tool: tool, Input: input}
}

func only(pattern string, v Verdict) []Rule { return []Rule{{pattern, v}} }

func TestDefaults(t *testing.T) {
	m := newSandbox(t)
	p := build(t, m, Config{Custom: []string{"go_doc"}, Named: []string{"dice"}, MCP: []MCPTool{{"github", "get"}}}, Rules{})
	for _, c := range []struct {
		call Call
		want Verdict
	}{
		{fileCall("read", "README.md"), Allow},
		{fileCall("read", "../outside/secret.txt"), Deny},
		{fileCall("read", ".env"), Deny},
		{Call{Tool: "list", Input: []byte(`{}`)}, Allow},
		{Call{Tool: "grep", Input: []byte(`{"pattern": "x", "path": "docs"}`)}, Allow},
		{Call{Tool: "glob", Input: []byte(`{"pattern": "x", "path": "/"}`)}, Deny},
		{fileCall("write", "docs/x"), Deny},
		{fileCall("edit", "docs/a.md"), Deny},
		{bashCall("true"), Deny},
		{Call{Tool: "webfetch", Input: []byte(`{"url": "https://a.example/"}`)}, Deny},
		{Call{Tool: "go_doc", Input: []byte(`{}`)}, Allow},
		{Call{Tool: "github_get", Input: []byte(`{}`)}, Deny},
		{Call{Tool: "dice", Input: []byte(`{}`)}, Deny},
		{Call{Tool: "unknown", Input: []byte(`{}`)}, Deny},
		{Call{Tool: "Read", Input: []byte(`{"filePath": "README.md"}`)}, Deny},
	} {
		if got := p.Decide(c.call); got.Verdict != c.want {
			t.Errorf("%s %s: got %v (%s), want %v", c.call.Tool, c.call.Input, got.Verdict, got.Reason, c.want)
		}
	}
}

func TestNoDomains(t *testing.T) {
	p := build(t, newSandbox(t), Config{})
	if got := p.Decide(fileCall("read", "README.md")); got.Verdict != Deny {
		t.Errorf("got %v, want a denial without any domain", got.Verdict)
	}
	if p.Readable("README.md") || p.Offered("read") {
		t.Error("something is allowed without any domain")
	}
}

func TestToolRules(t *testing.T) {
	m := newSandbox(t)
	for _, c := range []struct {
		name  string
		rules Rules
		call  Call
		want  Verdict
	}{
		{"catch-all", Rules{"*": only("*", Allow)}, bashCall("make"), Allow},
		{"catch-all and own rules", Rules{"*": only("*", Allow), "bash": only("ls *", Allow)}, bashCall("make"), Deny},
		{"denied by pattern", Rules{"b*": only("*", Deny), "bash": only("*", Allow)}, bashCall("make"), Deny},
		{"asked by pattern", Rules{"ba??": only("*", Ask), "bash": only("*", Allow)}, bashCall("make"), Ask},
		{"allowed by pattern", Rules{"ba*": only("*", Allow)}, bashCall("make"), Allow},
		{"edit denied by name", Rules{"edit": only("*", Deny), "write": only("**", Allow)}, fileCall("edit", "docs/a.md"), Deny},
		{"edit of what may not be read", Rules{"read": only("docs/**", Deny), "write": only("**", Allow)}, fileCall("edit", "docs/a.md"), Deny},
		{"edit of a secret", Rules{"write": {{"**", Allow}, {".env", Allow}}}, fileCall("edit", ".env"), Deny},
		{"edit of a secret that is named", Rules{"read": only(".env", Allow), "write": {{"**", Allow}, {".env", Allow}}}, fileCall("edit", ".env"), Allow},
		{"edit where reading is asked", Rules{"read": only("docs/**", Ask), "write": only("**", Allow)}, fileCall("edit", "docs/a.md"), Ask},
		{"patch of what may not be read", Rules{"read": only("docs/**", Deny), "write": only("**", Allow)}, fileCall("patch", "docs/a.md"), Deny},
		{"write of what may not be read", Rules{"read": only("docs/**", Deny), "write": only("**", Allow)}, fileCall("write", "docs/a.md"), Allow},
		{"write beside it", Rules{"edit": only("*", Deny), "write": only("**", Allow)}, fileCall("write", "docs/a.md"), Allow},
		{"edit by write's name", Rules{"writ?": only("*", Deny), "write": only("**", Allow)}, fileCall("edit", "docs/a.md"), Deny},
		{"grep named, others denied", Rules{"*": only("*", Deny), "grep": only("*", Allow)}, Call{Tool: "grep", Input: []byte(`{}`)}, Allow},
		{"read denied by catch-all", Rules{"*": only("*", Deny)}, fileCall("read", "README.md"), Deny},
		{"empty key", Rules{"read": nil}, fileCall("read", "README.md"), Deny},
		{"redirects obey tool rules", Rules{"writ*": only("*", Deny), "write": only("**", Allow), "bash": only("*", Allow)}, bashCall("ls > x"), Deny},
		{"custom denied", Rules{"go_*": only("*", Deny)}, Call{Tool: "go_doc", Input: []byte(`{}`)}, Deny},
		{"named allowed", Rules{"dice": only("*", Allow)}, Call{Tool: "dice", Input: []byte(`{}`)}, Allow},
		{"custom asked", Rules{"go_doc": only("*", Ask)}, Call{Tool: "go_doc", Input: []byte(`{}`)}, Ask},
	} {
		p := build(t, m, Config{Custom: []string{"go_doc"}, Named: []string{"dice"}}, c.rules)
		if got := p.Decide(c.call); got.Verdict != c.want {
			t.Errorf("%s: got %v (%s), want %v", c.name, got.Verdict, got.Reason, c.want)
		}
	}
}

func TestMCPNames(t *testing.T) {
	m := newSandbox(t)
	pairs := []MCPTool{{"my", "dice"}, {"github", "get"}, {"github_admin", "x"}, {"github", "admin_x"}, {"bash", "x"}, {"web", "fetch"}, {"go", "doc"}}
	p := build(t, m, Config{MCP: pairs, Custom: []string{"go_doc"}, Named: []string{"my_dice"}}, Rules{"*": only("*", Allow)})
	for tool, want := range map[string]Verdict{
		"github_get": Allow, "github_admin_x": Deny, "bash_x": Deny, "web_fetch": Allow, "go_doc": Deny, "my_dice": Deny, "github_other": Deny,
		"github": Deny, "github_get ": Deny, "": Deny, "_get": Deny, strings.Repeat("a", 129): Deny,
	} {
		if got := p.Decide(Call{Tool: tool, Input: []byte(`{}`)}); got.Verdict != want {
			t.Errorf("%q: got %v (%s), want %v", tool, got.Verdict, got.Reason, want)
		}
		if got := p.Offered(tool); got != (want == Allow) {
			t.Errorf("%q: offered %t", tool, got)
		}
	}
}

func TestOffered(t *testing.T) {
	m := newSandbox(t)
	for _, c := range []struct {
		rules Rules
		tool  string
		want  bool
	}{
		{Rules{}, "read", true},
		{Rules{}, "grep", true},
		{Rules{}, "bash", false},
		{Rules{}, "write", false},
		{Rules{"bash": only("*", Deny)}, "bash", false},
		{Rules{"bash": only("ls *", Allow)}, "bash", true},
		{Rules{"bash": only("ls *", Ask)}, "bash", true},
		{Rules{"bash": only("rm *", Deny)}, "bash", false},
		{Rules{"read": only("secret", Deny)}, "read", true},
		{Rules{"read": only("*", Deny)}, "grep", false},
		{Rules{"glob": only("*", Deny)}, "glob", false},
		{Rules{"webfetch": only("https://a.example/**", Allow)}, "webfetch", true},
		{Rules{"webfetch": only("https://a.example/**", Deny)}, "webfetch", false},
		{Rules{"write": only("docs/**", Allow)}, "patch", true},
		{Rules{"w*": only("*", Deny), "write": only("docs/**", Allow)}, "write", false},
	} {
		if got := build(t, m, Config{}, c.rules).Offered(c.tool); got != c.want {
			t.Errorf("%v: %s offered %t, want %t", c.rules, c.tool, got, c.want)
		}
	}
	p := build(t, m, Config{Tools: []string{"read", "github_*"}}, Rules{"*": only("*", Allow)})
	for tool, want := range map[string]bool{"read": true, "grep": false, "bash": false, "github_x": true, "gitlab_x": false} {
		if got := p.Offered(tool); got != want {
			t.Errorf("%s offered %t, want %t", tool, got, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	m := newSandbox(t)
	for name, rules := range map[string]Rules{
		"empty path":          {"read": only("", Deny)},
		"climbing path":       {"write": only("../x", Allow)},
		"another's home":      {"read": only("~root/x", Allow)},
		"control character":   {"read": only("a\nb", Deny)},
		"empty command":       {"bash": only(" ", Allow)},
		"zero-width space":    {"bash": only("git\u200b log", Deny)},
		"no-break space":      {"bash": only("git\u00a0log", Deny)},
		"no scheme":           {"webfetch": only("a.example/**", Allow)},
		"any host":            {"webfetch": only("https://*/x", Allow)},
		"query":               {"webfetch": only("https://a.example/?x", Allow)},
		"user":                {"webfetch": only("https://u@a.example/", Allow)},
		"metadata":            {"webfetch": only("http://metadata.google.internal/**", Allow)},
		"domain with a path":  {"webfetch": only("domain:a.example/x", Allow)},
		"patterns of a tool":  {"go_doc": only("x", Allow)},
		"patterns of edit":    {"edit": only("docs/**", Allow)},
		"a key with a blank":  {"a b": only("*", Allow)},
		"an address's domain": {"webfetch": only("https://*.1.2.3.4/", Allow)},
	} {
		_, err := New(Config{Root: m.path("/ws"), Domains: []Domain{{Name: "f.yaml", Layers: []Rules{rules}}}})
		if err == nil || !strings.Contains(err.Error(), "f.yaml") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	for name, c := range map[string]Config{
		"no root":       {},
		"relative root": {Root: "ws"},
		"absent root":   {Root: m.path("/ws/absent")},
		"file as root":  {Root: m.path("/ws/README.md")},
		"bad tool":      {Root: m.path("/ws"), Tools: []string{"a b"}},
		"relative home": {Root: m.path("/ws"), Home: "u"},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestArguments(t *testing.T) {
	p := build(t, newSandbox(t), Config{}, Rules{"*": only("*", Allow)})
	for _, c := range []struct{ tool, input string }{
		{"bash", ``}, {"bash", `null`}, {"bash", `[]`}, {"bash", `{}`}, {"bash", `{"command": 1}`}, {"bash", `{"command": null}`},
		{"bash", `{"command": "ls"`}, {"bash", `{"command": "ls"} {}`},
		{"bash", `{"command": "ls", "command": "rm x"}`}, {"bash", `{"command": "ls", "Command": "rm x"}`}, {"bash", `{"Command": "ls"}`},
		{"bash", `{"command": "ls", "workdir": 1}`}, {"bash", `{"command": "ls", "workdir": "/"}`},
		{"read", `{}`}, {"read", `{"filePath": ""}`}, {"read", `{"path": ["x"]}`}, {"read", `{"path": "README.md", "filePath": "README.md"}`},
		{"grep", `{"path": ""}`}, {"webfetch", `{}`}, {"webfetch", `{"url": 1}`},
	} {
		if got := p.Decide(Call{Tool: c.tool, Input: []byte(c.input)}); got.Verdict != Deny || !got.Never {
			t.Errorf("%s %s: got %v", c.tool, c.input, got.Verdict)
		}
	}
	if got := p.Decide(Call{Tool: "bash", Input: []byte(`{"command": "ls", "workdir": "docs", "timeout": 5}`)}); got.Verdict != Allow {
		t.Errorf("plain arguments: got %v (%s)", got.Verdict, got.Reason)
	}
}

func TestDomains(t *testing.T) {
	m := newSandbox(t)
	caller := Rules{"bash": {{"git log *", Allow}}, "write": {{"docs/**", Allow}}}
	recipe := Rules{"bash": {{"*", Allow}}, "write": {{"**", Allow}}, "webfetch": {{"*", Allow}}}
	p := build(t, m, Config{}, caller, recipe)
	for _, c := range []struct {
		call Call
		want Verdict
	}{
		{bashCall("git log -1"), Allow},
		{bashCall("git status"), Deny},
		{bashCall("git log > docs/x"), Allow},
		{bashCall("git log > src/x"), Deny},
		{fileCall("write", "src/x"), Deny},
		{fileCall("read", "README.md"), Allow},
		{Call{Tool: "webfetch", Input: []byte(`{"url": "https://a.example/"}`)}, Deny},
	} {
		if got := p.Decide(c.call); got.Verdict != c.want {
			t.Errorf("%s: got %v (%s), want %v", c.call.Input, got.Verdict, got.Reason, c.want)
		}
	}
	if got := p.Decide(bashCall("git status")); !strings.Contains(got.Reason, "domain 1") {
		t.Errorf("the reason does not name the domain: %s", got.Reason)
	}
}

func TestParts(t *testing.T) {
	p := build(t, newSandbox(t), Config{}, Rules{"bash": {{"git log *", Allow}, {"rm *", Deny}}})
	got := p.Decide(bashCall("true && git log | less > x; rm y"))
	var lines []string
	for _, part := range got.Parts {
		lines = append(lines, fmt.Sprintf("%s | %v | %s", part.Source, part.Verdict, part.Rule))
	}
	want := []string{"true | allow | ", "git log | allow | bash: git log *", "> x | deny | ", "less | deny | ", "rm y | deny | bash: rm *"}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if got.Verdict != Deny || got.Reason == "" {
		t.Errorf("got %v %q", got.Verdict, got.Reason)
	}
}

func TestReadOnly(t *testing.T) {
	p := build(t, newSandbox(t), Config{}, Rules{"bash": only("*", Deny)})
	for command, want := range map[string]bool{
		"ls": true, "cat README.md | head -3": true, "git log -3": true, "git status && wc -l *.md": true, "cd docs && grep -rn x .": true,
		"grep x < README.md 2>/dev/null": true, "find . -name '*.go'": true, "sed -n 1p README.md": true, "echo $HOME": true,
		"for f in a b; do echo $f; done": true, "n=$(git log -1); echo $n": true, "[[ -f x ]] && cat x": true, "timeout 5 ls": true,
		"ls > x": false, "sed -i s/a/b/ x": false, "find . -delete": false, "find . -exec rm {} +": false, "make": false, "git fetch": false,
		"git log --output=x": false, "sort -o x y": false, "tee x": false, "xargs rm": false, "cat $x": true, "sort $x": true, "sort $x -o": false, "awk -W exec /dev/stdin": false, "go doc -http": false, "git --bare log": false, "bash -c ls": false,
		"eval ls": false, "f() { ls; }; f": false, "X=1 ls": false, "./ls": false, "awk '{print > \"x\"}' y": false, "date -s x": false,
		"git branch x": false, "git for-each-ref refs/heads": true, "ls; rm x": false, "echo $(rm x)": false, "uniq a b": false, "": false, "ls '": false, "env A=b ls": false,
	} {
		if got, _ := p.Read(command, ""); got.ReadOnly != want {
			t.Errorf("%q: got %t, want %t", command, got.ReadOnly, want)
		}
	}
}

package permission

import (
	"fmt"
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	got := Warnings(
		Rules{
			"bash":  {{"git *", Deny}, {"python *", Allow}, {"xargs *", Allow}, {"npm *", Allow}, {"npm test *", Allow}, {"kubectl *", Allow}, {"pipenv *", Allow}, {"* --version", Allow}, {"*", Allow}, {"go", Allow}, {"make", Allow}, {"^go (vet).*$", Allow}},
			"write": {{"docs/**", Deny}}, "github_*": only("*", Deny), "github_get": only("*", Allow), "gitlab_get": only("*", Allow),
		},
		Rules{
			"bash":     {{"git log *", Allow}, {"git log *", Ask}, {"rm x", Allow}},
			"write":    {{"docs/api/*.md", Allow}, {"src/**", Allow}},
			"webfetch": {{"https://a.example/**", Ask}, {"https://a.example/x", Allow}},
		},
	)
	var lines []string
	for _, w := range got {
		lines = append(lines, fmt.Sprintf("%s: %s: %s", w.Key, w.Pattern, w.Message))
	}
	want := []string{
		`bash: * --version: this rule allows programs that nobody has thought of, because the name of the command is a wildcard`,
		`bash: ^go (vet).*$: "^go" is text in a pattern, and fits only a command that has it in quotes: a pattern has the words of one command, with * for any words`,
		`bash: git log *: this allow has no effect: the rule "git *" (deny) overrides it`,
		`bash: git log *: this ask has no effect: the rule "git *" (deny) overrides it`,
		`bash: go: this rule allows only "go" without arguments; name those that are meant, as in "go COMMAND *"`,
		`bash: kubectl *: this rule also allows all that kubectl can be told to do; name the arguments that are meant`,
		`bash: npm *: this rule also allows all that npm can be told to do; name the arguments that are meant`,
		`bash: pipenv *: this rule also allows all that pipenv can be told to do; name the arguments that are meant`,
		`bash: python *: this rule also allows all that python can be told to do; name the arguments that are meant`,
		`bash: xargs *: this rule also allows all that xargs can be told to do; name the arguments that are meant`,
		`github_get: *: this allow has no effect: the rule "github_*" (deny) overrides it`,
		`webfetch: https://a.example/x: this allow has no effect: the rule "https://a.example/**" (ask) overrides it`,
		`write: docs/api/*.md: this allow has no effect: the rule "docs/**" (deny) overrides it`,
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// TestNeverWins checks which rules are said never to win: each pair is a deny and
// an allow.
func TestNeverWins(t *testing.T) {
	for _, c := range []struct {
		key, deny, allow string
		want             bool
	}{
		{"bash", "git *", "git log *", true}, {"bash", "git", "git log", true}, {"bash", "git log", "git log *", true}, {"bash", "* --force", "git push --force", true},
		{"bash", "g*", "git log", true}, {"bash", "git l*", "git log*", true}, {"bash", "git * x", "git log x", true},
		{"bash", "git log *", "git *", false}, {"bash", "git log*", "git *", false}, {"bash", "git log x", "git log *", false}, {"bash", "rm *", "git *", false},
		{"bash", "git push *", "git pull *", false}, {"bash", "* x", "git *", false}, {"bash", "git ?", "git ??", false},
		{"write", "docs/**", "docs/x", true}, {"write", "docs/", "docs/x/y", true}, {"write", "DOCS/*", "docs/x", true}, {"write", "**/x", "x", true}, {"write", "**/*.md", "docs/**/*.md", true},
		{"write", "docs", "docs/", false}, {"write", "docs/*", "docs/**", false}, {"write", "docs/*.md", "docs/*", false}, {"write", "docs/x", "docs/**", false},
		{"write", "src/**", "docs/**", false}, {"write", "docs/*", "docs", false}, {"write", "*/x", "**/x", false},
		{"webfetch", "https://*.a.example/**", "https://b.a.example/x", true}, {"webfetch", "https://a.example/x", "https://a.example/**", false},
		{"webfetch", "https://*.a.example/**", "https://a.example/**", false}, {"webfetch", "https://a.example/*", "https://a.example/**", false},
	} {
		got := Warnings(Rules{c.key: {{c.deny, Deny}, {c.allow, Allow}}})
		if (len(got) > 0) != c.want {
			t.Errorf("%s: deny %q, allow %q: got %v", c.key, c.deny, c.allow, got)
		}
	}
	for _, c := range []struct {
		deny, allow string
		want        bool
	}{
		{"github_*", "github_get", true}, {"*_get", "github_get", true}, {"GitHub_*", "github_get*", true}, {"git*", "github_*", true},
		{"github_get", "github_*", false}, {"github_?", "github_*", false}, {"edit", "write_*", false}, {"*", "github_*", false},
	} {
		got := Warnings(Rules{c.deny: only("*", Deny), c.allow: only("*", Allow)})
		if (len(got) > 0) != c.want {
			t.Errorf("deny %q, allow %q: got %v", c.deny, c.allow, got)
		}
	}
}

// TestRunners checks which allow rules are warned of, for they let run anything.
func TestRunners(t *testing.T) {
	for pattern, want := range map[string]bool{
		"bash *": true, "sh *": true, "python3 *": true, "python -c *": true, "python -m *": true, "node -e *": true, "node *": true, "xargs *": true, "env *": true,
		"sudo *": true, "eval *": false, "ssh *": true, "ssh host *": true, "docker *": true, "docker run *": true, "npx *": true, "timeout *": true, "*sh -c x": true, "source *": true,
		"perl -e *": true, "make *": true, "bash*": true, "time *": true,
		"python script.py *": false, "python -m pytest *": false, "bash script.sh *": false, "bash -c *": false, "docker ps *": false, "npx tsc *": false, "make test *": false,
		"git *": false, "xargs wc *": false, "env": false, "python": false, "sudo apt-get update": false, "command -v *": false, "go run *": false,
	} {
		if got := Warnings(Rules{"bash": only(pattern, Allow)}); (len(got) > 0) != want {
			t.Errorf("%q: got %v, want a warning: %t", pattern, got, want)
		}
		if got := Warnings(Rules{"bash": only(pattern, Deny)}); len(got) > 0 {
			t.Errorf("a deny of %q: got %v", pattern, got)
		}
	}
}

// TestShellSyntax: a pattern has the words of one command, and not what the shell makes them of.
func TestShellSyntax(t *testing.T) {
	for pattern, dead := range map[string]bool{
		"git *|*": true, "git log * | head": true, "make && make test": true, "echo * > *": true, "ls; rm *": true, "x || y": true,
		"cd web && npm test": false, "grep -E *": false, "git log *": false, "find * -exec wc -l {} +": false, "echo a;b": true,
		"git ((": true, "a && b": true, `git commit -m "*"`: true, "echo 'x'": true, "echo $HOME": true, "echo ${x}": true, "echo $(ls)": true, "echo `ls`": true,
		"make 2>&1": true, `find * -exec wc {} \\;`: true, "cat {a,b}": true, "rm #x": true, "cd a && make && make test": true, "curl https://x/?a=1&b=2": true, "[ -f * ]": false,
		"git show HEAD@{1}": false, "git log --format=%H": false, "sed -n 5p *": false, "npm run a:b": false, "git show c#1": false, "git diff a..b": false, "test ! -f x": false, "ls ~/x": false,
	} {
		got := Warnings(Rules{"bash": {{pattern, Deny}}})
		if (len(got) > 0) != dead {
			t.Errorf("%s: %v", pattern, got)
		}
	}
}

// TestManyRules: of very many rules nobody is told which never win, since that would take minutes.
func TestManyRules(t *testing.T) {
	for many, wants := range map[int]int{maxCompared - 1: 1, maxCompared: 0} {
		rules := []Rule{{"docs/**", Deny}, {"docs/x", Allow}}
		for i := range many - 1 {
			rules = append(rules, Rule{fmt.Sprintf("src/%d/**", i), Allow})
		}
		if got := Warnings(Rules{"write": rules}); len(got) != wants {
			t.Errorf("%d rules: %v", len(rules), got)
		}
	}
}

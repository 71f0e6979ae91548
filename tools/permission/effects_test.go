package permission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// effectsPolicy has the rules of one step.
func effectsPolicy(t *testing.T, rules Rules) (*Policy, string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Config{Root: root, Domains: []Domain{{Layers: []Rules{rules}}}})
	if err != nil {
		t.Fatal(err)
	}
	return p, root
}

// TestLands: what a command may have changed.
func TestLands(t *testing.T) {
	tests := []struct {
		name        string
		bash, write []Rule
		path        string
		want        Verdict
	}{
		{"a rule", nil, []Rule{{"docs/*.md", Allow}}, "docs/a.md", Allow},
		{"no rule", nil, []Rule{{"docs/*.md", Allow}}, "docs/a.go", Deny},
		{"none at all", []Rule{{"make *", Allow}}, nil, "a", Deny},
		{"a dot below a whole folder", nil, []Rule{{"docs/**", Allow}}, "docs/x/.y/z", Allow},
		{"below its slash", nil, []Rule{{"docs/", Allow}}, "docs/.y", Allow},
		{"a dot in the folder's own path", nil, []Rule{{"*/docs/**", Allow}}, ".x/docs/y", Deny},
		{"a dot that no whole folder covers", nil, []Rule{{"docs/*", Allow}}, "docs/.y", Deny},
		{"any folder is no folder", nil, []Rule{{"**/x/**", Allow}}, "a/x/.y", Deny},
		{"the catch-all", nil, []Rule{{"*", Allow}}, "a/.b/c", Allow},
		{"but for what begins with a dot", nil, []Rule{{"*", Allow}}, ".github/x", Deny},
		{"a deny goes before", nil, []Rule{{"docs/**", Allow}, {"docs/old/**", Deny}}, "docs/old/.x", Deny},
		{"an ask", nil, []Rule{{"docs/**", Ask}}, "docs/x", Ask},
		{"every command", []Rule{{"*", Allow}}, nil, ".github/x", Allow},
		{"every command, but writing is denied", []Rule{{"*", Allow}}, []Rule{{"*", Deny}}, "a", Deny},
		{"every command, and what may be written is said", []Rule{{"*", Allow}}, []Rule{{"docs/**", Allow}}, "out.txt", Deny},
		{"every command, and what is asked for is said", []Rule{{"*", Allow}}, []Rule{{"docs/**", Ask}}, "out.txt", Deny},
		{"every command, and what may not be written is said", []Rule{{"*", Allow}}, []Rule{{"docs/**", Deny}}, "out.txt", Allow},
		{"every command, outside", []Rule{{"*", Allow}}, nil, "/etc/x", Deny},
		{"git's own", []Rule{{"*", Allow}}, []Rule{{"*", Allow}}, "x/.git/config", Deny},
	}
	for _, test := range tests {
		rules := Rules{}
		if test.bash != nil {
			rules["bash"] = test.bash
		}
		if test.write != nil {
			rules["write"] = test.write
		}
		p, root := effectsPolicy(t, rules)
		path := test.path
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		if d := p.Lands(path); d.Verdict != test.want {
			t.Errorf("%s: %s: %v (%s)", test.name, test.path, d.Verdict, d.Reason)
		}
	}
}

// TestHides: what commands do not see.
func TestHides(t *testing.T) {
	p, root := effectsPolicy(t, Rules{"read": {{"private/**", Deny}, {"notes/*.txt", Ask}, {"ok.pem", Allow}, {"*", Allow}}})
	tests := []struct {
		path   string
		folder bool
		want   bool
	}{
		{"a", false, false}, {".env", false, true}, {"x/.env", false, true}, {"ok.pem", false, false}, {"x/ok.pem", false, true},
		{"private", true, true}, {"private/x", false, true}, {"notes", true, false}, {"notes/a.txt", false, true}, {".git/config", false, true},
	}
	for _, test := range tests {
		if got := p.Hides(filepath.Join(root, test.path), test.folder); got != test.want {
			t.Errorf("%s: %v", test.path, got)
		}
	}
}

// TestOnlyGit: which commands may change git's own files.
func TestOnlyGit(t *testing.T) {
	p, _ := effectsPolicy(t, Rules{"bash": {{"*", Allow}}})
	for command, want := range map[string]bool{
		"git add -A && git commit -m x":   true,
		"mkdir -p d && git add d":         true,
		"git log | head -3":               true,
		"go test ./... && git commit -mx": false,
		"make":                            false,
		"ls":                              false,
		"/tmp/git commit":                 false,
		"./git commit":                    false,
		"git() { ./x; }; git commit":      false,
		"sh -c 'git commit -mx; ./x'":     false,
	} {
		if got, err := p.Read(command, ""); err != nil || got.OnlyGit != want {
			t.Errorf("%s: %v, %v", command, got.OnlyGit, err)
		}
	}
}

// TestConnects: which commands may know the passwords in git's configuration.
func TestConnects(t *testing.T) {
	p, _ := effectsPolicy(t, Rules{"bash": {{"*", Allow}}})
	for command, want := range map[string]bool{
		"git push":                        true,
		"git -C sub fetch -q 2>/dev/null": true,
		"git add -A && git commit -mx; git push origin \"$b\" 2>&1 | tail -3": true,
		"git status":                              false,
		"git fetch; git diff --no-index a b":      false,
		"git fetch; git -C .git log":              false,
		"git log --output=.git/config; git fetch": false,
		"git fetch && make":                       false,
		"git fetch; cat a":                        false,
		"echo x > a; git push":                    false,
		"cp a b; git push":                        false,
		"sh -c 'git push'":                        false,
	} {
		if got, err := p.Read(command, ""); err != nil || got.Connects != want {
			t.Errorf("%s: %v, %v", command, got.Connects, err)
		}
	}
}

// TestGitApart: a held command in which git could not change the repository is refused before
// it runs, and the reason says what to do.
func TestGitApart(t *testing.T) {
	free, root := effectsPolicy(t, Rules{"bash": {{"*", Allow}}, "write": {{"**", Allow}}})
	held, err := New(Config{Root: root, Held: func() bool { return true }, Domains: []Domain{{Layers: []Rules{{"bash": {{"*", Allow}}, "write": {{"**", Allow}}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	reason := func(git, beside string) string {
		return "git " + git + ` changes the repository only in a call without programs such as "` + beside + `": run it in a call of its own`
	}
	for command, want := range map[string]string{
		"go test ./... && git commit -am x":                           reason("commit", "go test ./..."),
		"git add -A; go vet ./...; git commit -m x":                   reason("add", "go vet ./..."),
		"cd sub && git -C .. commit -m x && make":                     reason("commit", "make"),
		"sh -c 'git commit -m x'":                                     reason("commit", "sh -c 'git commit -m x'"),
		"gofmt -w . && timeout 9 git commit -am x":                    reason("commit", "gofmt -w ."),
		"if npm test; then git checkout main; fi":                     reason("checkout", "npm test"),
		"git stash && go test ./...; git stash pop":                   reason("stash", "go test ./..."),
		"git tag v1 && make":                                          reason("tag", "make"),
		"git branch -D x | ./run":                                     reason("branch", "./run"),
		"git commit -m x":                                             "",
		"cd sub && git commit -m x":                                   "",
		"git add -A && git commit -m x":                               "",
		"git add -A && git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"":    "",
		"GIT_AUTHOR_NAME=a git commit -m x":                           "",
		"timeout 9 git commit -m x":                                   "",
		"echo x > a && git add a && git commit -m x && git push":      "",
		"git diff --quiet || git commit -am \"at $(date +%F)\"":       "",
		"mkdir -p sub/d && mv a sub/d && git add -A":                  "",
		"git rm a && rm -f b && git commit -m x":                      "",
		"git log | head":                                              "",
		"git status && go test ./...":                                 "",
		"go test ./... ; git diff":                                    "",
		"test -z \"$(git status --porcelain)\" && go test ./...":      "",
		"git stash list; git branch --contains HEAD; make":            "",
		"git tag -l 'v*' | sort -V | tail -1; make":                   "",
		"git branch -a; git tag; git remote -v; git -C sub log; make": "",
		"git apply x.patch && go test ./...":                          "",
		"git ls-files -z | xargs -0 gofmt -l":                         "",
		"git archive HEAD | tar -tf - && make":                        "",
		"go test -run 'git commit' ./...":                             "",
		"echo git commit && make":                                     "",
	} {
		call := bashCall(command)
		d := held.Decide(call)
		if got := d.Reason; (d.Verdict == Deny) != (want != "") || want != "" && got != want {
			t.Errorf("%s\ngot  %v: %s\nwant %s", command, d.Verdict, got, want)
		}
		if d := free.Decide(call); strings.Contains(d.Reason, "of its own") {
			t.Errorf("%s: not held: %s", command, d.Reason)
		}
	}
}

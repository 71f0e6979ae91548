package permission

import (
	"os"
	"testing"
)

// TestFoldersWritten: a folder is written as a whole only where nothing in it, however
// deep, is never writable.
func TestFoldersWritten(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{{Path: "/ws/docs/plain/deep/x.md"}, {Path: "/ws/docs/repo/sub/.git/HEAD"}, {Path: "/ws/docs/runs/.FLOW/x"}, {Path: "/ws/parts/part.yaml"}})
	p := build(t, m, Config{Protected: []string{"flow.yaml", "parts/part.yaml"}}, Rules{
		"bash":  {{"rm *", Allow}, {"mv *", Allow}, {"chmod *", Allow}, {"cp *", Allow}, {"rmdir *", Allow}, {"ls *", Allow}},
		"write": {{"docs/**", Allow}, {"parts/**", Allow}, {"src/**", Allow}, {"*.md", Allow}},
	})
	for command, want := range map[string]string{
		"rm -r docs/plain":                  "allow",
		"rm -r docs/plain/":                 "allow",
		"rm -r docs/repo":                   "never",
		"rm -r docs/repo/sub":               "never",
		"rm -r docs/runs":                   "never",
		"rm -r docs":                        "never",
		"rm -r .":                           "never",
		"rm -r parts":                       "never",
		"rm parts/part.yaml":                "never",
		"rm parts/other.yaml":               "allow",
		"mv docs/repo docs/x":               "never",
		"mv docs/plain docs/x":              "allow",
		"mv docs/plain src/":                "allow",
		"mv docs/plain src":                 "allow",
		"mv docs/plain .git":                "never",
		"cp -r docs/plain src":              "allow",
		"cp README.md docs/.git":            "never",
		"chmod -R -w docs/plain":            "allow",
		"chmod -w docs/a.md":                "allow",
		"chmod -w README.md src":            "allow",
		"chmod -w flow.yaml":                "never",
		"chmod 600 flow.yaml":               "never",
		"chmod u+x,go-w FLOW.yaml":          "never",
		"rmdir docs/plain/deep":             "allow",
		"ls docs/repo/.git":                 "allow",
		"rm -r docs/plain docs/repo/sub/ x": "never",
	} {
		checkVerdict(t, command, p.Decide(bashCall(command)), want)
	}
}

// TestChangedFolders: what follows cd is judged where it leads, by either reading of
// a link and of the parts after it.
func TestChangedFolders(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{{Path: "/ws/docs/in/x.md"}, {Path: "/ws/src/private/x.md"}})
	for link, target := range map[string]string{"/ws/docs/link": "/ws/src/private", "/ws/docs/out": "/outside"} {
		if err := os.Symlink(m.path(target), m.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	p := build(t, m, Config{}, Rules{
		"bash":  {{"cat *", Allow}, {"touch *", Allow}, {"ls *", Allow}},
		"read":  {{"*", Allow}, {"src/private/**", Deny}},
		"write": {{"docs/**", Allow}},
	})
	for command, want := range map[string]string{
		"cd docs && cat a.md":                         "allow",
		"cd docs/in && touch x.md":                    "allow",
		"cd docs/in && touch ../y.md":                 "allow",
		"cd docs/in && touch ../../y.md":              "deny",
		"cd docs/link && cat x.md":                    "deny",
		"cd docs/link && cat ../main.go":              "deny",
		"cd docs/link && touch ../y.md":               "deny",
		"cd docs/link/.. && touch y.md":               "deny", // bash is in docs, the kernel in src
		"cd docs/out && ls":                           "deny",
		"cd docs && cd .. && touch docs/x":            "allow",
		"cd docs || touch x":                          "deny",
		"cd docs; touch a.md":                         "deny", // where cd failed it is the root's
		"cd docs; touch docs/a.md":                    "allow",
		"(cd docs && touch a.md) && touch docs/b":     "allow",
		"(cd docs) && touch a.md":                     "deny",
		"cd docs | touch a.md":                        "deny",
		"cd docs && touch a.md && cd .. && touch b":   "deny",
		"if cd docs; then touch a.md; fi":             "deny",
		"while cd docs; do touch a.md; done":          "never",
		"cd README.md && touch docs/x":                "never",
		"cd ~ && ls":                                  "deny",
		"cd nowhere && cat a.md":                      "allow", // it fails
		"cd docs && { cd in && touch x.md; } && ls":   "allow",
		"! cd docs; cat src/private/x.md":             "deny",
		"cd src && cat private/x.md":                  "deny",
		"cd src && cat privat?/x.md":                  "deny",
		"cd src/private && cat *.md":                  "deny",
		"cd docs && cat ../src/priv*/x.md && touch x": "deny",
	} {
		checkVerdict(t, command, p.Decide(bashCall(command)), want)
	}
}

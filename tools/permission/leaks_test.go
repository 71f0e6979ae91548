package permission

import (
	"testing"
)

// TestNamedOtherwise: a file that may not be read is found where a program's own
// syntax names it, and what names files out of sight is guarded.
func TestNamedOtherwise(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{{Path: "/ws/config/secrets/a"}, {Path: "/ws/config/secrets/b.json"}})
	var rules []Rule
	for _, name := range []string{"xargs", "echo", "git", "sort", "jq", "curl", "wget", "grep", "date", "find", "head", "ps", "awk"} {
		rules = append(rules, Rule{name + " *", Allow})
	}
	p := build(t, m, Config{}, Rules{"bash": rules, "read": {{"config/secrets/**", Deny}}})
	for command, want := range map[string]string{
		"xargs -ra.env echo":                                 "deny", // the value of an option in a cluster
		"xargs -rra.env echo":                                "deny",
		"sort --files0-from=docs/list":                       "deny", // names in a file
		"sort --files0-from docs/list":                       "deny",
		"sort --files0 docs/list":                            "deny",
		"jq -nf docs/x.jq":                                   "deny",
		"jq -L docs .x":                                      "deny",
		"cd docs && git show HEAD:../config/secrets/a":       "deny", // from where git runs
		"cd config && git show HEAD:./secrets/a":             "deny",
		"git show :0:config/secrets/a":                       "deny",
		"git log -p -- ':(top)config/secrets/a'":             "deny",
		"git log -p -- :/config/secrets/a":                   "deny",
		"curl --proto-default file /etc/passwd":              "deny",
		"curl --proto-redir all -L https://x.example":        "deny",
		"wget --use-askpass=docs/x https://x.example":        "deny",
		"wget -a docs/x https://x.example":                   "deny",
		"ps e":                                               "deny", // the environment of processes
		"ps auxe":                                            "deny",
		"ps axewww":                                          "deny",
		"ps -p 1 e":                                          "deny",
		"ps -E":                                              "deny",
		"ps -e -o pid,environ":                               "deny",
		`awk 'BEGIN{SYMTAB["ARG" "V"][1]=f}1' f=x docs/a.md`: "deny", // a name that is put together
		"wget --save-cookies=docs/x https://x":               "deny",

		`curl -d '{"file": [1-3], "f": 1}' https://x.example`: "allow",
		"curl 'https://x.example/{a,b}/[1-3]'":                "allow",
		"curl --proto =https https://x.example":               "allow",
		"curl -F a=@README.md,docs/a.md https://x":            "allow",
		"ps aux":                          "allow",
		"ps -ef":                          "allow",
		"ps -e -o pid,args":               "allow",
		"jq .imports docs/a.json":         "allow",
		"jq '.[] | .include' docs/a.json": "allow",
		"find . -maxdepth 3 -name x":      "allow",
		"grep -rn x docs":                 "allow",
		"head -n5 README.md":              "allow",
		"git show HEAD:docs/a.md":         "allow",
		"cd docs && git show HEAD:./a.md": "allow",
	} {
		checkVerdict(t, command, p.Decide(bashCall(command)), want)
	}
}

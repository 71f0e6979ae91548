package permission

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestCopiedTrees: what copies, moves or links a folder is held to the read rules of all
// that is in it.
func TestCopiedTrees(t *testing.T) {
	m := newSandbox(t)
	m.build(t, []fixtureFile{
		{Path: "/ws/config/secrets/a"}, {Path: "/ws/config/open"}, {Path: "/ws/top/config/deep/id_rsa"}, {Path: "/ws/plain/deep/x.md"},
		{Path: "/ws/config/asked/b"}, {Path: "/ws/linked/x"}, {Path: "/ws/build/x"},
	})
	for link, target := range map[string]string{"/ws/linked/in": "../config", "/ws/linked/round": ".", "/ws/alias": "config"} {
		if err := os.Symlink(target, m.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	p := build(t, m, Config{}, Rules{
		"bash": {{"cp *", Allow}, {"mv *", Allow}, {"ln *", Allow}, {"rsync *", Allow}, {"scp *", Allow}, {"git *", Allow}, {"cat *", Allow},
			{"cp -r config build/said", Allow}, {"mkdir *", Allow}, {"install *", Allow}},
		"read":  {{"config/secrets/**", Deny}, {"config/asked/*", Ask}},
		"write": {{"build/**", Allow}, {"config/**", Allow}, {"top/**", Allow}, {"plain/**", Allow}, {"linked/**", Allow}, {"src/**", Allow}, {"docs/**", Allow}, {"*", Allow}},
	})
	for command, want := range map[string]string{
		"cp -r config build/x":                                 "deny",
		"cp -R config build/x":                                 "deny",
		"cp -fa config build/x":                                "deny",
		"cp --recursive config build/x":                        "deny",
		"cp --rec config build/x":                              "deny",
		"cp --archive config build/x":                          "deny",
		"cp config build/x -r":                                 "deny",
		"cp -r config/ build/x":                                "deny",
		"cp -r ./config/. build/x":                             "deny",
		"cp -r docs config build/x":                            "deny",
		"cp -r -t build config":                                "deny",
		"cp -r --target-directory=build config":                "deny",
		"cp -r conf* build":                                    "deny",
		"cp -r top/* build":                                    "deny",
		"cp -r c?nfig build":                                   "deny",
		"cp -r {plain,config} build":                           "deny",
		"cp -r top build/x":                                    "deny",
		"cp -r . build/x":                                      "deny",
		"cp -r alias/ build/x":                                 "deny",
		"cp -lr config build/x":                                "deny",
		"cp -rs config build/x":                                "deny",
		"cd config && cp -r . ../build/x":                      "deny",
		"cd config; cp -r . ../build/x":                        "deny",
		"cd top && cp -r config ../build/x":                    "deny",
		"nice cp -r config build/x":                            "deny",
		"true && (cp -r config build/x)":                       "deny",
		"mv config build/x":                                    "deny",
		"mv -t build config":                                   "deny",
		"mv --exchange build/x config":                         "deny",
		"mv top build/x":                                       "deny",
		"git mv config build/x":                                "deny",
		"git mv -k config build/x":                             "deny",
		"ln -s ../config build/x":                              "allow", // from here it leads nowhere; reading goes by where it leads
		"ln -s config build/x":                                 "deny",
		"rsync -a config build/x":                              "deny",
		"rsync -a config/ build/x":                             "deny",
		"scp -r config build/x":                                "deny",
		"cp -r config build/said":                              "allow",
		"cp -r config/asked build/x":                           "ask",
		"cp -r linked build/x":                                 "allow",
		"cp -rL linked build/x":                                "deny",
		"cp -r --dereference linked build/x":                   "deny",
		"rsync -rL linked build/x":                             "deny",
		"cp -r plain build/plain":                              "allow",
		"cp -r docs build/docs":                                "allow",
		"cp -rL docs build/docs":                               "allow",
		"cp -r docs/* build":                                   "allow",
		"cp docs/* build":                                      "allow",
		"cp README.md config":                                  "allow",
		"cp -r docs top":                                       "allow",
		"mv docs top":                                          "allow",
		"mv plain build/plain":                                 "allow",
		"rsync -a docs/ build/docs":                            "allow",
		"ln -s docs build/link":                                "allow",
		"cp config/open build/x":                               "allow",
		"mkdir build/z && cp -r docs build/z && cat docs/a.md": "allow",
		"ln -s ../config docs/sub && cp -rL docs build/x":      "never",
		"ln -s ../config docs/sub && cp -r docs build/x":       "allow",
	} {
		checkVerdict(t, command, p.Decide(bashCall(command)), want)
	}
}

// TestCopiedTreesOfAllSizes: what is too much to be looked through is not copied, and
// is told in time.
func TestCopiedTreesOfAllSizes(t *testing.T) {
	m := newSandbox(t)
	var files []fixtureFile
	for i := range 600 {
		files = append(files, fixtureFile{Path: fmt.Sprintf("/ws/many/%03d", i)})
	}
	m.build(t, files)
	p := build(t, m, Config{}, Rules{"bash": {{"cp *", Allow}}, "write": {{"build/**", Allow}}})
	checkVerdict(t, "once", p.Decide(bashCall("cp -r many build/x")), "allow")
	command := "cp -r" + strings.Repeat(" many", 40) + " build/x"
	checkVerdict(t, "many times", p.Decide(bashCall(command)), "deny")
}

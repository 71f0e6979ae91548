package command

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// fields are the words of a command without quotes.
func fields(command string) (out []Word) {
	for _, text := range strings.Fields(command) {
		out = append(out, Of(text))
	}
	return out
}

// TestReadSed: scripts that only change text, those that read or write files, and those that
// run something or cannot be read for certain.
func TestReadSed(t *testing.T) {
	reads(t, readSed, map[string][]string{
		"plain": {
			"p", "d", "q", "=", "1p", "$d", "1,5p", "/a/p", "/a/,/b/d", "1,$!d", `/a\/b/p`, "3q", "p;p", "F", "Q", "q5", "l 3",
			"s/a/b/", "s/a/b/gI", "s|a|b|2p", "s#a#b#", "s,a,b,", `s/a\/b/c/`, "/x/s/a/b/", "1,2!s/a/b/", "s/a/b/m", "s:a:b:", "s@a@b@", "s/a/b/ ; s/c/d/", "s/a/\\\nb/",
			"/x/{p;q}", "1i foo", "y/abc/xyz/", "1~2p", "0~4p", "/x/,+3p", "/x/Ip", `/x/a\text`, "$a\\\nend\\\nof e", "c x", `1i\  foo`, `\,a/b,p`, "{p}", "# e\np", "1d\ns/a/b/\n$!N",
			`:a;N;$!ba;s/\n/ /g`, ":a;s/x/y/;ta", "$!{N;ba};p", `s/[]\/$*.^[]/\\&/g`, "s/[[:space:]]*$//", `s/[^\/]*$//`, "1i e id", "s/e/w/",
		},
		"files": {"w x", "r x", "Rx", "W x", "s/a/b/w x", "s/a/b/gw x", "s/a/b/;w x", "1p\nw x", "1,5w x", "a x\nw y", `:x;w a`, "s/a/b/ iw", "w x\\\nw y"},
		"guarded": {
			"", "e", "e ls", "1e id", "s/a/b/e", "s/a/b/ge", "s/a/b/ew x", "p;e id", "1{e", "s/a/b", "s/a", "s", "sXaXbX", "/a", "y/a/b", "v", "a", "a\ne id", "a x\ne id", "a\\ \ne id", "a\\\\\ne id", "a\\",
			"s/a/b/ i\\\ne id", "y/a/b/e", "r x\ne id", "w x\\\ne id", "# x\\\ne id", "ba#;e id", "ba}#;e id", ":a#;e id", ":x;a\\\nw out",
			"s/[/]/w x/", "s/[/]/p;s/w y/e/", `s/[\]/e;s/]/x/`, "s/[[:x/]/e/", "/[/]/p", "s/a\n/b/", "}e", "/x/Ie", `\,x,e`, "0~1e", "$!{e}",
		},
	})
}

// TestPlainSed has sed itself read scripts that are said to run, read and write nothing: its sandbox
// refuses those that do.
func TestPlainSed(t *testing.T) {
	if err := exec.Command("sed", "--sandbox", "-n", "p").Run(); err != nil {
		t.Skip("there is no sed with a sandbox")
	}
	parts := strings.Fields(`s y / / / | a b ; e [ ] [^ [[:alpha:] \ \/ p g d { } # : t 1 , $ I [] [^] [[] ^ .* \n m s/ /e s| [: = _ - + & s: s_ ! s/a/b/ s/[a]/e/ /e;`)
	parts = append(parts, "\n", "w x", "b ", "i ", "e ls", "r x")
	r := rand.New(rand.NewPCG(5, 7))
	for n := 0; n < 150; {
		script := ""
		for range 2 + r.IntN(12) {
			script += parts[r.IntN(len(parts))]
		}
		if files, plain := readSed(script); !plain || files || !strings.ContainsAny(script, "ewr") {
			continue
		}
		n++
		if out, _ := exec.Command("sed", "--sandbox", "-n", script).CombinedOutput(); strings.Contains(string(out), "sandbox") {
			t.Errorf("%q: %s", script, out)
		}
	}
}

// reads checks what is read in scripts, by whether they are plain, guarded, or change files alone.
func reads(t *testing.T, read func(string) (files, plain bool), all map[string][]string) {
	t.Helper()
	for want, scripts := range all {
		for _, script := range scripts {
			got := "guarded"
			if files, plain := read(script); plain && files {
				got = "files"
			} else if plain {
				got = "plain"
			}
			if got != want {
				t.Errorf("%q: %s, want %s", script, got, want)
			}
		}
	}
}

// TestAwkPrograms: what in a program of awk is guarded, and what before it.
func TestAwkPrograms(t *testing.T) {
	for command, want := range map[string]int{
		"awk {print} x": 0, "awk -F : {print} x": 0, "awk -F: {print} x": 0, "awk -v a=b {print}": 0, "awk -va=b {print}": 0, "awk --assign=a=b --posix {print}": 0, "awk --field-separator : {print}": 0,
		"awk --csv -- {print}": 0, "awk": 0, "awk -F": 0, "awk -F :": 0, "awk - x": 0, "awk -- -x": 0,
		"awk {system(1)}": 1, "awk {getline}": 1, "awk {print>1}": 1, "awk {print|1}": 1, "awk 1<2": 0, "awk {1<2}": 0, "awk {1>2}": 0, "awk {print(1>2)}": 0, "awk {print>>=1}": 1, "awk {1<=2}": 0, "awk @load": 1, "awk {ARGV[1]=2}": 1,
		"awk -x {system(1)}": 2, "awk -x 1": 1, "awk -F : {system(1)}": 1, "awk -- {system(1)}": 1, "awk -F : -x y {system(1)}": 2, "awk {print} ../it's/[a system": 0,
	} {
		if got := awkRisks(fields(command)); len(got) != want {
			t.Errorf("%s: %v, want %d guards", command, got, want)
		}
	}
}

// TestReadAwk: programs that only compute and print, those that write files, and those that
// run something or cannot be read for certain.
func TestReadAwk(t *testing.T) {
	reads(t, readAwk, map[string][]string{
		"plain": {
			"/hello|foo/ {print $1}", "$3 > 5", "{print \"a > b | c\"}", "{print \"system\", \"me@x\"}", "NR>1 || $2<5 {print}", "{print}\n$1 > 5 {print}", "{print; if ($1 > 5) print}", "{print ($1 > 5 ? 1 : 0)}",
			"{s += $3 / 2} END {print s / NR, s / 2, (s + 1) / 2, a[1] / 3}", "{print 1./2, 1e3/4}", "# system(|)\n{print}", "/[\"|>]/ {n++}", "$1 ~ /a\\/b|c/ && !/d/", "{if ($1 ~ /x/) /y/; else print}", "{ systems = 1 }",
			"{printf \"%s|%s\\n\", $1, $2 }", "BEGIN { FS = \"|\" }", "{ print a >= b }", "{ gsub(/[[:space:]]+$/, \"\"); print }", "{ x = 1; \\\n print x }",
		},
		"files": {"{print > \"x\"}", "{print >> \"x\"}", "{printf(\"a\") > $1}", "{print >>= 1}", "/\"/ {print > \"x\"}", "{print a,\n b > \"x\"}", "{if (x) print 1; else print 2 > \"y\"}"},
		"guarded": {
			"{system(\"id\")}", "{\"id\" | getline}", "{getline x < \"y\"}", "{print | \"sh\"}", "{print |& \"sh\"}", "@load \"x\"", "{@f(1)}", "{awk::system(1)}", "/\"/; {system(1)} # \"", "{ 1system(1) }", "{ 1.system(1) }", "{ 1e5system(1) }", "{ 0x1Fsystem(1) }",
			"{ 1./x; system(1) /1 }", "{ if (1) /\"/; system(1) #\"\n}", "{ x = a / b; system(1) / 2 }", "/[/ \"]/; {system(1)} #\"", "/[\\]/ \"]/; {system(1)} #\"", "/[a[:]/ \"]/; {system(1)} #\"", "{ length /\"/; system(1) #\"/ }", "{ (a\n/\"/; system(1) #\"/ }",
			"{ x++ / \"a\"; system(1) /\"/ }", "{print \"a", "/a", "{print \\\"a\\\"}", "{ a] /1; system(1) /1 }", "{ return /\"/; system(1) #\"\n}", "{ if \n(1) /\"/; system(1) #\"\n}", "# a\nBEGIN{system(1)}", "{print > \"x\"; print | \"sh\"}",
		},
	})
}

// TestWrapperCommands: where the command of a wrapper begins.
func TestWrapperCommands(t *testing.T) {
	for command, want := range map[string]string{
		"timeout 5 ls -l": "ls -l", "timeout -s KILL 5 ls": "ls", "timeout -sKILL 5 ls": "ls", "timeout --signal=KILL 5 ls": "ls", "timeout --signal KILL 5 ls": "ls", "timeout -k 1 5 ls": "ls", "timeout --foreground 5 ls": "ls",
		"timeout 5 -- ls": "-- ls", "timeout -- 5 ls": "ls", "timeout": "", "timeout 5": "", "timeout --what 5 ls": "?", "timeout -x 5 ls": "?",
		"nice ls": "ls", "nice -n 5 ls": "ls", "nice -n5 ls": "ls", "nice --adjustment=5 ls": "ls", "nohup ls": "ls", "nohup -- ls": "ls", "stdbuf -oL ls": "ls", "stdbuf -o L ls": "ls", "time -p ls": "ls",
		"env ls": "ls", "env A=b C=d ls": "ls", "env -i A=b ls": "ls", "env -u A ls": "ls", "env -uA ls": "ls", "env --unset=A ls": "ls", "env -- A=b ls": "ls", "env - ls": "- ls", "env A=b": "", "env =x ls": "ls",
		"sudo ls": "ls", "sudo -u root ls": "ls", "xargs ls": "ls", "xargs -n 1 ls": "ls", "xargs -n1 -0 ls": "ls", "xargs -I {} ls {}": "ls {}", "xargs -I{} ls {}": "ls {}", "xargs": "",
		"command ls": "ls", "command -p ls": "ls", "exec -a x ls": "ls", "builtin ls": "ls", "setsid -w ls": "ls", "ionice -c 3 ls": "ls",
	} {
		words := fields(command)
		run := Named(words[0].Text)
		got := ""
		switch start := run.command(words); {
		case start == unreadable:
			got = "?"
		case start > 0:
			var texts []string
			for _, x := range words[start:] {
				texts = append(texts, x.Text)
			}
			got = strings.Join(texts, " ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// TestReaders: programs that only read, by their words.
func TestReaders(t *testing.T) {
	for command, want := range map[string]bool{
		"go version": true, "go doc fmt": true, "go": false, "go build": false, "date": true, "date +%s": true, "date -u +%s": true, "date -s x": false, "date 0101": false,
		"git": false, "git log": true, "git merge-base a b": true, "git checkout x": false, "git stash": false, "git stash list": true, "git stash list x": false, "git stash pop": false,
		"git branch": true, "git branch -a -v": true, "git branch x": false, "git branch -a x": false, "git branch -D x": false, "git branch --show-current": true, "git branch --unset-upstream": false,
		"git tag": true, "git tag -l": true, "git tag v1": false, "git worktree list": true, "git worktree add x": false, "git worktree": false,
		"git --no-pager log": true, "git --no-pager": false, "git --no-pager stash": false, "git --paginate log": false, "git -C x log": false,
		"go env": true, "go env GOPATH GOOS": true, "go env -w GOFLAGS=-x": false, "go env -u GOFLAGS": false, "ls": true, "rm x": false, "/bin/ls": false,
	} {
		words := fields(command)
		w := &walker{script: &Script{}, budget: 9}
		w.simple(simple{words: words})
		p := w.script.Parts[0]
		if got := p.OnlyReads() && len(p.Risks()) == 0; got != want {
			t.Errorf("%s: %t, want %t", command, got, want)
		}
	}
}

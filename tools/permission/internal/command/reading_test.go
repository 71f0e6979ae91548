package command

import (
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

// TestPlainSed: the scripts that print and replace, and none that writes or runs.
func TestPlainSed(t *testing.T) {
	for script, want := range map[string]bool{
		"p": true, "d": true, "q": true, "=": true, "1p": true, "$d": true, "1,5p": true, "/a/p": true, "/a/,/b/d": true, "1,$!d": true, `/a\/b/p`: true, "3q": true,
		"s/a/b/": true, "s/a/b/gI": true, "s|a|b|2p": true, "s#a#b#": true, "s,a,b,": true, `s/a\/b/c/`: true, "/x/s/a/b/": true, "1,2!s/a/b/": true,
		"": false, "w x": false, "r x": false, "e ls": false, "s/a/b/w x": false, "s/a/b/e": false, "s/a/b/m": false, "s/a/b": false, "s/a": false, "s": false, "sXaXbX": false,
		"p;p": true, "p;e id": false, "p p": false, "1p\nw x": false, "y/a/b/": false, "a x": false, "/a": false, "1,p": false, "1,/a": false, "1~2p": false, "\\xaxp": false, "{p}": false, "F": false, "Q": false, "s/a/b/;w x": false,
	} {
		if got := isPlainSed(script); got != want {
			t.Errorf("%q: %t, want %t", script, got, want)
		}
	}
}

// TestAwkPrograms: what in a program of awk is guarded, and what before it.
func TestAwkPrograms(t *testing.T) {
	for command, want := range map[string]int{
		"awk {print} x": 0, "awk -F : {print} x": 0, "awk -F: {print} x": 0, "awk -v a=b {print}": 0, "awk -va=b {print}": 0, "awk --assign=a=b --posix {print}": 0, "awk --field-separator : {print}": 0,
		"awk --csv -- {print}": 0, "awk": 0, "awk -F": 0, "awk -F :": 0, "awk - x": 0, "awk -- -x": 0,
		"awk {system(1)}": 1, "awk {getline}": 1, "awk {print>1}": 1, "awk {print|1}": 1, "awk 1<2": 0, "awk {1<2}": 0, "awk {1>2}": 0, "awk {print(1>2)}": 1, "awk {print>>=1}": 1, "awk {1<=2}": 0, "awk @load": 1, "awk {ARGV[1]=2}": 1,
		"awk -x {system(1)}": 1, "awk -F : {system(1)}": 1, "awk -- {system(1)}": 1,
	} {
		if got := awkRisks(fields(command)); len(got) != want {
			t.Errorf("%s: %v, want %d guards", command, got, want)
		}
	}
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

package permission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Warning is a rule that does not do what its author may think.
type Warning struct {
	// Key and Pattern say which rule: the tool, or the pattern over tools.
	Key, Pattern string
	Message      string
}

// Warnings returns what is doubtful in the rules of one domain's layers: rules
// that can never win, and allow rules for programs that run any other or that do
// much more than the rule seems to say. It looks
// at patterns alone; what New refuses is not reported again.
func Warnings(layers ...Rules) []Warning {
	keys := map[string]bool{}
	for _, layer := range layers {
		for key := range layer {
			keys[key] = true
		}
	}
	var out []Warning
	for key := range keys {
		set := merge(layers, key)
		for _, r := range set.rules {
			if by, ok := overruledBy(key, r, set.rules); ok {
				out = append(out, Warning{key, r.Pattern, fmt.Sprintf("this %s never wins: %q says %s, and that counts first", r.Verdict, by.Pattern, by.Verdict)})
			}
			if key == "bash" && r.Verdict == Allow {
				out = append(out, runnerWarning(r)...)
			}
		}
	}
	out = append(out, nameWarnings(layers)...)
	slices.SortFunc(out, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(out)
}

// nameWarnings returns the rules over names of tools that can never win.
func nameWarnings(layers []Rules) (out []Warning) {
	set, err := newToolSet(layers)
	if err != nil {
		return nil
	}
	for _, r := range set.rules {
		for _, other := range set.rules {
			if other.verdict < r.verdict && includesText(other.folded, fold(r.key)) {
				out = append(out, Warning{r.key, "*", fmt.Sprintf("this %s never wins: %q says %s, and that counts first", r.verdict, other.key, other.verdict)})
				break
			}
		}
	}
	return out
}

// overruledBy returns a stricter rule that matches whatever the rule does.
func overruledBy(key string, r Rule, rules []Rule) (Rule, bool) {
	for _, other := range rules {
		if other.Verdict < r.Verdict && includes(key, other.Pattern, r.Pattern) {
			return other, true
		}
	}
	return Rule{}, false
}

// includes reports whether a deny or ask pattern hits all that another pattern
// matches. It may miss a case.
func includes(key, outer, inner string) bool {
	if outer == inner {
		return true
	}
	if key == "bash" {
		return includesCommands(outer, inner)
	}
	return includesText(pathAtoms(fold(wholeFolder(outer))), fold(wholeFolder(inner)))
}

// wholeFolder writes a pattern that ends in a slash as what it means.
func wholeFolder(pattern string) string {
	if strings.HasSuffix(pattern, "/") {
		return pattern + "**"
	}
	return pattern
}

// samples returns texts that the pattern matches and that only wildcards as wide
// as its own match all: its wildcards become nothing, or characters that nobody
// writes.
func samples(pattern string) []string {
	none := strings.NewReplacer("**/", "", "*", "", "?", "\x01")
	many := strings.NewReplacer("**", "\x01/\x01\x01", "*", "\x01\x01\x01", "?", "\x01")
	return []string{none.Replace(pattern), many.Replace(pattern)}
}

// includesText reports whether the first pattern matches all that the second
// does.
func includesText(outer []atom, inner string) bool {
	return !slices.ContainsFunc(samples(inner), func(text string) bool { return !matchAtoms(outer, []rune(text), nil) })
}

func includesCommands(outer, inner string) bool {
	o, err1 := compileBash(Rule{Pattern: outer})
	i, err2 := compileBash(Rule{Pattern: inner})
	if err1 != nil || err2 != nil {
		return false
	}
	// More words may follow a deny.
	if !o.words[len(o.words)-1].star {
		o.words = append(o.words, patternWord{text: "*", star: true})
	}
	for n := range 2 {
		var words []word
		for _, pw := range i.words {
			if pw.star {
				words = append(words, word{kind: spread})
			} else {
				words = append(words, staticWord(samples(pw.text)[n]))
			}
		}
		if !o.covers(words) {
			return false
		}
	}
	return true
}

// runnerWarning warns of an allow rule whose wildcard covers whatever a program
// is told to run.
func runnerWarning(r Rule) []Warning {
	p, err := compileBash(r)
	if err != nil || p.literals == len(p.words) {
		return nil
	}
	name := p.words[0].text
	switch kind := runnerKind(name); {
	case p.literals == 0:
		return []Warning{{"bash", r.Pattern, "the name of the command is a wildcard: this allows programs that nobody has thought of"}}
	case kind != "" && (p.literals == 1 || p.literals == 2 && leavesOpen(name, p.words[1].text)):
		return []Warning{{"bash", r.Pattern, fmt.Sprintf("%s is %s: spell what it may run", name, kind)}}
	case p.literals == 1 && p.words[1].star && wideRules[name].does != "":
		wide := wideRules[name]
		return []Warning{{"bash", r.Pattern, fmt.Sprintf("this allows %s too; %q is narrower", wide.does, wide.narrower)}}
	}
	return nil
}

// wideRules are programs that do much more than a rule for all their arguments
// seems to say: what it allows beside the harmless, and a rule that does not.
var wideRules = map[string]struct{ does, narrower string }{
	"apt":       {"apt install and apt remove", "apt list *"},
	"aws":       {"aws s3 rm, and whatever the account may do,", "aws s3 ls *"},
	"bundle":    {"bundle exec of any program", "bundle check"},
	"cargo":     {"cargo install and cargo run", "cargo test *"},
	"composer":  {"composer exec and composer require", "composer show *"},
	"gcloud":    {"gcloud compute ssh, and whatever the account may do,", "gcloud config list"},
	"gh":        {"gh pr merge, gh repo delete and gh extension exec", "gh pr view *"},
	"go":        {"go run, go generate and go install", "go test *"},
	"gradle":    {"every task of the build", "gradle test *"},
	"helm":      {"helm upgrade and helm uninstall", "helm list *"},
	"kubectl":   {"kubectl exec, kubectl apply and kubectl delete", "kubectl get *"},
	"make":      {"every target of a Makefile, and its variables,", "make test"},
	"mvn":       {"mvn exec:exec and every other goal", "mvn test *"},
	"npm":       {"npm exec and npm install of any package", "npm test *"},
	"pip":       {"pip install of any package, whose setup runs,", "pip list *"},
	"pnpm":      {"pnpm dlx and pnpm add of any package", "pnpm test *"},
	"poetry":    {"poetry run of any program", "poetry check"},
	"sqlite3":   {".shell of sqlite3", "sqlite3 -readonly data.db *"},
	"terraform": {"terraform apply and terraform destroy", "terraform plan *"},
	"uv":        {"uv run of any program", "uv pip list"},
	"yarn":      {"yarn dlx and yarn add of any package", "yarn test *"},
}

// runnerKind says what makes a program run whatever it is told to, or "".
func runnerKind(name string) string {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python2", "python3", "node", "deno", "bun", "ruby", "perl", "php", "lua", "osascript":
		return "an interpreter"
	case "env", "sudo", "doas", "xargs", "exec", "command", "builtin", "eval", "setsid", "ionice", "timeout", "nice", "nohup", "stdbuf",
		"time", "ssh", "watch", "parallel", "npx", "script", "flock", "chroot", "unshare", "docker", "podman", "trap", "source", ".":
		return "a program that runs others"
	}
	return ""
}

// leavesOpen reports whether a first argument says nothing of what is run after
// it. Strings that shells run are judged as commands, so -c of bash is fine.
func leavesOpen(name, argument string) bool {
	switch name {
	case "ssh", "flock", "chroot", "timeout":
		return true
	case "docker", "podman":
		return argument == "run" || argument == "exec"
	case "python", "python2", "python3", "node", "deno", "bun", "ruby", "perl", "php", "lua", "osascript":
		return slices.Contains([]string{"-c", "-e", "-m", "-r", "-E", "-p", "--eval", "--print", "run", "eval", "x"}, argument)
	}
	return false
}

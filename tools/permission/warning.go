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
// that can never win, and allow rules for programs that run any other. It looks
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
	slices.SortFunc(out, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(out)
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
	return matchAtoms(pathAtoms(fold(outer)), []rune(sample(fold(inner))), nil)
}

// sample returns a text that the pattern matches and that only wildcards as wide
// as its own match: its wildcards become characters that nobody writes.
func sample(pattern string) string {
	pattern = strings.TrimSuffix(pattern, "/")
	return strings.NewReplacer("**", "\x01/\x01", "*", "\x01", "?", "\x01").Replace(pattern)
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
	var words []word
	for _, pw := range i.words {
		switch {
		case pw.star:
			words = append(words, word{kind: spread})
		case pw.atoms != nil:
			words = append(words, staticWord(sample(pw.text)))
		default:
			words = append(words, staticWord(pw.text))
		}
	}
	return o.covers(words)
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
	case p.words[0].star || p.words[0].atoms != nil:
		return []Warning{{"bash", r.Pattern, "the name of the command is a wildcard: this allows programs that nobody has thought of"}}
	case kind != "":
		return []Warning{{"bash", r.Pattern, fmt.Sprintf("%s is %s: spell what it may run", name, kind)}}
	}
	return nil
}

// runnerKind says what makes a program run whatever it is told to, or "".
func runnerKind(name string) string {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python2", "python3", "node", "deno", "bun", "ruby", "perl", "php", "lua", "osascript":
		return "an interpreter"
	case "env", "sudo", "doas", "xargs", "exec", "command", "builtin", "eval", "setsid", "ionice", "timeout", "nice", "nohup", "stdbuf",
		"time", "ssh", "watch", "parallel", "npx", "script", "flock", "chroot", "unshare", "docker", "make", "trap", "source", ".":
		return "a program that runs others"
	}
	return ""
}

package authority

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/term"
)

// A Difference is one difference between two authorities.
type Difference struct {
	Sign  string `json:"sign"` // "+" is new, "-" is gone, "~" is changed
	What  string `json:"what"`
	Was   string `json:"was,omitempty"` // of what is changed
	Wider bool   `json:"wider"`         // the new one may do what the old one could not, or it is not proved that it can't
}

// String is the difference as a line, without the old value.
func (d Difference) String() string {
	text := map[string]string{"+": "new: ", "-": "removed: ", "~": "changed: "}[d.Sign] + d.What
	if d.Wider {
		text += " " + MayDoMore
	}
	return text
}

// MayDoMore marks a line of a difference that is wider.
const MayDoMore = "(may do more)"

// Wider reports whether any of the differences is.
func Wider(all []Difference) bool {
	return slices.ContainsFunc(all, func(d Difference) bool { return d.Wider })
}

// Compare lists the changes from an older authority to a newer one. Everything that is not proved
// to be narrower is wider: a new entry, a changed command, any changed part of a file, and rules
// that differ by more than missing allows and additional denies. The older one may be a [Union].
func Compare(old, now Authority) []Difference {
	c := &comparison{}
	byAt(c, old.Commands, now.Commands)
	byAt(c, old.Asks, now.Asks)
	for _, l := range []struct {
		key      string
		old, now []string
	}{
		{"environment variable", old.Env, now.Env}, {"secret", old.Secrets, now.Secrets}, {"host", old.Addresses, now.Addresses},
		{"MCP server", old.Servers, now.Servers}, {"model", old.Models, now.Models},
	} {
		c.names(l.key, l.old, l.now)
	}
	byAt(c, old.Steps, now.Steps)
	byAt(c, old.Files, now.Files)
	c.made(old.Made, now.Made)
	return c.all
}

// Union is what any of several authorities may do. It may have several entries for one place,
// and is only for [Compare].
func Union(all ...Authority) (u Authority) {
	for _, a := range all {
		u.Commands = append(u.Commands, a.Commands...)
		u.Asks = append(u.Asks, a.Asks...)
		u.Env = append(u.Env, a.Env...)
		u.Secrets = append(u.Secrets, a.Secrets...)
		u.Addresses = append(u.Addresses, a.Addresses...)
		u.Servers = append(u.Servers, a.Servers...)
		u.Models = append(u.Models, a.Models...)
		u.Steps = append(u.Steps, a.Steps...)
		u.Files = append(u.Files, a.Files...)
		u.Made = append(u.Made, a.Made...)
	}
	return u
}

type comparison struct{ all []Difference }

// add adds a difference, unless a part of a union had it already. Others may have written the lock
// with the older authority.
func (c *comparison) add(sign, what string, wider bool) {
	d := Difference{Sign: sign, What: term.Visible(what), Wider: wider}
	if !slices.Contains(c.all, d) {
		c.all = append(c.all, d)
	}
}

// names compares lists of words. A variable that is no longer a secret is new.
func (c *comparison) names(key string, old, now []string) {
	for _, name := range old {
		if !slices.Contains(now, name) {
			c.add("-", key+": "+name, false)
		}
	}
	for _, name := range now {
		if !slices.Contains(old, name) {
			c.add("+", key+": "+name, true)
		}
	}
}

// An entry of an authority is known by its head, which is unique.
type entry[T any] interface {
	head() string // what it is about: "flow.yaml sets"
	says() string
	widens(now T) bool
}

// byAt compares entries by their heads. It compares all fields, as a text may leave some out.
func byAt[T entry[T]](c *comparison, old, now []T) {
	text := func(v T) string { return v.head() + " " + v.says() }
	for _, before := range old {
		if !slices.ContainsFunc(now, func(v T) bool { return v.head() == before.head() }) {
			c.add("-", text(before), false)
		}
	}
	for _, v := range now {
		was := slices.DeleteFunc(slices.Clone(old), func(before T) bool { return before.head() != v.head() })
		switch {
		case len(was) == 0:
			c.add("+", text(v), true)
		case !slices.ContainsFunc(was, func(before T) bool { return same(before, v) }):
			c.add("~", text(v), !slices.ContainsFunc(was, func(before T) bool { return !before.widens(v) }))
			c.all[len(c.all)-1].Was = term.Visible(was[len(was)-1].says())
		}
	}
}

// same reports whether two values have the same JSON.
func same(a, b any) bool {
	first, errA := json.Marshal(a)
	second, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(first, second)
}

// headsOf are the heads of commands, by their kind: what each is, and what it does.
var headsOf = map[string][2]string{
	"run": {"step", "runs:"}, "check": {"step", "runs:"}, "tool": {"tool", "runs:"}, "env": {"variable", "is set:"}, "call": {"step", "calls:"},
	"mcp": {"MCP server", "runs:"}, "url": {"MCP server", "is at:"}, "ask": {"step", "asks a person:"},
}

func (c Command) head() string {
	head, known := headsOf[c.Kind]
	if !known { // of a lock that somebody wrote
		head[0] = c.Kind
	}
	at, check, _ := strings.Cut(c.At, " check ")
	if check != "" {
		check = "check " + check + " of "
	}
	return check + namedIn(head[0], at) + " " + head[1]
}

// namedIn is what stands at a place, by the name at its end: step "fix" of flow.yaml.
func namedIn(what, at string) string {
	i := strings.LastIndexByte(at, ' ')
	return fmt.Sprintf("%s %q of %s", what, at[i+1:], at[:max(i, 0)])
}

// String says where a command stands, and its line.
func (c Command) String() string { return c.head() + " " + c.Runs() }

func (c Command) says() string {
	return fmt.Sprintf("%s [%s]", c.Runs(), c.SHA256[:min(12, len(c.SHA256))])
}

// Runs is the line of a command, with the variables or headers of a server.
func (c Command) Runs() string {
	if len(c.Given) == 0 {
		return c.Line
	}
	return c.Line + "; given " + strings.Join(c.Given, ", ")
}

// widens is always true: a changed command may do anything.
func (Command) widens(Command) bool { return true }

func (s Step) head() string { return namedIn("step", s.At) }

func (s Step) says() string {
	text := parts(s.Tools, ";")
	if used, uses := strings.CutPrefix(text, usedBy); uses {
		text = "uses the workflow " + used
	} else if text == readsBy {
		text = "reads files by " + text
	} else {
		text = "has the tools " + text
	}
	if len(s.Rules) > 0 {
		text += "; rules " + parts(s.Rules, ";", ", ")
	}
	if len(s.Bounds) > 0 {
		text += "; within the rules of its agent " + parts(s.Bounds, ";", ", ")
	}
	if s.Stop != "" {
		text += "; stops after " + s.Stop
	}
	return text
}

// widens reports whether a step has a tool, a rule or a bound that the older one did not have, or
// is no longer bound by the rules of an agent.
func (s Step) widens(now Step) bool {
	return slices.ContainsFunc(now.Tools, func(t string) bool { return !slices.Contains(s.Tools, t) }) ||
		rulesWiden(s.Rules, now.Rules) || s.Stop != now.Stop ||
		len(s.Bounds) > 0 && (len(now.Bounds) == 0 || rulesWiden(s.Bounds, now.Bounds))
}

func (f File) head() string { return f.At + " sets" }

func (f File) says() string {
	return strings.Join(slices.DeleteFunc([]string{
		said("workspace: ", parts([]string{f.Workspace}, ";")), said("reads: ", parts(f.Reads, ";")), said("sandbox: ", f.Sandbox), cmp.Or(said("budget: ", f.Budget), "no budget"),
		said("prices: ", parts(f.Prices, ";")), said("services: ", parts(f.Services, ";")),
	}, func(part string) bool { return part == "" }), "; ")
}

func said(key, text string) string {
	if text == "" {
		return ""
	}
	return key + text
}

// widens is always true: the settings of a file are compared as text.
func (File) widens(File) bool { return true }

// Lines lists the authority for people.
func (a Authority) Lines() []string {
	var lines []string
	for _, d := range Compare(Authority{}, a) {
		if d.Sign == "+" {
			lines = append(lines, d.What)
		}
	}
	return lines
}

package workflows

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A Sandbox restricts the commands of models by means of the kernel, in addition to the
// rules. The zero value is the default: the best sandbox that the kernel has, in which
// commands may change what the rules for writing allow.
type Sandbox struct {
	Off      bool
	Landlock bool         // commands are not held; Landlock is enough
	Required SandboxLevel // nothing runs where the system has less
	Write    []string     // folders and files that may change, instead of those of the rules; nil: those of the rules
	Offline  bool         // no network

	Partial    bool     // allowed changes land although others are denied
	Reveal     []string // secrets and sockets that commands see
	KeepCaches bool     // changes to caches land when the run ends
}

// A SandboxLevel is how far the system can restrict commands. The zero value is not at all.
type SandboxLevel string

// The levels: Landlock limits the folders that commands change, and a held command has
// its own view of the file system.
const (
	LevelLandlock SandboxLevel = "landlock"
	LevelHeld     SandboxLevel = "held"
)

// sandboxShape is one word, or a map.
func sandboxShape() shape[Sandbox] {
	word := mapped(oneOf("auto", "required", "landlock", "off"), func(s string) Sandbox {
		out := Sandbox{Off: s == "off", Landlock: s == "landlock"}
		if s == "required" {
			out.Required = LevelHeld
		}
		return out
	})
	return either(isMap, sandboxTable().shape(zero), word)
}

func sandboxTable() *object[Sandbox] {
	return &object[Sandbox]{
		name: "sandbox", what: "sandbox", doc: "What the kernel lets the commands of models do.",
		fields: []field[Sandbox]{
			key("write", listOf("write", sandboxPath()), func(s *Sandbox) *[]string { return &s.Write }, "Folders and files that may be changed, with all in them; temporary folders and caches always may. Default: what the rules for writing allow."),
			key("network", mapped(oneOf("none", "any"), func(s string) bool { return s == "none" }), func(s *Sandbox) *bool { return &s.Offline }, "none: no sockets but those on this machine. Default any."),
			key("level", mapped(oneOf("auto", "landlock"), func(s string) bool { return s == "landlock" }), func(s *Sandbox) *bool { return &s.Landlock }, "landlock: commands are not held, also where they could be. Default auto: the best that works."),
			key("required", requiredLevel(), func(s *Sandbox) *SandboxLevel { return &s.Required }, "true: nothing runs where commands can't be held. landlock: nor where the kernel has no Landlock. Default false."),
			key("partial", boolean(), func(s *Sandbox) *bool { return &s.Partial }, "What a command changed and may change is kept though the rest is denied. Default false: all of it or nothing."),
			key("reveal", listOf("reveal", sandboxPath()), func(s *Sandbox) *[]string { return &s.Reveal }, "Files and folders with secrets, and sockets, that commands may see: from the workspace, or with ~/ or / before it."),
			key("caches", mapped(oneOf("run", "keep"), func(s string) bool { return s == "keep" }), func(s *Sandbox) *bool { return &s.KeepCaches }, "keep: what commands put into caches stays when the run has ended. Default run: it goes with the run."),
		},
	}
}

// requiredLevel is true, false or landlock.
func requiredLevel() shape[SandboxLevel] {
	word := mapped(oneOf("landlock"), func(string) SandboxLevel { return LevelLandlock })
	yes := mapped(boolean(), func(yes bool) SandboxLevel {
		if yes {
			return LevelHeld
		}
		return ""
	})
	return either(func(n *tree.Node) bool { return n.Kind == tree.KindString }, word, yes)
}

// sandboxPath is a path from the workspace, without wildcards, which the kernel does not
// have.
func sandboxPath() shape[string] {
	path := wordText()
	read := path.read
	path.read = func(p *parser, n *tree.Node) (string, bool) {
		text, ok := read(p, n)
		if ok && (text == "" || strings.ContainsAny(text, "*?[")) {
			p.Errorf(n, diagnostic.CodeValue, "%q is no path of a sandbox", text).Hint = "name a folder, which stands for all that is in it"
			return "", false
		}
		return text, ok
	}
	return path
}

package workflows

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/format"
	"github.com/a-seed-11b9befa/flow/internal/tree"
	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
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
func sandboxShape() format.Shape[Sandbox] {
	word := format.Mapped(format.OneOf("auto", "required", "landlock", "off"), func(s string) Sandbox {
		out := Sandbox{Off: s == "off", Landlock: s == "landlock"}
		if s == "required" {
			out.Required = LevelHeld
		}
		return out
	})
	return format.Either(format.IsMap, sandboxTable().Shape(nil), word)
}

func sandboxTable() *format.Object[Sandbox] {
	return &format.Object[Sandbox]{
		Name: "sandbox", What: "sandbox", Doc: "What the kernel lets the commands of models do.",
		Fields: []format.Field[Sandbox]{
			format.Key("write", format.ListOf("write", sandboxPath()), func(s *Sandbox) *[]string { return &s.Write }, "Folders and files that may be changed, with all in them; temporary folders and caches always may. Default: what the rules for writing allow."),
			format.Key("network", format.Mapped(format.OneOf("none", "any"), func(s string) bool { return s == "none" }), func(s *Sandbox) *bool { return &s.Offline }, "none: no sockets but those on this machine. Default any."),
			format.Key("level", format.Mapped(format.OneOf("auto", "landlock"), func(s string) bool { return s == "landlock" }), func(s *Sandbox) *bool { return &s.Landlock }, "landlock: commands are not held, also where they could be. Default auto: the best that works."),
			format.Key("required", requiredLevel(), func(s *Sandbox) *SandboxLevel { return &s.Required }, "true: nothing runs where commands can't be held. landlock: nor where the kernel has no Landlock. Default false."),
			format.Key("partial", format.Boolean(), func(s *Sandbox) *bool { return &s.Partial }, "What a command changed and may change is kept though the rest is denied. Default false: all of it or nothing."),
			format.Key("reveal", format.ListOf("reveal", sandboxPath()), func(s *Sandbox) *[]string { return &s.Reveal }, "Files and folders with secrets, and sockets, that commands may see: from the workspace, or with ~/ or / before it."),
			format.Key("caches", format.Mapped(format.OneOf("run", "keep"), func(s string) bool { return s == "keep" }), func(s *Sandbox) *bool { return &s.KeepCaches }, "keep: what commands put into caches stays when the run has ended. Default run: it goes with the run."),
		},
	}
}

// requiredLevel is true, false or landlock.
func requiredLevel() format.Shape[SandboxLevel] {
	word := format.Mapped(format.OneOf("landlock"), func(string) SandboxLevel { return LevelLandlock })
	yes := format.Mapped(format.Boolean(), func(yes bool) SandboxLevel {
		if yes {
			return LevelHeld
		}
		return ""
	})
	return format.Either(func(n *tree.Node) bool { return n.Kind == tree.KindString }, word, yes)
}

// sandboxPath is a path from the workspace, without wildcards, which the kernel does not
// have.
func sandboxPath() format.Shape[string] {
	return format.Shape[string]{
		Read: func(r *format.Reader, n *tree.Node) (string, bool) {
			text, ok := format.Text().Read(r, n)
			if ok && (text == "" || strings.ContainsAny(text, "*?[")) {
				r.Errorf(n, diagnostic.CodeValue, "%q is no path of a sandbox", text).Hint = "name a folder, which stands for all that is in it"
				return "", false
			}
			return text, ok
		},
		Schema: format.TextSchema,
	}
}

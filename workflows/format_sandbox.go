package workflows

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
	"github.com/a-seed-11b9befa/flow/workflows/internal/tree"
)

// A Sandbox is what the kernel holds the commands of models to, beside what the
// rules say. The zero value is the default: one, where the kernel has one, that
// lets commands change what the rules for writing allow.
type Sandbox struct {
	Off      bool
	Required bool     // nothing runs where there is none
	Write    []string // folders and files, in place of what the rules say; nil: what they say
	Offline  bool     // no network
}

// sandboxShape is one word, or a map.
func (f *format) sandboxShape() shape[Sandbox] {
	word := mapped(oneOf("auto", "required", "off"), func(s string) Sandbox {
		return Sandbox{Off: s == "off", Required: s == "required"}
	})
	table := f.sandbox.shape(zero)
	return shape[Sandbox]{
		read: func(p *parser, n *tree.Node) (Sandbox, bool) {
			if n.Kind != tree.KindMap {
				return word.read(p, n)
			}
			return table.read(p, n)
		},
		schema: func(w *schemaWriter) any {
			return map[string]any{"anyOf": []any{word.schema(w), table.schema(w)}}
		},
	}
}

func sandboxTable() object[Sandbox] {
	return object[Sandbox]{
		name: "sandbox", what: "sandbox", doc: "What the kernel lets the commands of models do.",
		foreign: map[string]string{"writable": `"write"`, "allow_write": `"write"`, "net": `"network"`},
		fields: []field[Sandbox]{
			key("write", listOf("write", sandboxPath()), func(s *Sandbox) *[]string { return &s.Write }, "Folders and files that may be changed, with all in them; temporary folders and caches always may. Default: what the rules for writing allow."),
			key("network", mapped(oneOf("none", "any"), func(s string) bool { return s == "none" }), func(s *Sandbox) *bool { return &s.Offline }, "none: no sockets but those on this machine. Default any."),
			key("required", boolean(), func(s *Sandbox) *bool { return &s.Required }, "Nothing runs where the system has no sandbox."),
		},
	}
}

// sandboxPath is a path from the workspace; the kernel knows no wildcards.
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

package word

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// IsOneText reports whether a text stays one word when it is split and globbed.
func IsOneText(text string) bool {
	return text != "" && strings.Trim(text, nameCharacters+"./:@%+,-") == ""
}

// variable adds a variable with a known value. It returns false when the value may be
// split or globbed.
func (b *wordBuilder) variable(p *syntax.ParamExp, value Word, quoted bool) bool {
	switch {
	case value.Kind == Static && (quoted || IsOneText(value.Text)):
		b.quoted(value.Text)
		return true
	case value.Kind == Opaque:
		b.become(Opaque)
	case value.Kind == Globbed && quoted:
		b.chosen = true
		if !b.glob {
			b.glob, b.atoms = true, pattern.Literals(b.text.String())
		}
		b.atoms = append(b.atoms, value.Atoms...)
		b.text.WriteString(value.Text)
	case value.Kind == Dynamic && value.Plain:
		b.plain = b.plain || b.kind < Dynamic && b.text.Len() == 0 && !b.glob
		b.become(Dynamic)
	default:
		return false
	}
	b.expansion(p, quoted)
	return true
}

// substitution adds the output of a command.
func (b *wordBuilder) substitution(e Expander, c *syntax.CmdSubst, otherwise WordKind) {
	words, reads := printing(e, c)
	switch {
	case printsNumber(words, reads):
		b.become(Opaque)
	case printsCommit(words):
		b.plain = b.plain || b.kind < Dynamic && b.text.Len() == 0 && !b.glob
		b.become(Dynamic)
	default:
		b.become(otherwise)
	}
}

// printsNumber reports whether a command prints a number, a date or a commit's hash,
// which is one word and no option.
func printsNumber(words []string, reads bool) bool {
	switch {
	case len(words) == 0:
		return false
	case words[0] == "nproc" && len(words) == 1:
		return true
	case words[0] == "git" && len(words) == 4:
		return words[1] == "merge-base" && isOperandText(words[2]) && isOperandText(words[3])
	case words[0] == "date" && len(words) == 2:
		format, ok := strings.CutPrefix(words[1], "+%")
		return ok && strings.Trim(strings.NewReplacer("%Y", "", "%m", "", "%d", "", "%H", "", "%M", "", "%S", "", "%s", "", "%F", "", "%T", "").Replace("%"+format), "_-:") == ""
	}
	return words[0] == "wc" && len(words) == 2 && (words[1] == "-l" || words[1] == "-c" || words[1] == "-w") && reads
}

// printsCommit reports whether a command prints a name that git gives to a commit.
func printsCommit(words []string) bool {
	switch strings.Join(words, " ") {
	case "git rev-parse HEAD", "git rev-parse --short HEAD", "git describe --tags --abbrev=0", "git describe --tags", "git describe":
		return true
	}
	return false
}

func isOperandText(text string) bool { return text != "" && text[0] != '-' }

// printing returns the words of the only command in a substitution, or nil when they are
// not known. reads says that it reads a file.
func printing(e Expander, c *syntax.CmdSubst) (words []string, reads bool) {
	call, redirects := onlyCall(c)
	if call == nil {
		return nil, false
	}
	expanded, ok := e.ExpandAll(call.Args)
	if !ok {
		return nil, false
	}
	for _, r := range redirects {
		if r.Op == syntax.RdrIn && r.N == nil {
			reads = true
		} else if r.Op != syntax.RdrOut || r.N == nil || r.N.Value != "2" {
			return nil, false
		}
	}
	for _, x := range expanded {
		if x.Kind != Static {
			return nil, false
		}
		words = append(words, x.Text)
	}
	return words, reads
}

// onlyCall returns the command in a substitution with its redirects, or nil when the
// substitution is more than one simple command.
func onlyCall(c *syntax.CmdSubst) (*syntax.CallExpr, []*syntax.Redirect) {
	if len(c.Stmts) != 1 || c.TempFile || c.ReplyVar {
		return nil, nil
	}
	stmt := c.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Background || stmt.Negated || len(call.Assigns) > 0 {
		return nil, nil
	}
	return call, stmt.Redirs
}

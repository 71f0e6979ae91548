package authority

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/quantity"
)

// A Command is a command of the workflow's author.
type Command struct {
	At    string   `json:"at"`              // the file and the step, tool or server
	Kind  string   `json:"kind"`            // run, check, tool, env, call or setup; mcp of a server that is a program, url of another
	Line  string   `json:"line"`            // the first that says something, and how many more there are
	Given []string `json:"given,omitempty"` // variables or headers of a server, with their values as the file has them

	Held bool `json:"held,omitempty"` // to the workspace

	digest string // of all of it
}

// Script is a command at a place, with its first line that is no comment.
func Script(at, kind, text string) Command {
	command := commandOf(at, kind, text)
	command.Line = lineOf(uncommented(text))
	return command
}

func commandOf(at, kind, text string) Command {
	return Command{At: at, Kind: kind, Line: lineOf(text), digest: digest(text)}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// Serves reports whether it is an MCP server.
func (c Command) Serves() bool { return c.Kind == "mcp" || c.Kind == "url" }

// Name is the last word of At, such as the name of a server.
func (c Command) Name() string { return c.At[strings.LastIndexByte(c.At, ' ')+1:] }

// Runs is the line of a command, with the variables or headers of a server.
func (c Command) Runs() string {
	if len(c.Given) == 0 {
		return c.Line
	}
	return c.Line + ", with " + strings.Join(c.Given, ", ")
}

// String says where a command stands, and its line.
func (c Command) String() string { return c.said(c.Runs()) }

// ownWords are those with which this list begins the limits of a line, and the folder of a command.
var ownWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`; (held|only if|checked by|stops after|within|rules)| \(in `)
})

// ownText returns a line of a command, or an expression, in quotes if it has words of this list: so nobody takes
// a part of it for a limit.
func ownText(line string) string {
	if ownWords().MatchString(line) {
		return strconv.Quote(line)
	}
	return line
}

// full is what a command runs, with a digest if the line shows only a part of it.
func (c Command) full() string {
	shown := c
	shown.Line = ownText(c.Line)
	return shown.Runs() + when(IsShortened(c.Line), " ["+c.digest+"]")
}

// brief is the line of a text, with a digest if that shows only a part of it.
func brief(whole string) string {
	line := lineOf(whole)
	return ownText(line) + when(IsShortened(line), " ["+digest(whole)+"]")
}

// words are what a command stands in, and what it does, by its kind.
var words = map[string][2]string{
	"run": {"step", "runs:"}, "check": {"step", "runs:"}, "tool": {"tool", "runs:"}, "env": {"variable", "is set:"}, "call": {"step", "calls:"},
	"mcp": {"MCP server", "runs:"}, "url": {"MCP server", "is at:"},
}

func (c Command) said(text string) string {
	at, check, isCheck := strings.Cut(c.At, " check ")
	if isCheck {
		check = "check " + check + " of "
	}
	return fmt.Sprintf("%s%s %s %s", check, place(words[c.Kind][0], at), words[c.Kind][1], text)
}

// place is what stands at a place, by the name at its end: step "fix" of flow.yaml.
func place(what, at string) string {
	i := strings.LastIndexByte(at, ' ')
	return fmt.Sprintf("%s %q of %s", what, at[i+1:], at[:max(i, 0)])
}

// lineOf is the first line of a text that is not empty, with runs of blanks as one, and the number
// of the other lines that are not empty.
func lineOf(text string) string {
	const maxLine = 120
	line, rest := "", 0
	for next := range strings.Lines(text) {
		next = strings.Join(strings.FieldsFunc(strings.TrimRight(next, "\r\n"), func(r rune) bool { return r == ' ' || r == '\t' }), " ")
		switch {
		case next == "":
		case line == "":
			line = next
		default:
			rest++
		}
	}
	if len(line) > maxLine {
		line = strings.ToValidUTF8(line[:maxLine], "") + " …"
	}
	if rest > 0 {
		line += fmt.Sprintf(" (+%s)", quantity.Count(rest, "line"))
	}
	return line
}

var shortened = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` …|\(\+[0-9,]+ lines?\)`) })

// IsShortened reports whether a line shows only a part of a command.
func IsShortened(line string) bool { return shortened().MatchString(line) }

// uncommented is a script without its leading comments. Later ones stay: they may be text within
// quotes, or another program's input.
func uncommented(script string) string {
	for rest := script; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		line = strings.TrimLeft(line, " \t") // what a shell takes for blank, and no more
		if strings.TrimRight(line, "\r") != "" && line[0] != '#' {
			return rest
		}
		rest = after
	}
	return script
}

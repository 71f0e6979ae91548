package workflows

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/workflows/diagnostic"
)

// TestFollowedHints does what the message of each golden mistake says should be written
// instead: then the mistake is gone.
func TestFollowedHints(t *testing.T) {
	if testing.Short() {
		t.Skip("it checks hundreds of files, one after the other")
	}
	followed := 0
	for _, folder := range []string{"testdata/mistakes", "testdata/err"} {
		for _, file := range yamlFiles(t, folder) {
			for _, d := range load(file, in(folder)) {
				ways := waysToFollow(folder, d)
				var left []string
				if followed += min(len(ways), 1); len(ways) > 0 && !slices.ContainsFunc(ways, func(mended string) bool {
					rest := rendered(stillWrong(folder, file, mended, d))
					left = append(left, rest)
					return rest == ""
				}) {
					t.Errorf("%s\nfollowed:\n%s", d.Render(), strings.Join(left, "or, replaced in another way:\n"))
				}
			}
		}
	}
	if followed < 250 {
		t.Errorf("only %d messages say what to write instead", followed)
	}
}

// stillWrong returns what is wrong with a file at the place of a mistake once another text
// stands there: the same mistake, or one of YAML.
func stillWrong(folder, file, mended string, d Diagnostic) Diagnostics {
	opts := in(folder)
	read := opts.ReadFile
	opts.ReadFile = func(path string) ([]byte, error) {
		if filepath.Clean(path) == d.File {
			return []byte(mended), nil
		}
		return read(path)
	}
	return slices.DeleteFunc(load(file, opts), func(other Diagnostic) bool {
		noYAML := other.Code == diagnostic.CodeSyntax && d.Code != diagnostic.CodeSyntax
		there := other.Position() == d.Position() && other.Message == d.Message && other.Hint == d.Hint
		return !noYAML && !there
	})
}

// proposals are the forms in which a hint says what to write instead.
var proposals = regexp.MustCompile(`^did you mean "([^"]+)"\?$|` +
	`^(?:did you mean |give a unit: )(\w\S*)(?:\?$| or )|` +
	`^here it is "(\w+)"(?:; .*)?$|` +
	`(?:^|; |: )(?:write|quote the text:) ([^;…]+)(?:;.*)?$|` +
	`^an expression stands in marks: (\$\{\{.*\}\})$`)

// proposal returns what a hint says should be written instead; "" where it only explains.
func proposal(hint string) string {
	found := proposals.FindStringSubmatch(hint)
	return strings.Join(found[min(len(found), 1):], "")
}

var entry = regexp.MustCompile(`^(- )?[\w.-]+:( |$)`)

// waysToFollow returns the file of a mistake with what its hint proposes, in each way in
// which a reader may understand the proposal; none where there is none.
func waysToFollow(folder string, d Diagnostic) []string {
	source, err := os.ReadFile(filepath.Join(folder, d.File))
	instead := proposal(d.Hint)
	if err != nil || instead == "" {
		return nil
	}
	text := string(source)
	lines := strings.SplitAfter(text, "\n")
	line := len(strings.Join(lines[:d.Line-1], ""))
	key := line + strings.IndexFunc(text[line:], func(r rune) bool { return r != ' ' && r != '-' })
	start := line + len(string([]rune(lines[d.Line-1])[:d.Column-1]))
	mark := len(string([]rune(text[start:])[:d.Length]))

	var ways []string
	replace := func(from, length int, by string) { ways = append(ways, text[:from]+by+text[from+length:]) }
	unquoted := strings.ReplaceAll(strings.Trim(instead, "'"), "''", "'")
	at := strings.Index(text[line:], unquoted)
	switch {
	case unquoted != instead && at >= 0:
		replace(line+at, len(unquoted), instead)
	case d.Code == diagnostic.CodeSyntax:
		dashed := line + strings.IndexFunc(text[line:], func(r rune) bool { return r != ' ' })
		replace(key, len(strings.TrimRight(lines[d.Line-1], "\n"))-(key-line), instead)
		replace(dashed, len(strings.TrimRight(lines[d.Line-1], "\n"))-(dashed-line), instead)
	case entry.MatchString(instead):
		replace(key, max(start-key, 0)+valueLength(text, max(start, key)), instead)
		if colon := strings.Index(text[start:], ": "); colon >= 0 {
			replace(start, colon+2+valueLength(text, start+colon+2), instead)
		}
	default:
		replace(start, mark, instead)
		replace(start, valueLength(text, start), instead)
		if quote := text[start : start+1]; quote == `"` || quote == `'` {
			replace(start, mark, quote+instead+quote)
		}
		value, end := key+strings.Index(text[key:], ": ")+2, line+len(lines[d.Line-1])-1
		if from := strings.LastIndex(text[:start], "${{ "); from >= line {
			to := from + strings.Index(text[from:], " }}")
			replace(from+4, to-from-4, instead)
			if strings.Contains(instead, ": ") {
				replace(value, end-value, "'"+strings.ReplaceAll(text[value:from+4]+instead+text[to:end], "'", "''")+"'")
			}
		} else if strings.Contains(instead, ": ") {
			replace(value, end-value, "'"+strings.ReplaceAll(instead, "'", "''")+"'")
		}
		if behind := strings.Index(text[key:], ": ") + 2; d.Code == diagnostic.CodeExpression {
			replace(key+behind, valueLength(text, key+behind), instead)
		}
	}
	return ways
}

// valueLength returns the length of the value that begins at an offset of a YAML text.
func valueLength(text string, start int) int {
	rest, line := text[start:], strings.LastIndex(text[:start], "\n")+1
	first, _, _ := strings.Cut(rest, "\n")
	switch {
	case first == "":
		return 0
	case first[0] == '"' || first[0] == '\'':
		return 2 + max(0, strings.IndexByte(first[1:], first[0]))
	case first[0] == '[' || first[0] == '{':
		for i := range rest {
			if strings.Count(rest[:i+1], "[")+strings.Count(rest[:i+1], "{") == strings.Count(rest[:i+1], "]")+strings.Count(rest[:i+1], "}") {
				return i + 1
			}
		}
	case first[0] == '-' || entry.MatchString(first) && strings.Trim(text[line:start], " -") == "":
		length := 0
		for i, l := range strings.SplitAfter(rest, "\n") {
			if indent := strings.IndexFunc(l, func(r rune) bool { return r != ' ' }); i > 0 && l != "" && indent < start-line {
				break
			}
			length += len(l)
		}
		return length - 1
	}
	if end := strings.IndexAny(first, ",]}"); end >= 0 && strings.ContainsAny(text[line:start], "[{") {
		return end
	}
	return len(first)
}

package suite

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/jsonline"
	"github.com/a-seed-11b9befa/flow/runner/host"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// An update is what was seen where a test leaves it open.
type update struct {
	pos    workflows.Position // of ${{ seen }}; or
	golden string             // the file that has the text
	value  any
}

// mark is ${{ seen }} as it stands in a file.
var mark = regexp.MustCompile(`^("\$\{\{ *seen *\}\}"|'\$\{\{ *seen *\}\}'|\$\{\{ *seen *\}\})`)

// update writes what was seen into the test files, and into golden files.
func (s *Suite) update(outcomes []*Outcome) error {
	inFiles := map[string][]update{}
	for _, o := range outcomes {
		for _, u := range o.updates {
			if u.golden == "" {
				inFiles[u.pos.File] = append(inFiles[u.pos.File], u)
				continue
			}
			if err := writeGolden(u.golden, fmt.Sprint(u.value)); err != nil {
				return err
			}
		}
	}
	for file, updates := range inFiles {
		if err := updateFile(file, updates); err != nil {
			return err
		}
	}
	return nil
}

func writeGolden(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// updateFile replaces the marks in one file, backwards from its end.
func updateFile(file string, updates []update) error {
	data, err := host.ReadSource(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(data), "\n")
	slices.SortFunc(updates, func(a, b update) int {
		return cmp.Or(cmp.Compare(b.pos.Line, a.pos.Line), cmp.Compare(b.pos.Column, a.pos.Column))
	})
	for _, u := range updates {
		if u.pos.Line > len(lines) {
			return fmt.Errorf("%s: the file has changed meanwhile", u.pos)
		}
		line, ok := replaceMark(lines[u.pos.Line-1], u.pos.Column, u.value)
		if !ok {
			return fmt.Errorf("%s: the file has changed meanwhile", u.pos)
		}
		lines[u.pos.Line-1] = line
	}
	return os.WriteFile(file, []byte(strings.Join(lines, "")), info.Mode().Perm())
}

// replaceMark replaces the mark at a column of a line by a value.
func replaceMark(line string, column int, value any) (string, bool) {
	runes := []rune(line)
	if column > len(runes) {
		return "", false
	}
	before, rest := string(runes[:column-1]), string(runes[column-1:])
	found := mark.FindString(rest)
	if found == "" {
		return "", false
	}
	after := rest[len(found):]
	if text, is := value.(string); is && strings.Contains(text, "\n") && strings.TrimSpace(after) == "" && isBlockKey(before) {
		if block, ok := asBlock(text, indentOf(before)); ok {
			return before + block + after, true
		}
	}
	return before + asFlow(value) + after, true
}

// isBlockKey reports whether the text before a value is a key of a map in block style.
func isBlockKey(before string) bool {
	return !strings.ContainsAny(before, "{[") && strings.HasSuffix(strings.TrimRight(before, " "), ":")
}

// indentOf is how far the key before a value is indented.
func indentOf(before string) int {
	return len(before) - len(strings.TrimLeft(before, " -"))
}

// unblockable finds blanks that a reader of a block may change: at the beginning, at the ends of lines,
// and tabs at their beginnings.
var unblockable = regexp.MustCompile(`\A\s|(?m:^\t|[ \t]$)|\n\n\z`)

// asBlock is a text as a literal block; ok is false if a block can't hold it.
func asBlock(text string, indent int) (block string, ok bool) {
	if unblockable.MatchString(text) || strings.ContainsFunc(text, hidden) {
		return "", false
	}
	head := "|-"
	if strings.HasSuffix(text, "\n") {
		head = "|"
	}
	var b strings.Builder
	b.WriteString(head)
	for line := range strings.Lines(text) {
		b.WriteString("\n")
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			b.WriteString(strings.Repeat(" ", indent+2) + line)
		}
	}
	return b.String(), true
}

// asFlow is a value on one line: JSON, which is YAML, or a plain word.
func asFlow(value any) string {
	if text, is := value.(string); is && isWord(text) && !slices.Contains([]string{"true", "false", "null"}, text) && strings.Trim(text, "0123456789-_") != "" {
		return text
	}
	data, err := jsonline.Encode(value)
	if err != nil {
		return fmt.Sprintf("%q", fmt.Sprint(value))
	}
	return string(data)
}

// hidden reports whether a rune is invisible in a block, or invalid there.
func hidden(r rune) bool {
	return r != '\n' && r != '\t' && r != ' ' && !unicode.IsPrint(r) || r == utf8.RuneError
}

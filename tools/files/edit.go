package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/tools"
)

const (
	mostEdited      = 32 << 20  // bytes of a file before an edit
	mostResult      = 64 << 20  // bytes of a file after an edit
	mostOccurrences = 1_000_000 // that one edit changes
)

const editSchema = `{
  "type": "object",
  "properties": {
    "filePath": {"type": "string", "description": "Path of the file, from the workspace or absolute"},
    "oldString": {"type": "string", "description": "The text to replace, as it stands in the file, without line numbers"},
    "newString": {"type": "string", "description": "The text to put in its place"},
    "replaceAll": {"type": "boolean", "description": "Replace every place, not the only one"}
  },
  "required": ["filePath", "oldString", "newString"],
  "additionalProperties": false
}`

func (w *Workspace) editTool() tools.Tool {
	return fileTool[editArguments]{
		w: w, purpose: writing, name: "edit", schema: editSchema, run: w.edit,
		description: "Replace a text in a file. It has to stand in one place only, unless replaceAll is set; else nothing is changed.",
	}
}

type editArguments struct {
	FilePath   string `json:"filePath"`
	OldString  string `json:"oldString"`
	NewString  string `json:"newString"`
	ReplaceAll bool   `json:"replaceAll"`
}

func (w *Workspace) edit(ctx context.Context, a editArguments, out *tools.Output) (tools.Result, error) {
	real, err := w.locate(a.FilePath, writing)
	if err != nil {
		return tools.Fail(err)
	}
	occurrences, err := w.rewrite(ctx, real, a)
	if ctx.Err() != nil && err != nil {
		return tools.Result{}, err
	}
	if err != nil {
		return tools.Fail(fmt.Errorf("%q was not changed: %w", a.FilePath, err))
	}
	_, err = fmt.Fprintf(out, "Changed %s in %s.\n", occurrences, w.shown(real))
	return tools.Result{}, err
}

// rewrite changes the file, and returns a description of what it replaced.
func (w *Workspace) rewrite(ctx context.Context, real string, a editArguments) (occurrences string, err error) {
	f, err := w.openReal(a.FilePath, real)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if f.info.Size() > mostEdited {
		return "", fmt.Errorf("it has %d bytes; the most is %d", f.info.Size(), mostEdited)
	}
	content, err := io.ReadAll(io.LimitReader(f, mostEdited))
	if err != nil {
		return "", paths.Cause(err)
	}
	edited, at, err := substitute(string(content), a)
	if err != nil {
		return "", err
	}
	if _, err := w.replace(ctx, real, edited, f.info); err != nil {
		return "", paths.Cause(err)
	}
	return occurrencesInLines(at), nil
}

// substitute returns the edited text, and the line of each occurrence that was changed.
func substitute(text string, a editArguments) (edited string, at []int, err error) {
	plain := newPlainText(text)
	old, replacement := plain.atEnd(plain.given(a.OldString), plain.given(a.NewString))
	switch {
	case old == "":
		return "", nil, errors.New("oldString is empty; write makes a new file")
	case old == replacement:
		return "", nil, errors.New("oldString and newString are the same")
	}
	occurrences := strings.Count(plain.text, old)
	growth := len(replacement) - len(old) + (plain.longest()-1)*strings.Count(replacement, "\n")
	if err := affordable(len(text), occurrences, growth); err != nil {
		return "", nil, err
	}
	at = linesOf(plain.text, old)
	switch {
	case len(at) == 0:
		return "", nil, notFound(plain.text, old)
	case len(at) > 1 && !a.ReplaceAll:
		return "", nil, fmt.Errorf("oldString is in %s; give more of the text around the one that you mean, or set replaceAll", occurrencesInLines(at))
	}
	return plain.replace(old, replacement), at, nil
}

// affordable returns an error for an edit that would take too much memory. growth is how
// many bytes each occurrence adds.
func affordable(size, occurrences, growth int) error {
	if occurrences > mostOccurrences {
		return fmt.Errorf("oldString is in %d places; the most is %d", occurrences, mostOccurrences)
	}
	if occurrences > 0 && growth > (mostResult-size)/occurrences {
		return fmt.Errorf("it would have more than %d bytes: oldString is in %d places, and newString is longer by %d bytes", mostResult, occurrences, growth)
	}
	return nil
}

// linesOf returns the number of the line in which each occurrence of old starts.
func linesOf(text, old string) []int {
	var at []int
	line := 1
	for {
		before, after, found := strings.Cut(text, old)
		if !found {
			return at
		}
		line += strings.Count(before, "\n")
		at = append(at, line)
		line += strings.Count(old, "\n")
		text = after
	}
}

// occurrencesInLines formats the number of occurrences, and the lines of the first ones.
func occurrencesInLines(at []int) string {
	const named = 20
	lines := slices.Compact(slices.Clone(at))
	var shown []string
	for _, line := range lines[:min(len(lines), named)] {
		shown = append(shown, strconv.Itoa(line))
	}
	if len(lines) > named {
		shown = append(shown, "…")
	}
	noun := "lines"
	if len(lines) == 1 {
		noun = "line"
	}
	return fmt.Sprintf("%s (%s %s)", quantity.Count(len(at), "place"), noun, strings.Join(shown, ", "))
}

var lineNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\d{5,}\| `) })

// notFound returns the error for a text that the file does not have, with a hint at what
// may have been meant.
func notFound(text, old string) error {
	if lineNumber().MatchString(old) {
		return errors.New("oldString is not in it: leave out the line numbers that read prints")
	}
	first := ""
	for line := range strings.Lines(old) {
		if first = strings.TrimSpace(line); first != "" {
			break
		}
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if first != "" && strings.TrimSpace(line) == first {
			return fmt.Errorf("oldString is not in it as it stands; line %d is like its first line but for what is around it or its blanks", number)
		}
	}
	return errors.New("oldString is not in it")
}

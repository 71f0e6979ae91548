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
	maxEdited      = 32 << 20  // bytes of a file before an edit
	maxResult      = 64 << 20  // bytes of a file after an edit
	maxOccurrences = 1_000_000 // that one edit changes
)

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
	if f.info.Size() > maxEdited {
		return "", fmt.Errorf("it has %d bytes; the most is %d", f.info.Size(), maxEdited)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxEdited))
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

// substitute returns the edited text, and the line of each place that was changed. Lines are compared
// without the \r before their ends, which read does not show.
func substitute(text string, a editArguments) (edited string, at []int, err error) {
	old, replacement := strings.ReplaceAll(a.OldString, "\r\n", "\n"), strings.ReplaceAll(a.NewString, "\r\n", "\n")
	switch {
	case old == "":
		return "", nil, errors.New("oldString is empty; write makes a new file")
	case old == replacement:
		return "", nil, errors.New("oldString and newString are the same")
	}
	places := placesOf(text, old)
	at = linesOf(text, places)
	switch {
	case len(at) == 0:
		return "", nil, notFound(text, old)
	case len(at) > maxOccurrences:
		return "", nil, fmt.Errorf("oldString is in more than %d places", maxOccurrences)
	case len(at) > 1 && !a.ReplaceAll:
		return "", nil, fmt.Errorf("oldString is in %s; give more of the text around the one that you mean, or set replaceAll", occurrencesInLines(at))
	}
	var b strings.Builder
	end := lineEnding{text: text}
	shown := 0
	for _, place := range places {
		b.WriteString(text[shown:place[0]])
		shown = place[1]
		change := change{old, replacement}
		if strings.HasSuffix(old, "\n") && text[shown-1] != '\n' { // the last line, which has no end
			change.old, change.replacement = strings.TrimSuffix(old, "\n"), strings.TrimSuffix(replacement, "\n")
		}
		change.write(&b, text[place[0]:place[1]], end.from(place[0]))
		if b.Len() > maxResult {
			return "", nil, fmt.Errorf("it would have more than %d bytes", maxResult)
		}
	}
	b.WriteString(text[shown:])
	return b.String(), at, nil
}

// placesOf returns where a text has old, with any \r before a \n. The end of the text stands for a \n at
// the end of old, too: read does not show whether the last line has one.
func placesOf(text, old string) [][]int {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(old), "\n", `\r*\n`)
	if body, ended := strings.CutSuffix(pattern, `\r*\n`); ended && body != "" {
		pattern = body + `(?:\r*\n|\z)`
	}
	re, err := regexp.Compile(pattern)
	if err != nil { // old is not UTF-8
		return nil
	}
	return re.FindAllStringIndex(text, maxOccurrences+1)
}

// A change puts a replacement in the place of an old text.
type change struct{ old, replacement string }

// write writes what becomes of a place that has the old text. Lines at its beginning and its end that do
// not change keep their endings.
func (c change) write(b *strings.Builder, place, ending string) {
	if !strings.Contains(c.replacement, "\n") {
		b.WriteString(c.replacement)
		return
	}
	was, old, put := strings.SplitAfter(place, "\n"), strings.SplitAfter(c.old, "\n"), strings.SplitAfter(c.replacement, "\n")
	first, last := 0, 0
	for first < min(len(old), len(put)) && old[first] == put[first] {
		first++
	}
	for last < min(len(old), len(put))-first && old[len(old)-1-last] == put[len(put)-1-last] {
		last++
	}
	changed := strings.Join(put[first:len(put)-last], "")
	b.WriteString(strings.Join(was[:first], ""))
	b.WriteString(strings.ReplaceAll(changed, "\n", ending))
	b.WriteString(strings.Join(was[len(was)-last:], ""))
}

// A lineEnding finds how the lines of a text end, in their order.
type lineEnding struct {
	text  string
	until int // the current ending is that of all places before
	now   string
}

// from returns the ending of the first line that ends from a place on, or else of the last one before.
func (l *lineEnding) from(place int) string {
	if place < l.until || l.now != "" && l.until == len(l.text) {
		return l.now
	}
	end := strings.IndexByte(l.text[place:], '\n') + place
	l.until = end + 1
	if end < place {
		end, l.until = strings.LastIndexByte(l.text, '\n'), len(l.text)
	}
	l.now = "\n"
	if end >= 0 {
		l.now = l.text[len(strings.TrimRight(l.text[:end], "\r")) : end+1]
	}
	return l.now
}

// linesOf returns the numbers of the lines in which places start.
func linesOf(text string, places [][]int) []int {
	var at []int
	line, from := 1, 0
	for _, place := range places {
		line += strings.Count(text[from:place[0]], "\n")
		at, from = append(at, line), place[0]
	}
	return at
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

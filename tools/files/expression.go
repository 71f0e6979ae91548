package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"sync"
	"unicode/utf8"
)

const (
	maxInstructions = 2000     // of a compiled expression
	longestLine     = 64 << 10 // bytes of a line that are searched, which takes about a second at most

	longMatch = 500 // bytes; of a longer line only the surroundings of the match are shown
	around    = 200
)

var errBinary = errors.New("it is a binary file")

// lineExpression finds lines.
type lineExpression struct {
	re      *regexp.Regexp
	readers sync.Pool // of *bufio.Reader

	hide func(text string) string // masks a line before it is cut; nil changes nothing
}

// compileLine compiles a pattern for single lines.
func compileLine(pattern string) (*lineExpression, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("the pattern is no RE2 regular expression (no look-around, no back-references; \\ takes the meaning from a character): %w", err)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fmt.Errorf("the pattern: %w", err)
	}
	if size := len(program.Inst); size > maxInstructions {
		return nil, fmt.Errorf("the pattern is too large: it has %d steps; the most is %d; a smaller number in {} makes fewer", size, maxInstructions)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern: %w", err)
	}
	return &lineExpression{re: re, readers: sync.Pool{New: func() any { return bufio.NewReaderSize(nil, longestLine+1) }}}, nil
}

// matchedLine is a line that an expression matches, in the form to print.
type matchedLine struct {
	number int64
	text   string
}

// search returns the lines of a file that match, at most one more than most, and how many
// lines were too long to be searched whole. For a binary file it returns errBinary, unless
// anyBytes is true.
func (x *lineExpression) search(ctx context.Context, in io.Reader, anyBytes bool, most int) (found []matchedLine, long int, err error) {
	lines := x.readers.Get().(*bufio.Reader)
	defer x.readers.Put(lines)
	lines.Reset(in)
	if !anyBytes && isBinary(lines) {
		return nil, 0, errBinary
	}
	for number := int64(1); len(found) <= most && err == nil; number++ {
		if err := ctx.Err(); err != nil {
			return found, long, err
		}
		var line []byte
		line, err = lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			line = line[:longestLine]
			long++
		}
		if match := x.match(line); match != nil && (err == nil || len(line) > 0) {
			found = append(found, matchedLine{number, x.shown(line, match)})
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = lines.ReadSlice('\n')
		}
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = ctx.Err()
	}
	return found, long, err
}

// match returns the beginning and the end of the first match in a line, or nil. $ also
// matches before \r\n.
func (x *lineExpression) match(line []byte) []int {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	match := x.re.FindIndex(line)
	if text, ok := bytes.CutSuffix(line, []byte{'\r'}); ok && match == nil {
		match = x.re.FindIndex(text)
	}
	return match
}

// shown returns a line with a match in the form to print. A line that is cut is masked before.
func (x *lineExpression) shown(line []byte, match []int) string {
	if len(line) > longMatch && x.hide != nil {
		if hidden := x.hide(string(line)); hidden != string(line) {
			line = []byte(hidden)
			if match = x.match(line); match == nil {
				match = []int{0, 0} // it was in a secret
			}
		}
	}
	return matchText(line, match[0], match[1])
}

// matchText returns a line, or the surroundings of the match if the line is long.
func matchText(line []byte, from, to int) string {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) <= longMatch {
		return string(line)
	}
	to = min(to, from+longMatch, len(line))
	start, end := max(0, from-around), min(len(line), to+around)
	for start > 0 && !utf8.RuneStart(line[start]) && from-start < around+utf8.UTFMax {
		start--
	}
	for end < len(line) && !utf8.RuneStart(line[end]) && end-to < around+utf8.UTFMax {
		end++
	}
	text := string(line[start:end])
	if start > 0 {
		text = "… " + text
	}
	if end < len(line) {
		text += " …"
	}
	return text
}

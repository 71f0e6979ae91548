package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"
)

const (
	// searchBlock is what is held of a file. A longer line is searched in
	// pieces of that length.
	searchBlock = 1 << 20

	longMatch = 500 // bytes; of a longer line the surroundings of the match are shown
	around    = 200
)

var errBinary = errors.New("it is a binary file")

// A matchedLine is a line that an expression matches, fit to be printed.
type matchedLine struct {
	number int64
	text   string
}

// search returns the lines of a file that match, at most one more than most.
// Binary files are not searched, unless any bytes are taken for text.
func (x *lineExpression) search(ctx context.Context, in io.Reader, anyBytes bool, most int) ([]matchedLine, error) {
	s := lineScan{x: x, number: 1, most: most}
	buffer, ok := x.blocks.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
		*buffer = make([]byte, searchBlock)
	}
	defer x.blocks.Put(buffer)
	block := (*buffer)[:0]
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return s.found, err
		}
		n, err := io.ReadFull(in, block[len(block):cap(block)])
		block = block[:len(block)+n]
		if first && !anyBytes && bytes.IndexByte(block[:min(len(block), sniffed)], 0) >= 0 {
			return nil, errBinary
		}
		last := err != nil
		rest := s.scan(block, last)
		if last || len(s.found) > most {
			return s.found, endOfFile(err)
		}
		block = block[:copy(block, rest)]
	}
}

func endOfFile(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// A lineScan looks for lines in one block after the other.
type lineScan struct {
	x      *lineExpression
	number int64 // of the line that the next block starts in
	most   int
	found  []matchedLine
}

// scan looks at the whole lines of a block, and returns the line that goes on
// in the next one. The last block, and one that is a part of one line, is
// looked at whole.
func (s *lineScan) scan(block []byte, last bool) (rest []byte) {
	end := len(block)
	if !last {
		if i := bytes.LastIndexByte(block, '\n'); i >= 0 {
			end = i + 1
		} else if len(block) < searchBlock {
			return block
		}
	}
	lines := block[:end]
	folded := s.x.literal.folded(lines)
	for len(lines) > 0 && len(s.found) <= s.most {
		at := s.x.find(lines, folded)
		if at == nil || at[0] == len(lines) && lines[len(lines)-1] == '\n' {
			break // the place after the last newline is no line
		}
		start := bytes.LastIndexByte(lines[:at[0]], '\n') + 1
		s.number += int64(bytes.Count(lines[:start], []byte{'\n'}))
		line := lines[start : start+lineEnd(lines[start:])]
		s.found = append(s.found, matchedLine{s.number, matchText(line, at[0]-start, at[1]-start)})
		s.number++
		next := start + len(line)
		lines, folded = lines[next:], folded[next:]
	}
	s.number += int64(bytes.Count(lines, []byte{'\n'}))
	return block[end:]
}

// matchText returns a line, or of a long one what is around the match.
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

package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"
)

const (
	// searchBlock is how many bytes of a file are in memory at once, and how many of a
	// longer line are searched.
	searchBlock = 1 << 20

	longMatch = 500 // bytes; of a longer line only the surroundings of the match are shown
	around    = 200
)

var errBinary = errors.New("it is a binary file")

// matchedLine is a line that an expression matches, in the form to print.
type matchedLine struct {
	number int64
	text   string
}

// search returns the lines of a file that match, at most one more than most, and how many
// lines were too long to be searched whole. For a binary file it returns errBinary, unless
// anyBytes is true.
func (x *lineExpression) search(ctx context.Context, in io.Reader, anyBytes bool, most int) (found []matchedLine, long int, err error) {
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
			return s.found, s.long, err
		}
		n, err := io.ReadFull(in, block[len(block):cap(block)])
		block = block[:len(block)+n]
		if first && !anyBytes && bytes.IndexByte(block[:min(len(block), sniffed)], 0) >= 0 {
			return nil, 0, errBinary
		}
		last := err != nil
		rest := s.scan(ctx, block, last)
		if last || len(s.found) > most {
			return s.found, s.long, endOfFile(err)
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

// lineScan searches the blocks of a file in turn.
type lineScan struct {
	x      *lineExpression
	number int64 // of the line in which the next block starts
	most   int
	found  []matchedLine
	long   int // how many lines were not searched whole

	within bool // the next block continues a line that filled this one
	filled bool // that line may have ended with this block
}

// scan searches the whole lines of a block, and returns the beginning of the next line. It
// searches all of the last block, and of one that a single line fills.
func (s *lineScan) scan(ctx context.Context, block []byte, last bool) (rest []byte) {
	block = s.afterLong(block)
	end := len(block)
	if !last {
		if i := bytes.LastIndexByte(block, '\n'); i >= 0 {
			end = i + 1
		} else if len(block) < searchBlock {
			return block
		}
	}
	first := s.number
	s.findIn(ctx, block[:end])
	if !last && block[end-1] != '\n' {
		s.within, s.filled = true, true
		s.number = first + 1
	}
	return block[end:]
}

// afterLong returns a block without the rest of a line that filled the last one.
func (s *lineScan) afterLong(block []byte) []byte {
	if !s.within || len(block) == 0 {
		return block
	}
	if s.filled && block[0] != '\n' {
		s.long++
	}
	end := lineEnd(block)
	s.filled, s.within = false, block[end-1] != '\n'
	return block[end:]
}

// findIn searches lines, and counts them.
func (s *lineScan) findIn(ctx context.Context, lines []byte) {
	folded := s.x.literal.folded(lines)
	for len(lines) > 0 && len(s.found) <= s.most && ctx.Err() == nil {
		at := bytes.Index(folded, s.x.literal.text)
		if at < 0 {
			break
		}
		start := bytes.LastIndexByte(lines[:at], '\n') + 1
		s.number += int64(bytes.Count(lines[:start], []byte{'\n'}))
		line := lines[start : start+lineEnd(lines[start:])]
		if match := s.x.match(ctx, line); match != nil {
			s.found = append(s.found, matchedLine{s.number, s.x.shown(ctx, line, match)})
		}
		s.number++
		next := start + len(line)
		lines, folded = lines[next:], folded[next:]
	}
	s.number += int64(bytes.Count(lines, []byte{'\n'}))
}

// shown returns a line with a match in the form to print. A line that is cut is masked before.
func (x *lineExpression) shown(ctx context.Context, line []byte, match []int) string {
	if len(line) > longMatch && x.hide != nil {
		if hidden := x.hide(string(line)); hidden != string(line) {
			line = []byte(hidden)
			if match = x.match(ctx, line); match == nil {
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

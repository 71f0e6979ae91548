package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/quantity"
	"github.com/a-seed-11b9befa/flow/tools"
)

const (
	// maxRead is how many bytes one call prints: much more than a model is shown, and
	// much less than fits on a disk.
	maxRead = 64 << 20

	readBuffer  = 64 << 10 // at most
	writeBuffer = 4 << 10  // so that an output does not get lines one by one
	sniffed     = 8 << 10  // bytes at the beginning in which a NUL makes a file binary
)

type readArguments struct {
	FilePath string `json:"filePath"`
	Offset   int64  `json:"offset"`
	Limit    int64  `json:"limit"` // 0: all
}

func (w *Workspace) read(ctx context.Context, a readArguments, out *tools.Output) (tools.Result, error) {
	f, err := w.openFile(a.FilePath)
	if err != nil {
		return tools.Fail(err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, int(min(max(f.info.Size()+1, sniffed), readBuffer)))
	// The whole output of a command is shown even if it is binary.
	if isBinary(in) && !w.extra(f.path) {
		return tools.Fail(fmt.Errorf("%q is a binary file", a.FilePath))
	}
	to := bufio.NewWriterSize(out, writeBuffer)
	n := numbered{out: to, offset: a.Offset, limit: a.Limit}
	if err := errors.Join(n.copy(ctx, in), to.Flush()); err != nil {
		return tools.Result{}, fmt.Errorf("%q: %w", a.FilePath, paths.Cause(err))
	}
	return n.result(), nil
}

// isBinary reports whether there is a NUL near the beginning. It consumes nothing.
func isBinary(in *bufio.Reader) bool {
	start, _ := in.Peek(sniffed)
	return bytes.IndexByte(start, 0) >= 0
}

// numbered prints lines with their numbers.
type numbered struct {
	out           io.Writer
	offset, limit int64

	line    int64 // the current line; the first is 0
	inside  bool  // only a part of the line was read
	printed int64 // bytes
	more    bool  // the file goes on after what was printed
}

// copy prints the lines from offset on. It keeps at most the reader's buffer in memory,
// however long a line is.
func (n *numbered) copy(ctx context.Context, in *bufio.Reader) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := in.ReadSlice('\n')
		if len(part) > 0 && (n.limit > 0 && n.line-n.offset >= n.limit || n.printed >= maxRead) {
			n.more = true
			return nil
		}
		if n.line >= n.offset && len(part) > 0 {
			if err := n.print(part); err != nil {
				return err
			}
		}
		switch {
		case err == nil:
			n.inside = false
			n.line++
		case errors.Is(err, bufio.ErrBufferFull):
			n.inside = true
		case errors.Is(err, io.EOF):
			n.inside = n.inside || len(part) > 0
			return nil
		default:
			return err
		}
	}
}

func (n *numbered) print(part []byte) error {
	if !n.inside {
		fmt.Fprintf(n.out, "%05d| ", n.line+1)
	}
	if text, ok := bytes.CutSuffix(part, []byte("\r\n")); ok {
		part = append(text, '\n') // overwrites bytes of the reader that are no longer needed
	}
	written, err := n.out.Write(part)
	n.printed += int64(written)
	return err
}

// result returns a note about what was not printed.
func (n *numbered) result() tools.Result {
	total := n.line
	if n.inside { // the last line has no newline
		total++
	}
	switch {
	case n.more && n.inside:
		return tools.Result{Note: fmt.Sprintf("Stopped in line %d after %d MiB.", n.line+1, maxRead>>20)}
	case n.more:
		return tools.Result{Note: fmt.Sprintf("The file goes on; offset %d is the next line.", n.line)}
	case n.offset > 0 && n.offset >= total:
		return tools.Result{Failed: true, Note: fmt.Sprintf("offset %d is past the end: the file has %s, and the first is 0", n.offset, quantity.Count(total, "line"))}
	case total == 0:
		return tools.Result{Note: "The file is empty."}
	}
	return tools.Result{}
}

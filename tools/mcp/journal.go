package mcp

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/tools"
)

const (
	maxLogged = 4 << 20  // bytes in the file
	maxTail   = 64 << 10 // bytes of the end that are remembered, of which the beginning may be a part of a secret
	maxWords  = 2 << 10  // bytes of the end that are reported
	lastLines = 5        // lines of the end that are reported
)

// journal keeps the standard error of a server: the beginning in a file, and the end in
// memory. What came before the file could be opened is in the file as far as it was remembered.
type journal struct {
	mu   sync.Mutex
	open func() (io.WriteCloser, error) // nil: nothing is written to a file any more
	file io.WriteCloser
	left int // how many bytes may still be written to the file
	tail []byte
}

// Write never fails: a full disk is no reason to end the server.
func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tail = append(j.tail, p...)
	j.tail = j.tail[max(0, len(j.tail)-maxTail):]
	j.keep(p)
	return len(p), nil
}

// keep writes what has come to the file, if that can be opened by now.
func (j *journal) keep(p []byte) {
	if j.open == nil {
		return
	}
	if j.file == nil {
		file, err := j.open()
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				j.open = nil
			}
			return
		}
		j.file, j.left = file, maxLogged
		if p = j.tail; len(p) == maxTail {
			_, p, _ = bytes.Cut(p, []byte("\n")) // the first line may begin within a secret, which the file would show
		}
	}
	n := min(len(p), j.left)
	_, err := j.file.Write(p[:n])
	if j.left -= n; j.left == 0 && err == nil {
		_, err = io.WriteString(j.file, "\n… the rest is not kept\n")
	}
	if err != nil || j.left == 0 {
		j.open = nil
	}
}

// close writes the rest, and closes the file.
func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil && len(j.tail) > 0 {
		j.keep(nil)
	}
	j.open = nil
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}

// lastWords returns the last lines that the server printed, as the end of a sentence.
func (j *journal) lastWords(mask *tools.Mask) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := strings.TrimSpace(mask.String(string(j.tail)))
	if text == "" {
		return ""
	}
	all := strings.Split(text, "\n")
	text = strings.Join(all[max(0, len(all)-lastLines):], "\n")
	text = strings.ToValidUTF8(text[max(0, len(text)-maxWords):], "")
	return "; its last output:\n" + shown(nil, text, len(text))
}

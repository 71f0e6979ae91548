package mcp

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/tools"
)

const (
	mostLogged = 4 << 20  // bytes in the file
	mostEarly  = 64 << 10 // bytes in memory until the file can be opened
	mostTail   = 64 << 10 // bytes of the end that are remembered, of which the beginning may be a part of a secret
	mostWords  = 2 << 10  // bytes of the end that are reported
	lastLines  = 5        // lines of the end that are reported
)

// journal keeps the standard error of a server: the beginning in a file, and the end in
// memory.
type journal struct {
	open func() (io.WriteCloser, error) // nil is no file

	mu    sync.Mutex
	early []byte // not written yet
	file  io.WriteCloser
	left  int // how many bytes may still be written to the file
	lost  bool
	tail  []byte
}

// copy reads r until its end.
func (j *journal) copy(r io.Reader) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := r.Read(buffer)
		j.add(buffer[:n])
		if err != nil {
			return
		}
	}
}

func (j *journal) add(p []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tail = append(j.tail, p...)
	if n := len(j.tail) - mostTail; n > 0 {
		j.tail = append(j.tail[:0], j.tail[n:]...)
	}
	if j.open == nil || j.lost {
		return
	}
	if j.file == nil {
		j.early = append(j.early, p[:min(len(p), mostEarly-len(j.early))]...)
		j.begin()
		return
	}
	j.write(p)
}

// begin opens the file if that is possible by now, and writes what has come so far.
func (j *journal) begin() {
	file, err := j.open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		j.lost, j.early = true, nil
		return
	}
	j.file, j.left = file, mostLogged
	j.write(j.early)
	j.early = nil
}

func (j *journal) write(p []byte) {
	if j.left <= 0 || len(p) == 0 {
		return
	}
	n := min(len(p), j.left)
	_, err := j.file.Write(p[:n])
	if j.left -= n; j.left == 0 && err == nil {
		_, err = io.WriteString(j.file, "\n… the rest is not kept\n")
	}
	if err != nil {
		j.left, j.lost = 0, true // a full disk is no reason to end the server
	}
}

// close writes the rest, and closes the file.
func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.open != nil && !j.lost && j.file == nil && len(j.early) > 0 {
		j.begin()
	}
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file, j.lost = nil, true
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
	text = strings.ToValidUTF8(text[max(0, len(text)-mostWords):], "")
	return "; its last output:\n" + shown(nil, text, len(text))
}

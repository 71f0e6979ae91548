package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	mostMessage  = 8 << 20         // bytes of one message; decoded it may take twenty times as much
	mostJunk     = 1000            // lines that are no message
	mostRequests = 64              // of the server's that are not answered yet
	writeTime    = 5 * time.Second // for a message to be taken
)

// The ends of a connection that the server is to blame for.
var (
	errTooLong  = fmt.Errorf("it sent a message of more than %d MiB", mostMessage>>20)
	errTooMuch  = fmt.Errorf("it printed more than %d lines that are no message", mostJunk)
	errAsksMore = fmt.Errorf("it sent more than %d requests before one was answered", mostRequests)
	errDeaf     = fmt.Errorf("it does not read what it is sent")
)

// lines is a connection by messages on lines. Unlike the SDK's own it is
// forgiving with lines that are no message, which servers print by mistake, and
// drops at once what no one here listens to.
type lines struct {
	in   *os.File
	out  *os.File
	junk func(line string) // told of each line that is no message

	reader   *bufio.Reader
	junked   int
	requests atomic.Int64 // of the server's, not answered

	write sync.Mutex
	once  sync.Once
}

// Connect makes it a connection: it is connected from the start.
func (c *lines) Connect(context.Context) (sdk.Connection, error) {
	c.reader = bufio.NewReaderSize(c.in, 64<<10)
	return c, nil
}

// SessionID is for other transports.
func (c *lines) SessionID() string { return "" }

// Close closes both ends. A read that waits returns.
func (c *lines) Close() error {
	c.once.Do(func() {
		c.in.Close()
		c.out.Close()
	})
	return nil
}

// Read returns the next message that is of interest here.
func (c *lines) Read(context.Context) (jsonrpc.Message, error) {
	for {
		line, err := c.line()
		if err != nil && len(line) == 0 {
			return nil, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 || unheard(line) {
			continue
		}
		message, err := jsonrpc.DecodeMessage(line)
		if err != nil {
			if c.junked++; c.junked > mostJunk {
				return nil, errTooMuch
			}
			c.junk(string(line[:min(len(line), 1000)]))
			continue
		}
		wanted, err := c.wanted(message)
		if err != nil || wanted {
			return message, err
		}
	}
}

// unheard reports whether a line is surely a notification that nobody here
// listens to. Servers send many of them, and it costs little to find out.
func unheard(line []byte) bool {
	return line[0] == '{' && bytes.Contains(line, []byte(`"method"`)) &&
		!bytes.Contains(line, []byte(`"id"`)) && !bytes.Contains(line, []byte("list_changed"))
}

// line reads one line. It holds no more of it than a message may have.
func (c *lines) line() ([]byte, error) {
	var line []byte
	for {
		part, err := c.reader.ReadSlice('\n')
		if len(line)+len(part) > mostMessage {
			return nil, errTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, os.ErrClosed) {
				err = io.EOF
			}
			return line, err
		}
	}
}

// wanted reports whether a message is for anybody: answers, requests, and of
// the notifications the one that tools have changed.
func (c *lines) wanted(message jsonrpc.Message) (bool, error) {
	request, ok := message.(*jsonrpc.Request)
	switch {
	case !ok:
		return true, nil
	case !request.IsCall():
		return request.Method == "notifications/tools/list_changed", nil
	case c.requests.Add(1) > mostRequests:
		return false, errAsksMore
	}
	return true, nil
}

// Write sends a message, whole or not at all: where only a part of it is taken,
// the connection ends.
func (c *lines) Write(_ context.Context, message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	if _, answer := message.(*jsonrpc.Response); answer {
		defer c.requests.Add(-1)
	}
	c.write.Lock()
	defer c.write.Unlock()
	_ = c.out.SetWriteDeadline(time.Now().Add(writeTime)) // where the system has none, the write waits for the end of the server
	_, err = c.out.Write(append(data, '\n'))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.Close()
		return errDeaf
	case err != nil:
		c.Close()
		return io.EOF // the server has closed its end
	}
	return nil
}

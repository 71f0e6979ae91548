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
	maxMessage  = 8 << 20         // bytes of one message; in memory it may take twenty times as many
	maxJunk     = 1000            // lines that are not messages
	maxRequests = 64              // unanswered requests of the server
	writeTime   = 5 * time.Second // for the server to read a message
)

// Errors of the server that end a connection.
var (
	errTooLong         = fmt.Errorf("it sent a message of more than %d MiB", maxMessage>>20)
	errTooMuch         = fmt.Errorf("it printed more than %d lines that are no message", maxJunk)
	errTooManyRequests = fmt.Errorf("it sent more than %d requests before one was answered", maxRequests)
	errDeaf            = fmt.Errorf("it does not read what it is sent")
)

// lines is a connection with one message per line. Unlike the SDK's own it ignores lines that
// are not messages, which servers print by mistake, and drops at once notifications that
// nobody here listens to.
type lines struct {
	in   *os.File
	out  *os.File
	junk func(line string) // called with each line that is not a message

	read     *bufio.Scanner
	junked   int
	requests atomic.Int64 // unanswered requests of the server

	write sync.Mutex
	once  sync.Once
}

// Connect returns the connection itself.
func (c *lines) Connect(context.Context) (sdk.Connection, error) {
	c.read = bufio.NewScanner(c.in)
	c.read.Buffer(nil, maxMessage)
	return c, nil
}

// SessionID returns "": only other transports have sessions.
func (c *lines) SessionID() string { return "" }

// Close closes both ends. A waiting read returns.
func (c *lines) Close() error {
	c.once.Do(func() {
		c.in.Close()
		c.out.Close()
	})
	return nil
}

// Read returns the next message that is wanted.
func (c *lines) Read(context.Context) (jsonrpc.Message, error) {
	for c.read.Scan() {
		line := bytes.TrimSpace(bytes.Clone(c.read.Bytes()))
		if len(line) == 0 {
			continue
		}
		message, err := jsonrpc.DecodeMessage(line)
		if err != nil {
			if c.junked++; c.junked > maxJunk {
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
	switch err := c.read.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, errTooLong
	case err != nil && !errors.Is(err, os.ErrClosed):
		return nil, err
	}
	return nil, io.EOF
}

// wanted reports whether somebody here listens to a message: responses, requests, and the
// notification that tools have changed.
func (c *lines) wanted(message jsonrpc.Message) (bool, error) {
	request, ok := message.(*jsonrpc.Request)
	switch {
	case !ok:
		return true, nil
	case !request.IsCall():
		return request.Method == "notifications/tools/list_changed", nil
	case c.requests.Add(1) > maxRequests:
		return false, errTooManyRequests
	}
	return true, nil
}

// Write sends a message. If it can't write the whole message, it closes the connection.
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
	_ = c.out.SetWriteDeadline(time.Now().Add(writeTime)) // a system without deadlines waits until the server ends
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

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// answer runs a call of a tool.
func answer(c call) (string, error) {
	var a struct {
		FilePath string
		Offset   int
		Command  string
	}
	if err := json.Unmarshal([]byte(c.Function.Arguments), &a); err != nil {
		return "", err
	}
	switch c.Function.Name {
	case "read":
		return readFile(a.FilePath, a.Offset)
	case "bash":
		return command(a.Command)
	}
	return "", fmt.Errorf("there is no tool %q", c.Function.Name)
}

func readFile(path string, offset int) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	lines := strings.SplitAfter(string(data), "\n")
	return strings.Join(lines[min(offset, len(lines)):], ""), nil
}

// command keeps the output of a script in a file, and returns its ends.
func command(script string) (string, error) {
	file, err := os.CreateTemp(".", "output-")
	if err != nil {
		return "", err
	}
	ends := &twoEnds{to: file}
	err = bash(script, ends)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return string(ends.head) + "\n…\n" + string(ends.tail), err
}

// twoEnds passes on what is written, and keeps its first and last 25 KiB.
type twoEnds struct {
	to         io.Writer
	head, tail []byte
}

const oneEnd = 25 << 10

func (t *twoEnds) Write(p []byte) (int, error) {
	if room := oneEnd - len(t.head); room > 0 {
		t.head = append(t.head, p[:min(room, len(p))]...)
	}
	last := p[max(0, len(p)-oneEnd):]
	t.tail = append(t.tail, last...)
	t.tail = t.tail[max(0, len(t.tail)-oneEnd):]
	return t.to.Write(p)
}

// bash runs a script as a step would.
func bash(script string, out io.Writer) error {
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Stdout, cmd.Stderr = out, out
	return cmd.Run()
}

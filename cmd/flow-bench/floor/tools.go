package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
)

// readFile is the tool read.
func readFile(arguments string) (string, error) {
	var a struct {
		FilePath string
		Offset   int
	}
	if err := json.Unmarshal([]byte(arguments), &a); err != nil {
		return "", err
	}
	data, err := os.ReadFile(a.FilePath)
	if err != nil {
		return "", err
	}
	lines := strings.SplitAfter(string(data), "\n")
	return strings.Join(lines[min(a.Offset, len(lines)):], ""), nil
}

// sleep is a command that prints nothing.
func sleep(string) (string, error) { return "", bash("sleep 0.1", nil) }

// script is a command whose output is kept in a file, and its ends sent.
func script(string) (string, error) {
	file, err := os.Create("output.txt")
	if err != nil {
		return "", err
	}
	ends := &twoEnds{to: file}
	err = bash("sh print.sh", ends)
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
	if out == nil {
		out = &bytes.Buffer{}
	}
	cmd.Stdout, cmd.Stderr = out, out
	return cmd.Run()
}

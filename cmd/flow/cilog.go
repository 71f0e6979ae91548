package main

import (
	"io"
	"os"
)

// inLog reports whether standard output may be the log of a job in a CI system
// that takes commands from there. A pipe may lead to another program as well: that
// can't be told.
func (p *program) inLog() bool {
	file, ok := p.stdout.(*os.File)
	if ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return false
		}
	}
	return p.env("GITHUB_ACTIONS") != "" || p.env("TF_BUILD") != "" || p.env("TEAMCITY_VERSION") != ""
}

// jsonOutput is standard output for JSON: in a job's log none of its strings is a
// command, and all of them mean the same.
func (p *program) jsonOutput() io.Writer {
	if p.inLog() {
		return &unarmedJSON{to: p.stdout}
	}
	return p.stdout
}

// An unarmedJSON writes JSON with the bracket of "##[", with or without a name
// before it, as an escape. No line of JSON starts with the other commands' "::".
type unarmedJSON struct {
	to     io.Writer
	hashes int  // that were written last
	named  bool // letters followed them
}

// Write writes a part of a JSON text.
func (u *unarmedJSON) Write(p []byte) (int, error) {
	out := make([]byte, 0, len(p))
	for _, c := range p {
		if c == '[' && u.hashes >= 2 {
			out = append(out, `\u005b`...)
		} else {
			out = append(out, c)
		}
		u.follow(c)
	}
	if _, err := u.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// follow notes what a bracket would come after.
func (u *unarmedJSON) follow(c byte) {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	switch {
	case c == '#' && !u.named:
		u.hashes++
	case c == '#':
		u.hashes, u.named = 1, false
	case letter && u.hashes >= 2:
		u.named = true
	default:
		u.hashes, u.named = 0, false
	}
}

package permission

import (
	"errors"
	"fmt"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// decideFile judges a call of a file tool.
func (p *Policy) decideFile(call Call, dir string) Decision {
	path, err := pathArgument(call)
	if err != nil {
		return refused(err.Error())
	}
	at, err := p.roots.ResolveTilde(dir, path)
	if err != nil {
		return refused(fmt.Sprintf("%s %q: %s", call.Tool, path, err))
	}
	d := p.judgeFile(call.Tool, path, at)
	d.Reason = fmt.Sprintf("%s %q: %s", call.Tool, path, d.Reason)
	d.Path = at.Canonical
	return d
}

// pathArgument returns the path that a file tool is to work on.
func pathArgument(call Call) (string, error) {
	args, err := arguments(call.Input, "filePath", "path")
	if err != nil {
		return "", err
	}
	for name, path := range args {
		switch {
		case len(args) > 1:
			return "", errors.New("both filePath and path are given")
		case path == "":
			return "", fmt.Errorf("%s is empty", name)
		}
		return path, nil
	}
	if looksThrough(call.Tool) {
		return ".", nil
	}
	return "", errors.New("no path is given")
}

// looksThrough reports whether a tool goes through directories.
func looksThrough(tool string) bool {
	return tool != "read" && known.RuledBy(tool) == "read"
}

// judgeFile decides about a file tool's call for a resolved path.
func (p *Policy) judgeFile(tool, path string, at place.Path) Decision {
	through := looksThrough(tool) && (at.Info == nil || at.IsDir())
	why := ""
	if known.RuledBy(tool) == "write" {
		why = p.whyNotWritten(path, at)
	} else if !through {
		why = place.Unopenable(at)
	}
	switch {
	case why != "":
		return refused(why)
	case (tool == "read" || tool == "grep") && p.isReadable(at):
		return allowed("it is in a folder that may always be read")
	}
	return p.each(func(d *domain) Decision {
		set := d.paths(tool)
		if through {
			return set.judgeDir(at).cap(set.cap)
		}
		f := set.judge(at).cap(set.cap)
		if tool == "write" || set.key != "write" || f.Verdict == Deny {
			return f
		}
		// To change a part of a file is to find out what is in it.
		if r := d.read.judge(at).cap(d.read.cap); r.stricter(f) {
			r.Reason = "it has to be read for that: " + r.Reason
			return r
		}
		return f
	})
}

// isReadable reports whether a place is in one of Config.Readable.
func (p *Policy) isReadable(at place.Path) bool {
	return paths.AnyHolds(p.readable, at.Canonical)
}

// Readable reports whether a file that glob, grep or list found may be read. A relative
// path starts where those of calls do. A directory or a device may not.
func (p *Policy) Readable(path string) bool { return p.Reads(path).Verdict == Allow }

// Reads judges the reading of a file without a call of a tool, such as by an expression.
// A relative path starts where those of calls do.
func (p *Policy) Reads(path string) Decision {
	at, err := p.roots.Resolve(p.roots.Start(), path)
	if err != nil {
		return refused(err.Error())
	}
	return p.judgeFile("read", path, at)
}

package place

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// isPlainDevice reports whether a path below /dev is harmless to read. What else
// the kernel offers as files may hold the memory, the environment or the open
// files of a process.
func isPlainDevice(path string) bool {
	switch path {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/random", "/dev/urandom":
		return true
	}
	number, ok := strings.CutPrefix(path, "/dev/fd/")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// MayBeKernel reports whether a path that is not known whole may become one of
// the kernel's. Where its beginning is not known, the names of the files that
// tell most of a process decide.
func MayBeKernel(path []pattern.Atom) bool {
	anything := []pattern.Atom{{Wild: pattern.Text}}
	if len(path) > 0 && path[0].Wild == pattern.Text {
		for _, name := range []string{"/environ", "/mem"} {
			if pattern.Overlap(path, append(append(pattern.Literals("/proc/"), anything...), pattern.Literals(name)...)) {
				return true
			}
		}
		return false
	}
	for _, dir := range []string{"/proc", "/sys"} {
		if pattern.Overlap(path, pattern.Literals(dir)) || pattern.Overlap(path, append(pattern.Literals(dir+"/"), anything...)) {
			return true
		}
	}
	return pattern.Overlap(path, append(pattern.Literals("/dev/fd/"), anything...))
}

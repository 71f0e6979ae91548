package permission

import (
	"io/fs"
	"syscall"
)

// hardLinks returns the number of names that a file has.
func hardLinks(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}

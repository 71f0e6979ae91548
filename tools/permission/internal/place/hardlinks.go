package place

import (
	"io/fs"
	"syscall"
)

// HardLinks returns the number of names that a file has.
func HardLinks(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}

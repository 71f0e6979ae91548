package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// swap is the program swap of the scripts: a link to a target takes the place of a
// folder or a file, and it the link's, at once and without end.
//
//	swap PATH TARGET
func swap() {
	path, link := os.Args[1], os.Args[1]+".link"
	if err := os.Symlink(os.Args[2], link); err != nil {
		panic(err)
	}
	for {
		if err := unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil && err != unix.ENOENT {
			panic(err)
		}
	}
}

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"
)

// grep searches a tree: by ripgrep where it is installed, else file by file,
// whole, on every processor.
func grep(pattern, folder string) error {
	if program, err := exec.LookPath("rg"); err == nil {
		cmd := exec.Command(program, "--no-config", pattern, folder)
		cmd.Stderr = os.Stderr
		return cmd.Run()
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	var (
		wait  sync.WaitGroup
		paths = make(chan string, 256)
		found atomic.Int64
	)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for path := range paths {
				found.Add(int64(matches(expression, path)))
			}
		})
	}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			paths <- path
		}
		return nil
	})
	close(paths)
	wait.Wait()
	fmt.Println(found.Load(), "lines")
	return err
}

func matches(expression *regexp.Regexp, path string) int {
	data, err := os.ReadFile(path)
	if err != nil || bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 {
		return 0
	}
	return len(expression.FindAllIndex(data, -1))
}

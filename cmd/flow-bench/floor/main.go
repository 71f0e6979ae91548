// The program floor does what flow is measured by, with the standard library
// and nothing else: no checks, no policy, no events, and no record unless it is to
// keep one.
//
//	floor chat MODEL NUMBER PARALLEL
//	floor keep MODEL NUMBER PARALLEL
//	floor bash SCRIPT NUMBER PARALLEL
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return errors.New("what is to be done, by which model or script, how often, and how often at once?")
	}
	n, badNumber := strconv.Atoi(args[2])
	parallel, badParallel := strconv.Atoi(args[3])
	if err := errors.Join(badNumber, badParallel); err != nil {
		return err
	}
	switch what := args[1]; args[0] {
	case "chat":
		return side(n, parallel, func(int) error { return chat(what) })
	case "keep":
		return side(n, parallel, func(i int) error { return keep(what, strconv.Itoa(i)) })
	case "bash":
		return side(n, parallel, func(int) error { return bash(what, new(bytes.Buffer)) })
	}
	return fmt.Errorf("%q is nothing that can be done", args[0])
}

// side runs n pieces of work, at most so many at once.
func side(n, parallel int, work func(int) error) error {
	var (
		wait  sync.WaitGroup
		slots = make(chan struct{}, parallel)
		errs  = make([]error, n)
	)
	for i := range n {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			errs[i] = work(i)
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

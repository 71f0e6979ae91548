// The program floor does what flow is measured by, with the standard library
// and nothing else: no checks, no policy, no events, and no record unless it is to
// keep one.
//
//	floor chat MODEL CONVERSATIONS PARALLEL
//	floor keep MODEL CONVERSATIONS PARALLEL
//	floor sleeps TURNS
//	floor print SCRIPT
//	floor commands NUMBER PARALLEL
//	floor grep PATTERN FOLDER
package main

import (
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
	if len(args) < 2 {
		return fmt.Errorf("what is to be done?")
	}
	switch args[0] {
	case "chat":
		return side(number(args, 2), number(args, 3), func(int) error { return chat(args[1], readFile) })
	case "keep":
		return side(number(args, 2), number(args, 3), func(i int) error { return keep(args[1], strconv.Itoa(i)) })
	case "sleeps":
		return chat("sleep-"+args[1], sleep)
	case "print":
		return chat("print-2", script)
	case "commands":
		return side(number(args, 1), number(args, 2), func(int) error { return bash("true", nil) })
	case "grep":
		return grep(args[1], args[2])
	}
	return fmt.Errorf("%q is nothing that can be done", args[0])
}

func number(args []string, i int) int {
	if i >= len(args) {
		return 1
	}
	n, err := strconv.Atoi(args[i])
	if err != nil {
		return 1
	}
	return n
}

// side runs n pieces of work, at most so many at once.
func side(n, parallel int, work func(int) error) error {
	var (
		wait  sync.WaitGroup
		slots = make(chan struct{}, max(parallel, 1))
		errs  = make(chan error, n)
	)
	for i := range n {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			errs <- work(i)
		})
	}
	wait.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

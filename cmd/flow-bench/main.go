// The program flow-bench measures what a run of flow costs besides its model:
// whole programs, against a model service of its own on loopback that answers at
// once, and beside each the floor, which is the least Go program that does the
// same work (the folder floor). Both take turns in one run, so what else the
// machine does reaches both.
//
//	go run ./cmd/flow-bench                    # the table
//	go run ./cmd/flow-bench -only grep -runs 9
//	go run ./cmd/flow-bench -out new.txt       # for benchstat old.txt new.txt
//
// Medians count. A figure above its target is marked; it fails nothing, since a
// time on somebody's machine proves nothing. Only Linux reports the peak memory of
// a program in a way that can be compared.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "flow-bench:", err)
		os.Exit(1)
	}
}

// settings are what the command line says.
type settings struct {
	flow string // the program; built from this module when it is ""
	only *regexp.Regexp
	runs int
	out  string
	tree string // for grep
	sizes
}

func run(ctx context.Context) error {
	s, err := parseFlags()
	if err != nil {
		return err
	}
	return s.run(ctx, os.Stdout)
}

// run measures and prints the table, row by row.
func (s settings) run(ctx context.Context, to io.Writer) error {
	dir, err := os.MkdirTemp("", "flow-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := newBench(ctx, s, dir)
	if err != nil {
		return err
	}
	defer b.close()
	fmt.Fprint(to, head())
	for _, c := range cases(s.tree, s.sizes) {
		if !s.only.MatchString(c.name) {
			continue
		}
		if s.shrink > 1 {
			c = c.withoutTargets()
		}
		m, err := b.measure(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprint(to, m.row())
		if err := m.appendTo(s.out); err != nil {
			return err
		}
	}
	return nil
}

func parseFlags() (settings, error) {
	var s settings
	only := flag.String("only", "", "measure what this regular expression matches")
	flag.StringVar(&s.flow, "flow", "", "the program to measure; built when it is not given")
	flag.IntVar(&s.runs, "runs", 5, "how often each is run; the median counts")
	flag.StringVar(&s.out, "out", "", "a file that the figures are added to, for benchstat")
	flag.StringVar(&s.tree, "tree", defaultTree(), "the folder that is searched by grep")
	flag.IntVar(&s.shrink, "shrink", 1, "divide all sizes by this, for a quick look")
	flag.Parse()
	var err error
	if s.only, err = regexp.Compile(*only); err != nil {
		return s, fmt.Errorf("-only: %w", err)
	}
	s.runs = max(s.runs, 1)
	return s, nil
}

// defaultTree is the largest tree of sources that a Go developer has.
func defaultTree() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, "go", "pkg", "mod")
}

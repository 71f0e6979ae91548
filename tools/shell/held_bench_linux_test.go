package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// BenchmarkLevels is what a command costs at each level, in a workspace of 100,000
// files, with caches at home. The levels take turns, so that they are compared on a
// machine that does something else, too; what is told are medians, in milliseconds, and
// the mean of what all processes have worked for it.
func BenchmarkLevels(b *testing.B) {
	root, home := realDir(b), realDir(b)
	for i := range 1000 {
		dir := filepath.Join(root, fmt.Sprint(i))
		must(b, os.Mkdir(dir, 0o755))
		for j := range 100 {
			must(b, os.WriteFile(filepath.Join(dir, fmt.Sprint(j)), nil, 0o644))
		}
	}
	for _, cache := range []string{".cache", ".npm", ".m2", ".cargo", "go/pkg"} {
		must(b, os.MkdirAll(filepath.Join(home, cache), 0o755))
	}
	lookup := func(name string) (string, bool) { return "", false }
	commands, err := held.Open(held.Options{Home: home, Lookup: lookup})
	if err != nil {
		b.Skip(err)
	}
	defer commands.Close()
	space, err := commands.Space(spaceOptions(root))
	if err != nil {
		b.Skip(err)
	}
	levels := []struct {
		name    string
		sandbox *Sandbox
		reads   bool
		took    []time.Duration
		worked  time.Duration
	}{{name: "none"}, {name: "landlock", sandbox: &Sandbox{Write: []string{root}}}, {name: "held", sandbox: &Sandbox{Hold: holdIn(space)}},
		{name: "held-reading", sandbox: &Sandbox{Hold: holdIn(space)}, reads: true}}
	if Sandboxes() != nil {
		b.Skip(Sandboxes())
	}
	ReapOrphans() // as flow does; else all processes are looked at after each command
	for b.Loop() {
		for i := range levels {
			start, worked := time.Now(), processorTime()
			c := Command{Args: []string{"true"}, Dir: root, Sandbox: levels[i].sandbox, Untrusted: true, call: held.Call{ReadOnly: levels[i].reads}}
			exit, view, err := c.run(context.Background())
			if err == nil && view != nil {
				_, err = view.Land(c.Sandbox.Hold.Judge(context.Background()), false)
				view.Close()
			}
			if err != nil || exit.Code != 0 {
				b.Fatal(exit, err)
			}
			levels[i].took = append(levels[i].took, time.Since(start))
			levels[i].worked += processorTime() - worked
		}
	}
	for _, level := range levels {
		slices.Sort(level.took)
		b.ReportMetric(float64(level.took[len(level.took)/2])/1e6, level.name+"-ms")
		b.ReportMetric(float64(level.worked)/float64(len(level.took))/1e6, level.name+"-cpu-ms")
	}
}

// processorTime is what this process and those that it has waited for have used.
func processorTime() (all time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var used unix.Rusage
		if unix.Getrusage(who, &used) == nil {
			all += time.Duration(used.Utime.Nano() + used.Stime.Nano())
		}
	}
	return all
}

func realDir(b *testing.B) string {
	b.Helper()
	dir, err := filepath.EvalSymlinks(b.TempDir())
	must(b, err)
	return dir
}

func spaceOptions(root string) held.SpaceOptions {
	return held.SpaceOptions{Root: root, Hidden: func(path string, _ bool) bool { return filepath.Base(path) == ".env" }}
}

func holdIn(space *held.Space) *Hold {
	return &Hold{
		Space: func() (*held.Space, error) { return space, nil },
		Judge: func(context.Context) held.Judge { return func(held.Change) (bool, string) { return true, "" } },
	}
}

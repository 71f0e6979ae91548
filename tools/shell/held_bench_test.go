package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

func TestMain(m *testing.M) {
	held.Main()
	os.Exit(m.Run())
}

// BenchmarkLevels is what a command costs at each level, in a workspace of 100,000
// files.
func BenchmarkLevels(b *testing.B) {
	root, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for i := range 1000 {
		dir := filepath.Join(root, fmt.Sprint(i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range 100 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(j)), nil, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	run := func(sandbox *Sandbox) func(b *testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				c := Command{Args: []string{"true"}, Dir: root, Sandbox: sandbox, Untrusted: true}
				if exit, err := Run(context.Background(), c); err != nil || exit.Code != 0 {
					b.Fatal(exit, err)
				}
			}
		}
	}
	b.Run("none", run(nil))
	if Sandboxes() == nil {
		b.Run("landlock", run(&Sandbox{Write: []string{root}}))
	}
	commands, err := held.Open(held.Options{Home: os.Getenv("HOME"), Lookup: os.LookupEnv})
	if err != nil {
		b.Skip(err)
	}
	defer commands.Close()
	space, err := commands.Space(spaceOptions(root))
	if err != nil {
		b.Skip(err)
	}
	b.Run("held", run(&Sandbox{Hold: holdIn(space)}))
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

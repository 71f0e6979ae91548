package shell

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestKilledProgramLeavesNoCommand runs a program that runs a command, and
// kills the program with the signal that nobody can catch. The command holds a
// named pipe open, which is closed when it has ended.
func TestKilledProgramLeavesNoCommand(t *testing.T) {
	if fifo := os.Getenv("SHELL_TEST_FIFO"); fifo != "" {
		_, err := Run(context.Background(), Command{
			Script: `exec sleep 100 3>"$FIFO"`, Env: append(Environment(nil, os.LookupEnv), "FIFO="+fifo),
		})
		t.Fatalf("the command ended: %v", err)
	}
	fifo := filepath.Join(t.TempDir(), "held")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	program := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	program.Env = append(os.Environ(), "SHELL_TEST_FIFO="+fifo)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(fifo) // returns once the command has it open
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err == nil {
		t.Error("the program was not killed")
	}
	if _, err := held.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the command goes on: %v", err)
	}
}

package process

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
)

// The main thread stands for the process in the kernel's eyes: what it gave up, the
// process would have given up, and a sandboxed program would be its equal.
func TestSpoiledThreadIsNeverTheMainOne(t *testing.T) {
	var waiting sync.WaitGroup
	done := make(chan struct{})
	main := make(chan error)
	seek := func() { // holds its thread, so that the next one gets another
		defer waiting.Done()
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if onMainThread() {
			err := spoilFromHere(t)
			select {
			case main <- err:
			case <-done: // another one was here, and was enough
			}
		}
		<-done
	}
	var err error
	for found := false; !found; {
		waiting.Add(1)
		go seek()
		select {
		case err = <-main:
			found = true
		default:
			runtime.Gosched()
		}
	}
	close(done)
	waiting.Wait()
	if err != nil {
		t.Fatal(err)
	}
}

// spoilFromHere runs a group whose goroutine is on the thread of the caller.
func spoilFromHere(t *testing.T) error {
	cmd := exec.Command("true")
	g := &Group{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error, 1)
	g.run(Options{Spoils: true, Start: func() error {
		if syscall.Gettid() == syscall.Getpid() {
			t.Error("the rights of the main thread were given up")
		}
		return cmd.Start()
	}}, started)
	return <-started
}

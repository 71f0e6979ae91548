package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/pool"
)

// A bench has the programs and the service that they talk to. The caller closes
// it.
type bench struct {
	settings
	dir     string
	service *http.Server
	serving conc.WaitGroup
	url     string
	peaks   map[string]float64 // megabytes of flow, by case
}

// newBench builds the programs and starts the service, in this process: what it
// costs is counted for neither side.
func newBench(ctx context.Context, s settings, dir string) (*bench, error) {
	b := &bench{settings: s, dir: dir, peaks: map[string]float64{}}
	if b.flow == "" {
		b.flow = filepath.Join(dir, "flow")
		if err := build(ctx, b.flow, module+"/cmd/flow"); err != nil {
			return nil, err
		}
	}
	for _, name := range floors {
		if err := build(ctx, filepath.Join(dir, name), module+"/cmd/flow-bench/"+name); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b.url = "http://" + listener.Addr().String() + "/v1"
	b.service = &http.Server{Handler: http.HandlerFunc(answer)}
	b.serving.Go(func() { _ = b.service.Serve(listener) }) // until close
	return b, nil
}

func (b *bench) close() {
	b.service.Close()
	b.serving.Wait()
}

// module is where the programs are.
const module = "github.com/a-seed-11b9befa/flow"

// floors are the programs that are built to compare flow with.
var floors = []string{"floor", "empty"}

// program returns where a program is that does the same as flow.
func (b *bench) program(name string) string {
	if slices.Contains(floors, name) {
		return filepath.Join(b.dir, name)
	}
	return name
}

func build(ctx context.Context, out, pkg string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", out, pkg)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build %s: %w", pkg, err)
	}
	return nil
}

// measure runs flow and the floor by turns.
func (b *bench) measure(ctx context.Context, c bout) (measured, error) {
	m := measured{bout: c}
	for range b.runs {
		used, err := b.one(ctx, c, b.flow, c.flow)
		if err != nil {
			return m, err
		}
		m.flows = append(m.flows, used)
		if c.floor == nil {
			continue
		}
		used, err = b.one(ctx, c, b.program(c.floor[0]), c.floor[1:])
		if err != nil {
			return m, fmt.Errorf("floor: %w", err)
		}
		m.floors = append(m.floors, used)
	}
	b.peaks[c.name] = middle(m.flows, usage.peak)
	m.basePeak = b.peaks[c.base]
	return m, nil
}

// one runs a program in a fresh folder, as often as the case says. Only what is
// large is removed at once: for a minute and more ext4 gives out no inode that was
// freed, and looks at length for another, at the cost of whoever runs next.
func (b *bench) one(ctx context.Context, c bout, program string, args []string) (usage, error) {
	dir, err := os.MkdirTemp(b.dir, "run-")
	if err != nil {
		return usage{}, err
	}
	if c.bulky {
		defer os.RemoveAll(dir)
	}
	for name, text := range c.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return usage{}, err
		}
	}
	start := time.Now()
	all := pool.NewWithResults[usage]().WithErrors().WithMaxGoroutines(8)
	for range max(c.times, 1) {
		all.Go(func() (usage, error) { return b.process(ctx, dir, program, args) })
	}
	each, err := all.Wait()
	total := usage{wall: time.Since(start)}
	for _, u := range each {
		total.cpu += u.cpu
		total.maxRSS = max(total.maxRSS, u.maxRSS)
	}
	return total, err
}

// process runs a program once.
func (b *bench) process(ctx context.Context, dir, program string, args []string) (usage, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+b.url, "NO_COLOR=1", "CI=1")
	var said strings.Builder
	cmd.Stderr = &said
	err := cmd.Run()
	if err != nil {
		return usage{}, fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, said.String())
	}
	state, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return usage{}, errors.New("the system tells nothing of a program's memory")
	}
	kilobytes := int64(state.Maxrss)
	if runtime.GOOS == "darwin" {
		kilobytes /= 1024
	}
	return usage{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), maxRSS: kilobytes}, nil
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/sourcegraph/conc"
	"golang.org/x/sys/unix"

	"github.com/a-seed-11b9befa/flow/tools/shell"
)

// TestDoctorLevels: flow doctor says to what commands are held, and what lacks for
// more, on systems that refuse one thing after the other: to root, and to others.
func TestDoctorLevels(t *testing.T) {
	if shell.Sandboxes() != nil {
		t.Skip("SKIPPED: this kernel has no Landlock")
	}
	tests := []struct {
		name    string
		refused []uint32 // calls
		want    []string // of what is told; of "held" where it is held otherwise
	}{
		{"all is there", nil, []string{"Models' commands: held: "}},
		{"no namespaces", []uint32{unix.SYS_CLONE}, []string{"Models' commands: landlock: ", "held: namespaces: ", "operation not permitted"}},
		{"nothing", []uint32{unix.SYS_CLONE, unix.SYS_LANDLOCK_CREATE_RULESET}, []string{"Models' commands: none: ", "held: namespaces: ", "landlock: the kernel has no Landlock"}},
	}
	for _, level := range findingLevels(t)[:2] {
		for _, test := range tests {
			t.Run(level.name+", "+test.name, func(t *testing.T) {
				if level.missing != "" {
					t.Skip("SKIPPED: " + level.missing)
				}
				base, err := filepath.EvalSymlinks(t.TempDir())
				check(t, err)
				for dir := base; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
					check(t, os.Chmod(dir, 0o755))
				}
				for _, name := range []string{"work", "home", "tmp"} {
					check(t, os.Mkdir(filepath.Join(base, name), 0o700))
				}
				if level.user != 0 {
					out, err := exec.Command("chown", "-R", "65534:65534", base).CombinedOutput()
					if err != nil {
						t.Fatalf("%v %s", err, out)
					}
				}
				s := stage{base: base, level: level}
				told := refusing(t, test.refused, func() string { told, _ := s.run(level.program, "doctor"); return told })
				for _, want := range test.want {
					if !strings.Contains(told, want) {
						t.Errorf("%q is missing:\n%s", want, told)
					}
				}
			})
		}
	}
}

// refusing does something on a thread to which, with all that it starts, the kernel
// refuses calls, and of those that make processes the ones with new namespaces.
func refusing(t *testing.T, calls []uint32, do func() string) string {
	t.Helper()
	if len(calls) == 0 {
		return do()
	}
	told := ""
	var refused conc.WaitGroup
	refused.Go(func() {
		runtime.LockOSThread() // the thread ends with the goroutine: nobody else may have it
		program := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}}
		for _, call := range calls {
			if call == unix.SYS_CLONE {
				continue
			}
			program = append(program,
				unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1},
				unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)})
		}
		program = append(program,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_CLONE, Jf: 3},
			unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 16}, // the flags
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.CLONE_NEWUSER | unix.CLONE_NEWNS, Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
		rules := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
		err := errorsOf(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&rules)), 0, 0))
		if err != nil {
			told = err.Error()
			return
		}
		told = do()
	})
	refused.Wait()
	return told
}

package shell

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A stray is a process that a command left behind outside of its process group, so that
// killing the group does not reach it. One that is still in the session of its command is
// certainly a stray: each command has its own session, which no other process can enter.
// One that has left the session too becomes a child of this process, if that adopts orphans
// (PR_SET_CHILD_SUBREAPER in prctl(2)). If the program has promised to start no children
// in other sessions, each child in another session that is not of a running command is a
// stray.

// sessions are the sessions of running commands: the id of the first process of each, with
// the time when it was born. starting is held while a command is started and enlisted, so
// that nobody takes it for a stray in between.
var sessions = struct {
	starting sync.RWMutex
	adopting atomic.Bool
	sync.Mutex
	born map[int]uint64
}{born: map[int]uint64{}}

// AdoptStrays makes this process, for good, the parent of the processes that untrusted
// commands leave behind, so that even those with a session of their own are killed with
// their command. It is for a program that starts no processes in other sessions itself:
// each child in another session that was born while an untrusted command ran is killed and
// waited for, whoever started it. It has to be called before the first command. Only on
// Linux does it do anything.
func AdoptStrays() { sessions.adopting.Store(true) }

// Seclude keeps other processes of the same user, commands among them, from reading this one's
// memory and environment, where keys are. Where the kernel refuses, only rules keep them from it.
// Only on Linux does it do anything.
func Seclude() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// session is the session of one command. The zero value is none.
type session struct {
	pid  int
	born uint64 // in ticks of the system
}

// enlist starts a command and records its session.
func enlist(cmd *exec.Cmd) (session, error) {
	sessions.starting.RLock()
	defer sessions.starting.RUnlock()
	if err := cmd.Start(); err != nil {
		return session{}, err
	}
	s := session{pid: cmd.Process.Pid, born: stat(cmd.Process.Pid).born}
	sessions.Lock()
	defer sessions.Unlock()
	sessions.born[s.pid] = s.born
	return s, nil
}

// leave removes the record.
func (s session) leave() {
	sessions.Lock()
	defer sessions.Unlock()
	delete(sessions.born, s.pid)
}

// adopt makes this process adopt orphans, if the program has chosen that.
func adopt() error {
	if !sessions.adopting.Load() {
		return nil
	}
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// endStrays kills the strays of a command, and the processes that these have started. The
// first process of the command has to have ended.
func (s session) endStrays() {
	for deadline := time.Now().Add(drainTime); time.Now().Before(deadline); {
		found := s.strays()
		if len(found) == 0 {
			return
		}
		for _, pid := range found {
			end(pid)
		}
	}
}

// strays returns the current strays of the session.
func (s session) strays() []int {
	sessions.starting.Lock()
	defer sessions.starting.Unlock()
	if !sessions.adopting.Load() {
		return s.members()
	}
	return slices.DeleteFunc(children(), func(pid int) bool { return !s.owns(stat(pid)) })
}

// members returns the processes left in the session, whatever their parents. When none are
// left, the session's id may be reused.
func (s session) members() []int {
	if first := stat(s.pid); first.session != 0 && first.born != s.born {
		return nil
	}
	return slices.DeleteFunc(everybody(), func(pid int) bool {
		other := stat(pid)
		return pid == s.pid || other.ended || other.session != s.pid
	})
}

// owns reports whether a child is a stray of the command: it is in the command's session,
// or was born since the command began, and can't be a stray of another running command,
// which would kill it when it ends.
func (s session) owns(child lineage) bool {
	own, err := unix.Getsid(0)
	if err != nil || child.session == 0 || child.session == own || child.born < s.born {
		return false
	}
	if child.session == s.pid {
		return true
	}
	sessions.Lock()
	defer sessions.Unlock()
	for pid, born := range sessions.born {
		if pid == child.session || pid != s.pid && born <= child.born {
			return false
		}
	}
	return true
}

// end kills a process, and waits for it if it is a child of this process, which then adopts
// its children.
func end(pid int) {
	_ = unix.Kill(pid, unix.SIGKILL)
	for range 100 {
		n, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
		if n != 0 || err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// lineage is what the system reports of a process. The zero value is for none.
type lineage struct {
	session int
	born    uint64
	ended   bool // but nobody has waited for it
}

// stat reads proc_pid_stat(5). The name in parentheses may hold any text; the fields come
// after it.
func stat(pid int) lineage {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return lineage{}
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	const state, session, born = 0, 6 - 3, 22 - 3 // the state, the third, is the first here
	if len(fields) <= born {
		return lineage{}
	}
	l := lineage{ended: fields[state] == "Z" || fields[state] == "X"}
	l.session, _ = strconv.Atoi(fields[session])
	l.born, _ = strconv.ParseUint(fields[born], 10, 64)
	return l
}

// children returns the child processes of this one.
func children() (pids []int) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list) // the thread may have ended
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil && pid > 1 {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// everybody returns all visible processes.
func everybody() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range all {
		if pid, err := strconv.Atoi(filepath.Base(path)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// KillChildren kills all children of this process, started or adopted, with their groups.
func KillChildren() {
	for _, pid := range children() {
		_ = unix.Kill(-pid, unix.SIGKILL)
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// bound limits the size of files that a process may write, disables its core dumps, and
// has the kernel kill it first when memory is short. It ignores errors.
func bound(pid int) {
	_ = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: MaxPrinted, Max: MaxPrinted}, nil)
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("900"), 0)
}

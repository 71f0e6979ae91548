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

// The end of a group does not reach a process that has left it. What has stayed in
// the session of its command is a stray for certain: every command has one of its
// own, to which nothing can return. What has left that too is found by a process
// that adopts what commands leave behind (PR_SET_CHILD_SUBREAPER in prctl(2)): a
// child of ours in a session that is not ours, and that is none of the commands
// that run, is a stray where the program has said that it starts no such child.

// sessions are those of the commands that run now, by the id of their first
// process, with the time of its birth. Who starts one holds starting until it is
// enlisted: nobody looks for strays in between, who would take it for one.
var sessions = struct {
	starting sync.RWMutex
	adopting atomic.Bool
	sync.Mutex
	born map[int]uint64
}{born: map[int]uint64{}}

// AdoptStrays makes this process, for good, the parent of what untrusted commands
// leave behind, so that even what has started a session of its own ends with its
// command. It is for a program that starts no process in another session itself:
// each child in one that was born while an untrusted command ran is killed, and
// its status taken, whoever started it. Call it before the first command. Only
// Linux has it; elsewhere it does nothing.
func AdoptStrays() { sessions.adopting.Store(true) }

// A session is that of one command. The zero value is none.
type session struct {
	pid  int
	born uint64 // in ticks of the system
}

// enlist starts a command and takes up its session.
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

// leave takes it off again.
func (s session) leave() {
	sessions.Lock()
	defer sessions.Unlock()
	delete(sessions.born, s.pid)
}

// adopt does what the program has chosen.
func adopt() error {
	if !sessions.adopting.Load() {
		return nil
	}
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// endStrays kills what a command has left behind, and what that has started. Its
// first process has ended: where this process adopts, all that is left of it has
// no other parent.
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

// strays lists those that are there now.
func (s session) strays() []int {
	sessions.starting.Lock()
	defer sessions.starting.Unlock()
	if !sessions.adopting.Load() {
		return s.members()
	}
	return slices.DeleteFunc(children(), func(pid int) bool { return !s.owns(stat(pid)) })
}

// members lists what is left of the session itself, whose parent may be another
// process. Its number is free for others when nothing is left.
func (s session) members() []int {
	if first := stat(s.pid); first.session != 0 && first.born != s.born {
		return nil
	}
	return slices.DeleteFunc(everybody(), func(pid int) bool {
		other := stat(pid)
		return pid == s.pid || other.ended || other.session != s.pid
	})
}

// owns reports whether a child is a stray of the command: born since it began,
// when no other command that still runs did, whose it could be too. That one
// answers for it when it ends.
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

// end kills a process and takes its status where it is a child of ours, so that
// its own children are next.
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

// A lineage is what the system reports of a process; the zero value is none.
type lineage struct {
	session int
	born    uint64
	ended   bool // it has not been waited for
}

// stat reads what proc_pid_stat(5) describes: the name in parentheses may hold
// anything, the fields come after it.
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

// children lists the processes whose parent this one is.
func children() []int {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return nil
	}
	var pids []int
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil && pid > 1 {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// everybody lists the processes of this system that can be seen.
func everybody() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// KillChildren kills all that this process has started, and what it has adopted,
// with their groups.
func KillChildren() {
	for _, pid := range children() {
		_ = unix.Kill(-pid, unix.SIGKILL)
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// bound limits the files that a process may write, keeps it from leaving an image
// of its memory, and has the kernel end it first when memory is short. Where the
// system refuses, it runs without.
func bound(pid int) {
	_ = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: MaxPrinted, Max: MaxPrinted}, nil)
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("900"), 0)
}

package files

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools"
)

// pair returns a workspace and a folder beside it that holds a secret. The
// guard of these tests lets everything through: what holds is the files' own.
func pair(t *testing.T, files map[string]string) (root, outside string) {
	t.Helper()
	both := map[string]string{"outside/secret.txt": "SECRET\n", "ws/notes.txt": "fine\n"}
	for path, content := range files {
		both["ws/"+path] = content
	}
	top := tree(t, both)
	return filepath.Join(top, "ws"), filepath.Join(top, "outside")
}

func TestLinksDoNotLeadOut(t *testing.T) {
	root, outside := pair(t, map[string]string{
		"file": "->../outside/secret.txt", "folder": "->../outside", "a/b": "->../folder", "new": "->../outside/new.txt",
		"absolute": "->/etc", "dir/up": "->../..",
	})
	w := workspace(t, Options{Root: root})
	for _, path := range []string{"file", "folder/secret.txt", "a/b/secret.txt", "absolute/passwd", "dir/up/outside/secret.txt", "folder/../outside/secret.txt"} {
		answer := call(t, w, "read", args{"filePath": path})
		if answer.Status != tools.Failed || !strings.Contains(answer.Content, "leads elsewhere through a link") {
			t.Errorf("read %s: %+v", path, answer)
		}
	}
	for _, path := range []string{"file", "new", "folder/x", "dir/up/outside/x"} {
		for tool, a := range map[string]args{
			"write": {"filePath": path, "content": "x"},
			"edit":  {"filePath": path, "oldString": "SECRET", "newString": "x"},
		} {
			if answer := call(t, w, tool, a); answer.Status != tools.Failed {
				t.Errorf("%s %s: %+v", tool, path, answer)
			}
		}
	}
	for _, tool := range []string{"list", "glob", "grep"} {
		for _, path := range []string{"folder", "a/b", "dir/up"} {
			answer := call(t, w, tool, map[bool]args{true: {"path": path}, false: {"path": path, "pattern": "SECRET|*"}}[tool == "list"])
			if answer.Status != tools.Failed || strings.Contains(answer.Content, "secret") {
				t.Errorf("%s %s: %+v", tool, path, answer)
			}
		}
	}
	if names, _ := os.ReadDir(outside); len(names) != 1 || content(t, filepath.Join(outside, "secret.txt")) != "SECRET\n" {
		t.Errorf("the folder outside was changed: %v", names)
	}
}

// TestOutside shows what a policy can allow by an absolute path.
func TestOutside(t *testing.T) {
	root, outside := pair(t, map[string]string{"file": "->../outside/secret.txt"})
	allowed := func(path string) bool { return paths.Holds(outside, path) }
	w := workspace(t, Options{Root: root, Readable: allowed, Writable: allowed})
	check(t, w, []example{
		{"outside", "read", args{"filePath": outside + "/secret.txt"}, "00001| SECRET\n", false},
		{"by ..", "read", args{"filePath": "../outside/secret.txt"}, "00001| SECRET\n", false},
		{"through a link", "read", args{"filePath": "file"}, "00001| SECRET\n", false},
		{"outside", "list", args{"path": outside}, "secret.txt\n", false},
		{"outside", "glob", args{"path": outside, "pattern": "*"}, outside + "/secret.txt\n", false},
		{"outside", "grep", args{"path": outside, "pattern": "SEC"}, outside + "/secret.txt:1: SECRET\n", false},
		{"outside", "edit", args{"filePath": outside + "/secret.txt", "oldString": "SECRET", "newString": "PUBLIC"}, "Changed 1 place (line 1) in " + outside + "/secret.txt.\n", false},
		{"outside", "write", args{"filePath": outside + "/new", "content": "x"}, "Created " + outside + "/new: 1 line, 1 byte.\n", false},
	})
}

// TestExtra reads what the policy hides: the folder of whole outputs.
func TestExtra(t *testing.T) {
	root, _ := pair(t, nil)
	extra := filepath.Join(root, ".flow/runs/1/outputs")
	w := workspace(t, Options{Root: root, Readable: func(string) bool { return false }, Extra: []string{extra}})
	put(t, filepath.Join(extra, "1-bash.txt"), "needle\x00\n", false) // after New
	check(t, w, []example{
		{"a whole output", "read", args{"filePath": extra + "/1-bash.txt"}, "00001| needle\uFFFD\n", false},
		{"a whole output", "grep", args{"path": extra + "/1-bash.txt", "pattern": "need.e"}, ".flow/runs/1/outputs/1-bash.txt:1: needle\uFFFD\n", false},
		{"all whole outputs", "grep", args{"path": extra, "pattern": "need.e"}, ".flow/runs/1/outputs/1-bash.txt:1: needle\uFFFD\n", false},
		{"elsewhere", "grep", args{"pattern": "need.e|fine"}, "No line matches.", false},
	})
}

func TestSpecialFiles(t *testing.T) {
	root, _ := pair(t, nil)
	pipe := filepath.Join(root, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	w := workspace(t, Options{Root: root})
	check(t, w, []example{
		{"a pipe", "read", args{"filePath": "pipe"}, `"pipe" can't be opened: it is not a regular file`, true},
		{"a pipe", "write", args{"filePath": "pipe", "content": "x"}, `"pipe" was not written: it is not a regular file`, true},
		{"a pipe", "grep", args{"path": "pipe", "pattern": "x"}, `"pipe" can't be opened: it is not a regular file`, true},
		{"around a pipe", "grep", args{"pattern": "fine"}, "notes.txt:1: fine\n", false},
		{"a device", "read", args{"filePath": "/dev/zero"}, `"/dev/zero" can't be opened: it is not a regular file`, true},
	})
}

// TestSwappedLinks reads and writes while another process swaps a folder and a
// file for links that lead out, and to a file inside that is not meant.
func TestSwappedLinks(t *testing.T) {
	root, outside := pair(t, map[string]string{"dir/f": "fine\n", "denied/f": "SECRET\n", "denied/secret.txt": "SECRET\n"})
	put(t, filepath.Join(outside, "f"), "SECRET\n", false)
	w := workspace(t, Options{Root: root, Readable: func(path string) bool {
		return paths.Holds(root, path) && !strings.Contains(path, "denied")
	}, Writable: func(path string) bool { return paths.Holds(filepath.Join(root, "dir"), path) }})
	var stop atomic.Bool
	var swapping sync.WaitGroup
	swapping.Go(func() { swap(root, &stop) })
	fine := 0
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		read := call(t, w, "read", args{"filePath": "dir/f"})
		found := call(t, w, "grep", args{"pattern": "SECRET|fine", "path": "."})
		if strings.Contains(read.Content+found.Content, "SECRET") {
			t.Errorf("got %q, %q", read.Content, found.Content)
		}
		if read.Status == tools.Succeeded {
			fine++
		}
		call(t, w, "write", args{"filePath": "dir/f", "content": "fine\n"})
		call(t, w, "edit", args{"filePath": "dir/f", "oldString": "SECRET", "newString": "stolen"})
	}
	stop.Store(true)
	swapping.Wait()
	if fine == 0 {
		t.Error("nothing was ever read")
	}
	for _, path := range []string{outside + "/f", outside + "/secret.txt", root + "/denied/f"} {
		if got := content(t, path); got != "SECRET\n" {
			t.Errorf("%s became %q", path, got)
		}
	}
}

// swap puts links in the place of root/dir, and of the file in it, and back.
func swap(root string, stop *atomic.Bool) {
	dir, aside := filepath.Join(root, "dir"), filepath.Join(root, "denied", "aside")
	for i := 0; !stop.Load(); i++ {
		os.Rename(dir, aside)
		os.Symlink([]string{"../outside", "denied"}[i%2], dir)
		os.Remove(dir)
		os.Rename(aside, dir)
		file := filepath.Join(dir, "f")
		os.Rename(file, file+".aside")
		os.Symlink([]string{"../../outside/f", "../denied/f"}[i%2], file)
		os.Remove(file)
		os.Rename(file+".aside", file)
	}
}

func TestReplaceSeesChanges(t *testing.T) {
	root, _ := pair(t, map[string]string{"f": "old\n"})
	w := workspace(t, Options{Root: root})
	f, err := w.openFile("f")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	put(t, filepath.Join(root, "f"), "somebody else's\n", false)
	if _, err := w.replace(t.Context(), f.path, "mine\n", f.info); !errors.Is(err, errChanged) {
		t.Errorf("got %v", err)
	}
	if got := content(t, filepath.Join(root, "f")); got != "somebody else's\n" {
		t.Errorf("the file has %q", got)
	}
	noTemporary(t, root)
}

// TestFullDisk writes to a disk that takes no more, which the limit on the size
// of files stands for.
func TestFullDisk(t *testing.T) {
	if os.Getenv("FLOW_TEST_FULL_DISK") == "" {
		rerun(t, "FLOW_TEST_FULL_DISK=1")
		return
	}
	root, _ := pair(t, map[string]string{"f": "old\n"})
	limit := syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	answer := call(t, workspace(t, Options{Root: root}), "write", args{"filePath": "f", "content": strings.Repeat("x", 2<<20)})
	if want := `"f" was not written: file too large`; answer.Status != tools.Failed || answer.Content != want {
		t.Errorf("got %+v, want %q", answer, want)
	}
	if got := content(t, filepath.Join(root, "f")); got != "old\n" {
		t.Errorf("the file has %d bytes", len(got))
	}
	noTemporary(t, root)
}

func TestUnwritable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere: not tried")
	}
	root, _ := pair(t, nil)
	if err := os.Chmod(root, 0o555); err != nil {
		t.Fatal(err)
	}
	answer := call(t, workspace(t, Options{Root: root}), "write", args{"filePath": "f", "content": "x"})
	if want := `"f" was not written: permission denied`; answer.Content != want {
		t.Errorf("got %+v, want %q", answer, want)
	}
}

func TestCancelled(t *testing.T) {
	root, _ := pair(t, nil)
	w := workspace(t, Options{Root: root})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, a := range map[string]args{
		"read":  {"filePath": "notes.txt"},
		"write": {"filePath": "notes.txt", "content": "x"},
		"glob":  {"pattern": "*"},
		"grep":  {"pattern": "fine"},
	} {
		for _, tool := range w.Tools() {
			if tool.Spec().Name != name {
				continue
			}
			out := tools.NewOutput(tools.OutputOptions{})
			if result, err := tool.Run(ctx, marshal(t, a), out); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got %+v, %v", name, result, err)
			}
		}
	}
	if got := content(t, filepath.Join(root, "notes.txt")); got != "fine\n" {
		t.Errorf("the file has %q", got)
	}
}

// TestReadHugeFile reads the end of a file of 256 MB, and a line of that length.
func TestReadHugeFile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not in a short run")
	}
	root, _ := pair(t, nil)
	const size = 256 << 20
	f, err := os.Create(filepath.Join(root, "huge"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.Write(bytes.Repeat([]byte("a line\n"), 2000))
	f.Seek(size, 0)
	f.WriteString("\nthe end\n")
	w := workspace(t, Options{Root: root})
	before := memory()
	answer := call(t, w, "read", args{"filePath": "huge", "offset": 2001})
	if answer.Content != "02002| the end\n" {
		t.Errorf("got %.200q", answer.Content)
	}
	answer = call(t, w, "read", args{"filePath": "huge", "offset": 2000})
	if !strings.HasPrefix(answer.Content, "02001| \uFFFD") || !strings.HasSuffix(answer.Content, "\nStopped in line 2001 after 64 MiB.") || len(answer.Content) > 52<<10 {
		t.Errorf("got %d bytes: %.60q", len(answer.Content), answer.Content)
	}
	answer = call(t, w, "grep", args{"path": "huge", "pattern": "^the e"})
	if answer.Content != "huge:2002: the end\nOf lines longer than 65536 bytes no more was searched: 1." {
		t.Errorf("got %.200q", answer.Content)
	}
	if after := memory(); after > before+64<<20 {
		t.Errorf("memory grew from %d to %d", before, after)
	}
}

// memory is what the program has ever asked the system for.
func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

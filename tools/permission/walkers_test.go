package permission

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools"
	"github.com/a-seed-11b9befa/flow/tools/files"
)

// walkers are the two that walk a path: the policy, which judges where a call leads,
// and the tools for files, which go there. Any difference between them is a hole.
type walkers struct {
	base, root string
	policy     *Policy
	write      tools.Tool
}

// newWalkers makes a workspace, which is named through a link, beside a home and
// another folder.
func newWalkers(t testing.TB) walkers {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := walkers{base: base, root: filepath.Join(base, "named")}
	for _, dir := range []string{"ws", "home", "out"} {
		if err := os.Mkdir(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("ws", w.root); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(base, "home")
	if w.policy, err = New(Config{Root: w.root, Home: home, Domains: []Domain{{Layers: []Rules{{}}}}}); err != nil {
		t.Fatal(err)
	}
	workspace, err := files.New(files.Options{Root: w.root, Home: home})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { workspace.Close() })
	for _, tool := range workspace.Tools() {
		if tool.Spec().Name == "write" {
			w.write = tool
		}
	}
	return w
}

// put makes one part of the tree: "name/" is a folder, "name" a file, and
// "name -> target" a link. What can't be made is left out. A path that begins with
// ^ starts where the workspace, the home and the other folder are.
func (w walkers) put(part string) {
	name, target, isLink := strings.Cut(part, " -> ")
	at := filepath.Join(w.base, "ws", w.absolute(name))
	if rest, ok := strings.CutPrefix(name, "^"); ok {
		at = w.base + rest
	}
	switch {
	case isLink:
		_ = os.Symlink(w.absolute(target), at)
	case strings.HasSuffix(name, "/"):
		_ = os.Mkdir(at, 0o755)
	default:
		if file, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			file.Close()
		}
	}
}

func (w walkers) absolute(path string) string {
	if rest, ok := strings.CutPrefix(path, "^"); ok {
		return w.base + rest
	}
	return path
}

// compare has both walk a path. Where the kernel finds something at the path, that
// is what both have to come to.
func (w walkers) compare(t testing.TB, path string) (place string) {
	t.Helper()
	path = w.absolute(path)
	judged, err := w.policy.roots.ResolveTilde(w.policy.roots.Start(), path)
	arguments, jsonErr := json.Marshal(map[string]string{"filePath": path, "content": ""})
	if jsonErr != nil {
		t.Fatal(jsonErr)
	}
	reached := w.write.Effects(arguments).Writes
	switch {
	case err != nil && len(reached) == 0:
		return ""
	case err != nil:
		t.Errorf("%.200q: refused by the policy (%v), and the tool goes to %.200q", path, err, reached)
	case len(reached) != 1:
		t.Errorf("%.200q: refused by the tool, and judged as %.200q", path, judged.Canonical)
	case reached[0] != judged.Canonical:
		t.Errorf("%.200q: judged as %.200q, and the tool goes to %.200q", path, judged.Canonical, reached[0])
	default:
		w.compareKernel(t, path, judged.Canonical)
	}
	return strings.TrimPrefix(judged.Canonical, w.base)
}

func (w walkers) compareKernel(t testing.TB, path, place string) {
	t.Helper()
	named := path
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		named = filepath.Join(w.base, "home") + rest
	} else if !strings.HasPrefix(path, "/") {
		named = w.root + "/" + path
	}
	found, err := os.Stat(named)
	if err != nil {
		return // what is missing, and is still to be made
	}
	if there, err := os.Lstat(place); err != nil || !os.SameFile(found, there) {
		t.Errorf("%.200q: both come to %q, and the kernel does not (%v)", path, place, err)
	}
}

func TestWalkersAgree(t *testing.T) {
	long := strings.Repeat("./", 1900)
	tests := []struct{ name, roots, path, want string }{
		{"file", "a", "a", "/ws/a"},
		{"missing", "", "a/b/c", "/ws/a/b/c"},
		{"from the root", "a", "^/named/a", "/ws/a"},
		{"through the root and out", "", "^/named/../out/x", "/out/x"},
		{"beside the root", "", "^/named-x/a", "/named-x/a"},
		{"slashes", "d/\nd/a", ".//d///./a/", "/ws/d/a"},
		{"up", "d/", "d/../a", "/ws/a"},
		{"up out of the root", "", "../out/a", "/out/a"},
		{"up above everything", "", strings.Repeat("../", 100), "/"},
		{"up from what is missing", "", "d/../a", ""},
		{"up from a file", "a", "a/../b", ""},
		{"here of a file", "a", "a/.", "/ws/a"},
		{"below a file", "a", "a/b", ""},
		{"up from a link to a file", "a\nl -> a", "l/../b", ""},
		{"below a link to a file", "a\nl -> a", "l/b", ""},
		{"link", "d/\nl -> d", "l/a", "/ws/d/a"},
		{"link out", "l -> ^/out", "l/a", "/out/a"},
		{"up behind a link", "l -> ^/home", "l/../out/a", "/out/a"},
		{"link that ends in up", "d/\nd/e/\nl -> d/e/..", "l/a", "/ws/d/a"},
		{"link with slashes", "d/\nl -> .//d///", "l/a", "/ws/d/a"},
		{"link to nothing", "l -> x", "l", "/ws/x"},
		{"below a link to nothing", "l -> x", "l/y", "/ws/x/y"},
		{"up behind a link to nothing", "l -> x", "l/../y", ""},
		{"link into what is missing and up", "l -> x/../y", "l", ""},
		{"link to itself", "l -> l", "l", ""},
		{"link into itself", "l -> l/a", "l", ""},
		{"links in a ring", "k -> l\nl -> k", "k/a", ""},
		{"link up to itself", "d/\nd/l -> ../d", "d/l/l/l/a", "/ws/d/a"},
		{"40 links", "d/\nd/l -> .", "d" + strings.Repeat("/l", 40), "/ws/d"},
		{"41 links", "d/\nd/l -> .", "d" + strings.Repeat("/l", 41), ""},
		{"long link", "l -> " + long, "l/a", "/ws/a"},
		{"long links", "l -> " + long + "l", "l", ""},
		{"long links to each other", "k -> " + long + "a\nl -> " + long + "k/" + long[:200], "l", "/ws/a"},
		{"longest path", "", strings.Repeat("a/", 2047) + "b", "/ws/" + strings.Repeat("a/", 2047) + "b"},
		{"longer path", "", strings.Repeat("a/", 2048) + "b", ""},
		{"long name", "", strings.Repeat("a", 300), ""},
		{"home", "^/home/a", "~/a", "/home/a"},
		{"home itself", "", "~", "/home"},
		{"up from home", "", "~/../out/x", "/out/x"},
		{"another's home", "~x/", "~x/a", ""},
		{"folder of that name", "~/", "./~/a", "/ws/~/a"},
		{"folder of that name in the way", "~/\n~/a", "~/a", "/home/a"},
		{"tilde that is not first", "d/", "d/~/a", "/ws/d/~/a"},
		{"link to a tilde", "l -> ~/a", "l", "/ws/~/a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWalkers(t)
			for part := range strings.SplitSeq(test.roots, "\n") {
				if part != "" {
					w.put(part)
				}
			}
			if got := w.compare(t, test.path); got != test.want && (test.want != "/" || got == "") {
				t.Errorf("got %.100q, want %.100q", got, test.want)
			}
		})
	}
}

// FuzzWalkers makes trees and paths of a few names, so that they meet.
func FuzzWalkers(f *testing.F) {
	random := rand.NewChaCha8([32]byte{1})
	for range 100 {
		seed := make([]byte, 300)
		_, _ = random.Read(seed) // it always fills
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := newWalkers(t)
		g := choices{data[:min(len(data), 1000)]}
		for range 4 + g.below(12) {
			w.put(g.part())
		}
		for range 12 {
			w.compare(t, g.path())
		}
	})
}

// choices are made by the bytes of the fuzzer; where there are no more, the first
// is taken.
type choices struct{ left []byte }

func (c *choices) below(n int) int {
	if len(c.left) == 0 {
		return 0
	}
	b := c.left[0]
	c.left = c.left[1:]
	return int(b) % n
}

func (c *choices) part() string {
	names := []string{"a", "b", "c", "a/a", "a/b", "b/a", "b/c", "^/home/a", "^/out/a", "~"}
	name := names[c.below(len(names))]
	switch c.below(4) {
	case 0:
		return name
	case 1:
		return name + "/"
	}
	return fmt.Sprintf("%s -> %s", name, c.path())
}

func (c *choices) path() string {
	starts := []string{"", "", "", "./", "../", "^/", "^/named/", "^/ws/", "^/out/", "~/", "/"}
	segments := []string{"a", "a", "b", "b", "c", "..", "..", ".", "", "~", "home", "ws", "named"}
	path := starts[c.below(len(starts))]
	for range 1 + c.below(7) {
		path += segments[c.below(len(segments))] + "/"
	}
	if strings.HasPrefix(path, "/") {
		path = "/x" + path // not what this machine has
	}
	if c.below(3) > 0 {
		path = strings.TrimSuffix(path, "/")
	}
	if path == "" {
		return "."
	}
	return path
}

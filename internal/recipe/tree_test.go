package recipe

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/dirhash"
)

// TestHash: a folder without executable files has the hash that dirhash gives it, and
// which are executable changes it.
func TestHash(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"flow.yaml": "name: x\n", "scripts/a.sh": "echo a\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := ReadFolder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := dirhash.HashDir(dir, "", dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Hash() != want {
		t.Errorf("%s, and dirhash has %s", tree.Hash(), want)
	}
	if err := os.Chmod(filepath.Join(dir, "scripts/a.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	marked, err := ReadFolder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if marked.Hash() == tree.Hash() {
		t.Error("an executable bit does not change the hash")
	}
}

// TestDeepNames: files whose folders are more than there may be files, so that a small
// archive would fill the memory and the disk.
func TestDeepNames(t *testing.T) {
	tree := &Tree{}
	for i := range maxFiles {
		if err := tree.add(fmt.Sprintf("%d/%sx", i, strings.Repeat("a/", 400)), false, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.settle(); err == nil || !strings.Contains(err.Error(), "more than 20000 files and folders") {
		t.Error(err)
	}
}

// TestUnpack has archives that somebody made to write elsewhere, or to fill the disk.
func TestUnpack(t *testing.T) {
	type header = tar.Header
	for _, tt := range []struct {
		name    string
		headers []header
		want    string // of the error; "" for none
	}{
		{"a recipe", []header{{Name: "./"}, {Name: "a/", Typeflag: tar.TypeDir}, {Name: "./flow.yaml"}, {Name: "a/b"}}, ""},
		{"a link inside", []header{{Name: "a"}, {Name: "b", Typeflag: tar.TypeSymlink, Linkname: "a"}}, ""},
		{"zip slip", []header{{Name: "../evil"}}, "is not a path in a recipe"},
		{"an absolute path", []header{{Name: "/etc/evil"}}, "is not a path in a recipe"},
		{"within", []header{{Name: "a/../../evil"}}, "is not a path in a recipe"},
		{"a link out", []header{{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "../../etc/passwd"}}, "leads out of the recipe"},
		{"an absolute link", []header{{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}}, "leads out of the recipe"},
		{"links in a circle", []header{{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "b"}, {Name: "b", Typeflag: tar.TypeSymlink, Linkname: "a"}}, "leads out of the recipe"},
		{"a file below a link", []header{{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "."}, {Name: "a/x"}}, "both be there"},
		{"a hard link", []header{{Name: "a", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}}, "neither a file nor a folder"},
		{"a device", []header{{Name: "a", Typeflag: tar.TypeChar}}, "neither a file nor a folder"},
		{"a pipe", []header{{Name: "a", Typeflag: tar.TypeFifo}}, "neither a file nor a folder"},
		{"a repository", []header{{Name: "x/.git/hooks/post-checkout"}}, "is not a path in a recipe"},
		{"a repository on a Mac", []header{{Name: ".GIT/config"}}, "is not a path in a recipe"},
		{"a bare repository", []header{{Name: "HEAD"}, {Name: "config"}, {Name: "objects/x"}, {Name: "refs/x"}, {Name: "flow.yaml"}}, `"HEAD" would make its folder a git repository`},
		{"a bare repository below, on a Mac", []header{{Name: "x/y/head"}, {Name: "x/y/Objects/x"}, {Name: "x/y/refs/x"}}, `"x/y/head" would make its folder a git repository`},
		{"a worktree of one", []header{{Name: "x/HEAD"}, {Name: "x/commondir"}}, "would make its folder a git repository"},
		{"no repository", []header{{Name: "HEAD"}, {Name: "docs/objects/x"}, {Name: "refs/x"}}, ""},
		{"two that are one", []header{{Name: "Flow.yaml"}, {Name: "flow.yaml"}}, "can't both be there on every machine"},
		{"two folders that are one", []header{{Name: "A/x"}, {Name: "a/y"}}, "can't both be there on every machine"},
		{"a file that is a folder", []header{{Name: "a"}, {Name: "a/b"}}, "can't both be there on every machine"},
		{"a folder that is a file", []header{{Name: "a/b"}, {Name: "a"}}, "can't both be there on every machine"},
		{"two accents that are one", []header{{Name: "\u00e9"}, {Name: "e\u0301"}}, "can't both be there on every machine"},
		{"twice", []header{{Name: "a"}, {Name: "a"}}, "can't both be there on every machine"},
		{"a stream", []header{{Name: "a:b"}}, "is not a path in a recipe"},
		{"a newline", []header{{Name: "a\nb"}}, "is not a path in a recipe"},
		{"too large", []header{{Name: "a", Size: maxBytes + 1}}, "exceed 100 MB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			for _, h := range tt.headers {
				if h.Typeflag == 0 && !strings.HasSuffix(h.Name, "/") {
					h.Typeflag = tar.TypeReg
				}
				if err := w.WriteHeader(&h); err != nil {
					t.Fatal(err)
				}
			}
			_, err := unpack(b.Bytes())
			switch {
			case tt.want == "" && err != nil && !strings.Contains(err.Error(), "EOF"):
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestUnpackManyFiles(t *testing.T) {
	tree := &Tree{}
	var err error
	for i := 0; err == nil && i <= maxFiles; i++ {
		err = tree.add(fmt.Sprint("f", i), false, nil)
	}
	if err == nil || !strings.Contains(err.Error(), "more than 10000 files") {
		t.Error(err)
	}
}

// TestPackIsTheSame: two folders with the same files are the same archive, and it
// unpacks to the same hash.
func TestPackIsTheSame(t *testing.T) {
	a, b := &Tree{}, &Tree{}
	for _, name := range []string{"flow.yaml", "run.sh", "é/ä.md"} {
		if err := a.add(name, name == "run.sh", []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"é/ä.md", "run.sh", "flow.yaml"} {
		if err := b.add(name, name == "run.sh", []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	packed, err := a.pack()
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.pack()
	if err != nil || !bytes.Equal(packed, again) {
		t.Fatalf("%v: the archives are not the same", err)
	}
	back, err := unpack(packed)
	if err != nil || back.Hash() != a.Hash() {
		t.Errorf("%v: %s, want %s", err, back.Hash(), a.Hash())
	}
}

// TestPackIsWhole reads an archive block by block, as programs do that are stricter than Go's reader: the last
// file is padded, and two blocks of zeros are the end.
func TestPackIsWhole(t *testing.T) {
	for _, size := range []int{0, 1, 511, 512, 513} {
		archive, err := treeOf(t, map[string]string{"flow.yaml": strings.Repeat("x", size), "a/b.md": "# b\n"}).pack()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		rest := archive
		for len(rest) >= 512 && rest[0] != 0 {
			var length int
			if _, err := fmt.Sscanf(string(rest[124:135]), "%o", &length); err != nil {
				t.Fatal(err)
			}
			names = append(names, string(bytes.TrimRight(rest[:100], "\x00")))
			rest = rest[min(512+(length+511)/512*512, len(rest)):]
		}
		if fmt.Sprint(names) != "[a/b.md flow.yaml]" || !bytes.Equal(rest, make([]byte, 1024)) {
			t.Errorf("%d bytes: %q, and %d bytes at the end", size, names, len(rest))
		}
	}
}

// TestCache: what was put is read again, and what was changed is refused.
func TestCache(t *testing.T) {
	tree := &Tree{}
	if err := tree.add("flow.yaml", false, []byte("name: x\n")); err != nil {
		t.Fatal(err)
	}
	cache := Cache{Dir: filepath.Join(t.TempDir(), "not", "there", "yet")}
	if _, _, err := cache.Get(tree.Hash()); !Absent(err) {
		t.Fatal(err)
	}
	dir, err := cache.Put(tree)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := cache.Put(tree); err != nil || again != dir {
		t.Errorf("%s, %v", again, err)
	}
	path := filepath.Join(dir, "flow.yaml")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o444 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("name: y\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := cache.Get(tree.Hash()); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Error(err)
	}
	if _, _, err := cache.Get("h1:../../etc"); err == nil {
		t.Error("a hash that is none has a folder")
	}
}

// TestCacheSweeps: what a killed program left is removed a day later, and not before: it
// may be another's that still writes.
func TestCacheSweeps(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".new-old", ".new-now", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "x"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".new-old", "other"} {
		if err := os.Chtimes(filepath.Join(dir, name), time.Time{}, time.Now().Add(-25*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := (Cache{Dir: dir}).Put(treeOf(t, map[string]string{"flow.yaml": "name: x\n"})); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{".new-old": false, ".new-now": true, "other": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReadFolderLinks: a link is what it leads to, and one that leads out is refused.
func TestReadFolderLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	tree, err := ReadFolder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := tree.Data("b"); string(data) != "x" {
		t.Errorf("%q", data)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFolder(dir, nil); err == nil || !strings.Contains(err.Error(), "leads out of the recipe") {
		t.Error(err)
	}
}

package files

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools"
)

// tree makes files: a path that ends with / is a folder, a content that starts
// with -> a link.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range files {
		put(t, filepath.Join(root, path), content, strings.HasSuffix(path, "/"))
	}
	return root
}

func put(t testing.TB, path, content string, folder bool) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	target, link := strings.CutPrefix(content, "->")
	switch {
	case err != nil:
	case folder:
		err = os.MkdirAll(path, 0o777)
	case link:
		err = os.Symlink(target, path)
	default:
		err = os.WriteFile(path, []byte(content), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func workspace(t testing.TB, o Options) *Workspace {
	t.Helper()
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

type allow struct{}

func (allow) Decide(context.Context, string, json.RawMessage) tools.Decision {
	return tools.Decision{Verdict: tools.Allow}
}

func (allow) Offered(string) bool { return true }

// call calls a tool as a step would, its arguments checked.
func call(t testing.TB, w *Workspace, name string, arguments map[string]any) tools.Answer {
	t.Helper()
	answer, err := run(t, t.Context(), w, name, arguments)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func run(t testing.TB, ctx context.Context, w *Workspace, name string, arguments map[string]any) (tools.Answer, error) {
	t.Helper()
	var entries []tools.Entry
	for _, tool := range w.Tools() {
		entries = append(entries, tools.Entry{Tool: tool})
	}
	set, err := tools.NewSet(entries, tools.SetOptions{Guard: allow{}})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return set.Prepare(name, raw).Run(ctx)
}

type args = map[string]any

// example is one call, and what comes of it.
type example struct {
	name   string
	tool   string
	args   args
	want   string
	failed bool
}

func check(t *testing.T, w *Workspace, examples []example) {
	t.Helper()
	for _, e := range examples {
		t.Run(e.tool+" "+e.name, func(t *testing.T) {
			answer := call(t, w, e.tool, e.args)
			want := strings.ReplaceAll(e.want, "$ROOT", w.path)
			if answer.Content != want {
				t.Errorf("got:\n%s\nwant:\n%s", answer.Content, want)
			}
			if failed := answer.Status == tools.Failed; failed != e.failed {
				t.Errorf("status %s", answer.Status)
			}
		})
	}
}

func content(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRead(t *testing.T) {
	root := tree(t, map[string]string{
		"poem.txt":      "one\ntwo\nthree\nfour\n",
		"open-end.txt":  "one\ntwo",
		"empty":         "",
		"dos.txt":       "one\r\ntwo\r\n",
		"latin1.txt":    "caf\xe9\n",
		"program":       "\x7fELF\x00\x01",
		"docs/guide.md": "guide\n",
		"inside":        "->docs/guide.md",
		"dangling":      "->nowhere",
		"loop":          "->loop",
	})
	check(t, workspace(t, Options{Root: root}), []example{
		{"all", "read", args{"filePath": "poem.txt"}, "00001| one\n00002| two\n00003| three\n00004| four\n", false},
		{"some", "read", args{"filePath": "poem.txt", "offset": 1, "limit": 2}, "00002| two\n00003| three\nThe file goes on; offset 3 is the next line.", false},
		{"the last", "read", args{"filePath": "poem.txt", "offset": 3, "limit": 1}, "00004| four\n", false},
		{"more than there is", "read", args{"filePath": "poem.txt", "offset": 3, "limit": 100}, "00004| four\n", false},
		{"a limit without end", "read", args{"filePath": "poem.txt", "offset": 3, "limit": int64(1<<63 - 1)}, "00004| four\n", false},
		{"past the end", "read", args{"filePath": "poem.txt", "offset": 4}, "offset 4 is past the end: the file has 4 lines, and the first is 0", true},
		{"past an open end", "read", args{"filePath": "open-end.txt", "offset": 7}, "offset 7 is past the end: the file has 2 lines, and the first is 0", true},
		{"without a newline at its end", "read", args{"filePath": "open-end.txt"}, "00001| one\n00002| two", false},
		{"empty", "read", args{"filePath": "empty"}, "The file is empty.", false},
		{"\\r\\n", "read", args{"filePath": "dos.txt"}, "00001| one\n00002| two\n", false},
		{"no UTF-8", "read", args{"filePath": "latin1.txt"}, "00001| caf\uFFFD\n", false},
		{"binary", "read", args{"filePath": "program"}, `"program" is a binary file`, true},
		{"a folder", "read", args{"filePath": "docs"}, `"docs" can't be opened: it is a folder; list shows what is in it`, true},
		{"the root", "read", args{"filePath": "."}, `"." can't be opened: it is a folder; list shows what is in it`, true},
		{"an absolute path", "read", args{"filePath": root + "/docs/guide.md"}, "00001| guide\n", false},
		{"a path with ..", "read", args{"filePath": "docs/../docs/./guide.md"}, "00001| guide\n", false},
		{"a link inside", "read", args{"filePath": "inside"}, "00001| guide\n", false},
		{"a name that is near", "read", args{"filePath": "docs/giude.md"}, `there is no "docs/giude.md" (did you mean "docs/guide.md"?)`, true},
		{"a folder that is near", "read", args{"filePath": "dosc/guide.md"}, `there is no "dosc/guide.md" (did you mean "docs"?)`, true},
		{"nothing near", "read", args{"filePath": "frobnicate.yaml"}, `there is no "frobnicate.yaml"`, true},
		{"a file as a folder", "read", args{"filePath": "poem.txt/x"}, `"poem.txt/x": a part of it is a file, not a directory`, true},
		{"a link to nothing", "read", args{"filePath": "dangling"}, `there is no "dangling"`, true},
		{"a link to itself", "read", args{"filePath": "loop"}, `"loop": it leads through too many links`, true},
		{"no path", "read", args{"filePath": ""}, "the path is empty", true},
		{"a NUL", "read", args{"filePath": "a\x00b"}, "the path has a NUL character", true},
		{"a long path", "read", args{"filePath": strings.Repeat("a/", 3000)}, "the path has 6000 bytes; the most is 4096", true},
		{"a long name", "read", args{"filePath": strings.Repeat("a", 300)}, `"` + strings.Repeat("a", 300) + `": it cannot be looked up: file name too long`, true},
		{"a float", "read", args{"filePath": "poem.txt", "offset": 1.5}, "The arguments of read do not fit; nothing was run:\n- /offset: got 1.5, want integer", true},
		{"an unknown argument", "read", args{"filepath": "poem.txt"}, "The arguments of read do not fit; nothing was run:\n- \"filePath\" is missing\n- \"filepath\" is not known (did you mean \"filePath\"?)", true},
	})
}

func TestWrite(t *testing.T) {
	root := tree(t, map[string]string{
		"old.txt": "old", "script.sh": "#!/bin/sh\n", "docs/": "", "inside": "->docs/real.md", "dir": "->docs",
	})
	if err := os.Chmod(filepath.Join(root, "script.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	w := workspace(t, Options{Root: root})
	check(t, w, []example{
		{"a new file", "write", args{"filePath": "new.txt", "content": "a\nb"}, "Created new.txt: 2 lines, 3 bytes.\n", false},
		{"an old one", "write", args{"filePath": "old.txt", "content": "new\n"}, "Replaced old.txt: 1 line, 4 bytes.\n", false},
		{"nothing", "write", args{"filePath": "nothing", "content": ""}, "Created nothing: 0 lines, 0 bytes.\n", false},
		{"new folders", "write", args{"filePath": "a/b/c.txt", "content": "c"}, "Created a/b/c.txt: 1 line, 1 byte.\n", false},
		{"through a link", "write", args{"filePath": "inside", "content": "real"}, "Created docs/real.md: 1 line, 4 bytes.\n", false},
		{"through a linked folder", "write", args{"filePath": "dir/x.md", "content": "x"}, "Created docs/x.md: 1 line, 1 byte.\n", false},
		{"an absolute path", "write", args{"filePath": root + "/abs.txt", "content": "x"}, "Created abs.txt: 1 line, 1 byte.\n", false},
		{"a mode", "write", args{"filePath": "script.sh", "content": "#!/bin/bash\n"}, "Replaced script.sh: 1 line, 12 bytes.\n", false},
		{"a folder", "write", args{"filePath": "docs", "content": "x"}, `"docs" was not written: it is a folder; list shows what is in it`, true},
		{"a folder's name", "write", args{"filePath": "new/", "content": "x"}, `"new/" names a folder`, true},
		{"below a file", "write", args{"filePath": "old.txt/x", "content": "x"}, `"old.txt/x": a part of it is a file, not a directory`, true},
		{".. after nothing", "write", args{"filePath": "gone/../x", "content": "x"}, `"gone/../x": .. follows a part that does not exist`, true},
	})
	for path, want := range map[string]string{"new.txt": "a\nb", "old.txt": "new\n", "a/b/c.txt": "c", "docs/real.md": "real", "docs/x.md": "x"} {
		if got := content(t, filepath.Join(root, path)); got != want {
			t.Errorf("%s has %q, want %q", path, got, want)
		}
	}
	if info, err := os.Stat(filepath.Join(root, "script.sh")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("the mode became %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(filepath.Join(root, "inside")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	noTemporary(t, root)
}

// noTemporary checks that nothing was left behind.
func noTemporary(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".tmp") {
			t.Errorf("%s was left", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEdit(t *testing.T) {
	paint := "colour = red\nsize = 1\ncolour = red\n"
	tests := []struct {
		name     string
		text     string
		old, new string
		all      bool
		want     string // "": unchanged
		answer   string
	}{
		{"one place", paint, "size = 1", "size = 2", false, "colour = red\nsize = 2\ncolour = red\n", "Changed 1 place (line 2) in f.\n"},
		{"several", paint, "colour = red", "x", false, "", `"f" was not changed: oldString is in 2 places (lines 1, 3); give more of the text around the one that you mean, or set replaceAll`},
		{"several on a line", "a a\nb\na\na a a\n", "a", "x", false, "", `"f" was not changed: oldString is in 6 places (lines 1, 3, 4); give more of the text around the one that you mean, or set replaceAll`},
		{"twice on the only line", "a a\n", "a", "x", true, "x x\n", "Changed 2 places (line 1) in f.\n"},
		{"all", paint, "red", "blue", true, "colour = blue\nsize = 1\ncolour = blue\n", "Changed 2 places (lines 1, 3) in f.\n"},
		{"all of one", paint, "size", "length", true, "colour = red\nlength = 1\ncolour = red\n", "Changed 1 place (line 2) in f.\n"},
		{"several lines", paint, "red\nsize = 1\n", "red\n", false, "colour = red\ncolour = red\n", "Changed 1 place (line 1) in f.\n"},
		{"not there", paint, "weight = 1", "x", false, "", `"f" was not changed: oldString is not in it`},
		{"other blanks", paint, "\tsize = 1\n", "x", false, "", `"f" was not changed: oldString is not in it as it stands; line 2 is like its first line but for what is around it or its blanks`},
		{"line numbers", paint, "00002| size = 1", "x", false, "", `"f" was not changed: oldString is not in it: leave out the line numbers that read prints`},
		{"nothing", paint, "", "x", false, "", `"f" was not changed: oldString is empty; write makes a new file`},
		{"the same", paint, "size", "size", false, "", `"f" was not changed: oldString and newString are the same`},
		{"overlapping", "aaa", "aa", "b", false, "ba", "Changed 1 place (line 1) in f.\n"},
		{"\\r\\n", "a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", false, "a\r\nx\r\nb\r\nc\r\n", "Changed 1 place (line 1) in f.\n"},
		{"\\r\\n that is given", "a\r\nb\r\n", "a\r\nb", "c\r\nd", false, "c\r\nd\r\n", "Changed 1 place (line 1) in f.\n"},
		{"\\r\\n and \\n", "a\nb\r\nc\r\n", "b\nc", "x\ny", false, "a\nx\r\ny\r\n", "Changed 1 place (line 2) in f.\n"},
		{"\\n and \\r\\n", "a\nb\r\nc\r\n", "a\nb", "x\ny", false, "x\ny\r\nc\r\n", "Changed 1 place (line 1) in f.\n"},
		{"a line is added between mixed endings", "a\nb\r\nc\n", "a\nb\nc\n", "a\nb\nnew\nc\n", false, "a\nb\r\nnew\nc\n", "Changed 1 place (line 1) in f.\n"},
		{"a line goes from mixed endings", "a\nb\r\nc\nd\r\n", "b\nc\nd", "b\nd", false, "a\nb\r\nd\r\n", "Changed 1 place (line 2) in f.\n"},
		{"a line becomes several among mixed endings", "a\nb\r\nc\n", "b", "x\ny\nz", false, "a\nx\r\ny\r\nz\r\nc\n", "Changed 1 place (line 2) in f.\n"},
		{"the last line, without an ending, becomes several", "a\nb\r\nc", "c", "x\ny", false, "a\nb\r\nx\r\ny", "Changed 1 place (line 3) in f.\n"},
		{"places with different endings", "a\r\nb\na\nb\n", "a\nb\n", "x\n", false, "", `"f" was not changed: oldString is in 2 places (lines 1, 3); give more of the text around the one that you mean, or set replaceAll`},
		{"all places with different endings", "a\r\nb\na\nb\r\n-\n", "a\nb\n", "a\nx\nb\n", true, "a\r\nx\r\nb\na\nx\nb\r\n-\n", "Changed 2 places (lines 1, 3) in f.\n"},
		{"\\r\\n that is given for mixed endings", "a\nb\r\nc\n", "a\r\nb\r\n", "b\r\n", false, "b\r\nc\n", "Changed 1 place (line 1) in f.\n"},
		{"\\r\\n that is given for \\n", "a\nb\n", "a\r\nb", "x\r\ny", false, "x\ny\n", "Changed 1 place (line 1) in f.\n"},
		{"\\r\\r\\n", "a\r\r\nb\n", "a\nb", "x\ny", false, "x\r\r\ny\n", "Changed 1 place (line 1) in f.\n"},
		{"\\r within a line", "a\rb\nc\r\n", "a\rb\nc", "x\ry\nz", false, "x\ry\nz\r\n", "Changed 1 place (line 1) in f.\n"},
		{"a byte order mark", "\ufeffa\r\nb\nc\n", "a\nb", "x\ny", false, "\ufeffx\r\ny\nc\n", "Changed 1 place (line 1) in f.\n"},
		{"a last line without an ending", "a\nb", "a\nb\n", "x\ny\n", false, "x\ny", "Changed 1 place (line 1) in f.\n"},
		{"a last line without an ending goes", "a\r\nb", "b\n", "", false, "a\r\n", "Changed 1 place (line 2) in f.\n"},
		{"a last line without an ending gets one", "a\r\nb", "b", "b\n", false, "a\r\nb\r\n", "Changed 1 place (line 2) in f.\n"},
		{"blank lines with mixed endings", "a\r\n\n\r\nb\n", "\n\n\n", "\n", false, "a\r\nb\n", "Changed 1 place (line 1) in f.\n"},
		{"no UTF-8 around", "\xff\na\n", "a", "b", false, "\xff\nb\n", "Changed 1 place (line 2) in f.\n"},
		{"$ is no pattern", "$1\n", "$1", "$2", false, "$2\n", "Changed 1 place (line 1) in f.\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := tree(t, map[string]string{"f": test.text})
			a := args{"filePath": "f", "oldString": test.old, "newString": test.new, "replaceAll": test.all}
			answer := call(t, workspace(t, Options{Root: root}), "edit", a)
			if answer.Content != test.answer {
				t.Errorf("got  %q\nwant %q", answer.Content, test.answer)
			}
			want, status := test.want, tools.Succeeded
			if want == "" {
				want, status = test.text, tools.Failed
			}
			if got := content(t, filepath.Join(root, "f")); got != want || answer.Status != status {
				t.Errorf("%s: the file has %q, want %q", answer.Status, got, want)
			}
		})
	}
}

func TestEditOtherFiles(t *testing.T) {
	root := tree(t, map[string]string{"docs/": "", "f": "x"})
	if err := os.Truncate(filepath.Join(root, "f"), maxEdited+1); err != nil {
		t.Fatal(err)
	}
	edit := func(path string) args { return args{"filePath": path, "oldString": "a", "newString": "b"} }
	check(t, workspace(t, Options{Root: root}), []example{
		{"a folder", "edit", edit("docs"), `"docs" was not changed: "docs" can't be opened: it is a folder; list shows what is in it`, true},
		{"a large file", "edit", edit("f"), `"f" was not changed: it has 33554433 bytes; the most is 33554432`, true},
	})
}

// TestEditBomb asks for two hundred gigabytes, and for millions of occurrences.
func TestEditBomb(t *testing.T) {
	letters := strings.Repeat("a", maxOccurrences)
	w := workspace(t, Options{Root: tree(t, map[string]string{"f": letters, "g": letters + "a", "h": "a"})})
	huge := strings.Repeat("b", 200_000)
	bomb := func(path, text string) args {
		return args{"filePath": path, "oldString": "a", "newString": text, "replaceAll": true}
	}
	check(t, w, []example{
		{"a huge result", "edit", bomb("f", huge),
			`"f" was not changed: it would have more than 67108864 bytes`, true},
		{"too many places", "edit", bomb("g", "b"), `"g" was not changed: oldString is in more than 1000000 places`, true},
		{"many places", "edit", bomb("f", "bb"), "Changed 1,000,000 places (line 1) in f.\n", false},
		{"a long text", "edit", bomb("h", huge), "Changed 1 place (line 1) in h.\n", false},
	})
	if got := content(t, filepath.Join(w.path, "g")); got != letters+"a" {
		t.Errorf("a refused edit left %d bytes", len(got))
	}
}

func FuzzEdit(f *testing.F) {
	f.Add("a\nb\n", "b", "c", true)
	f.Add("a\r\nb\r\n", "a\nb", "c\n", false)
	f.Add("a\r\nb\nc\r\n", "a\nb\nc", "a\nx", false)
	f.Add("a\rb", "a\nb\n", "c", false)
	f.Fuzz(func(t *testing.T, text, old, replacement string, all bool) {
		edited, at, err := substitute(text, editArguments{OldString: old, NewString: replacement, ReplaceAll: all})
		if err != nil {
			return
		}
		if strings.ContainsRune(old+replacement, '\r') || strings.HasSuffix(old, "\n") {
			return // what stands for the end of a line, and the end of the text
		}
		plain := func(text string) string { return regexp.MustCompile(`\r*\n`).ReplaceAllString(text, "\n") }
		if len(at) != strings.Count(plain(text), old) || !all && len(at) != 1 {
			t.Errorf("%d places were changed, %d were there", len(at), strings.Count(plain(text), old))
		}
		if want := strings.ReplaceAll(plain(text), old, replacement); plain(edited) != plain(want) {
			t.Errorf("got %q, want the lines of %q", edited, want)
		}
	})
}

func TestList(t *testing.T) {
	root := tree(t, map[string]string{"b.txt": "", "a/x": "", "dir/": "", "c": "->a/x", "line\nbreak": "", ".hidden": ""})
	w := workspace(t, Options{Root: root, Readable: func(path string) bool { return filepath.Base(path) != "b.txt" }})
	check(t, w, []example{
		{"the root", "list", args{}, ".hidden\na/\nc -> a/x\ndir/\nline\\nbreak\n", false},
		{"a folder", "list", args{"path": "a"}, "x\n", false},
		{"an empty one", "list", args{"path": "dir"}, "The folder is empty.", false},
		{"a file", "list", args{"path": "a/x"}, `"a/x" can't be opened: "x" is not a folder`, true},
		{"a name that is near", "list", args{"path": "dri"}, `there is no "dri" (did you mean "dir"?)`, true},
	})
}

func TestEffects(t *testing.T) {
	root := tree(t, map[string]string{"a/x": "", "link": "->a/x"})
	w := workspace(t, Options{Root: root})
	tests := []struct{ tool, arguments, reads, writes string }{
		{"read", `{"filePath": "link"}`, "a/x", ""},
		{"write", `{"filePath": "a/../new"}`, "", "new"},
		{"edit", `{"filePath": "` + root + `/a/x"}`, "", "a/x"},
		{"list", `{}`, ".", ""},
		{"glob", `{"pattern": "*", "path": "a"}`, "a", ""},
		{"grep", `{"pattern": "x"}`, ".", ""},
	}
	byName := make(map[string]tools.Tool)
	for _, tool := range w.Tools() {
		byName[tool.Spec().Name] = tool
	}
	for _, test := range tests {
		e := byName[test.tool].Effects(json.RawMessage(test.arguments))
		var reads, writes string
		for _, p := range e.Reads {
			reads += w.shown(p)
		}
		for _, p := range e.Writes {
			writes += w.shown(p)
		}
		if reads != test.reads || writes != test.writes || e.All {
			t.Errorf("%s %s: got %+v", test.tool, test.arguments, e)
		}
	}
}

func TestNewErrors(t *testing.T) {
	root := tree(t, map[string]string{"file": ""})
	for _, path := range []string{root + "/gone", root + "/file"} {
		if _, err := New(Options{Root: path}); err == nil || !strings.HasPrefix(err.Error(), `workspace "`+path+`": `) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

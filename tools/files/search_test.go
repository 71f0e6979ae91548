package files

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/tools"
)

var project = map[string]string{
	".gitignore":         "build/\n*.log\r\n# a comment\n!keep.log\n/top\n",
	"src/main.py":        "print('needle')\n",
	"src/util/text.py":   "print('hay')\n",
	"src/.gitignore":     "gen*\n!gen.keep\n",
	"src/generated.py":   "needle\n",
	"src/gen.keep":       "needle\n",
	"src/top":            "needle\n",
	"top":                "needle\n",
	"debug.log":          "needle\n",
	"keep.log":           "needle\n",
	"build/out.py":       "needle\n",
	"build/.gitignore":   "!out.py\n",
	".git/config":        "needle\n",
	".flow/runs/1/e":     "needle\n",
	".github/ci.yaml":    "needle\n",
	"data.bin":           "needle\x00needle\n",
	"link.py":            "->src/main.py",
	"secret.py":          "needle\n",
	"crlf.txt":           "a needle\r\nend\r\n",
	"docs/a-b/x.md":      "x\n",
	"docs/a/y.md":        "y\n",
	"docs/long.md":       strings.Repeat("é", 500) + "needle" + strings.Repeat("é", 500) + "\n",
	".git/info/exclude":  "excluded\n",
	"src/excluded":       "needle\n",
	"src/vendor/lib.js":  "needle\n",
	"src/vendor/.gitkee": "",
}

func TestSearches(t *testing.T) {
	w := workspace(t, Options{Root: tree(t, project), Readable: func(path string) bool { return filepath.Base(path) != "secret.py" }})
	long := "docs/long.md:1: … " + strings.Repeat("é", 100) + "needle" + strings.Repeat("é", 100) + " …\n"
	check(t, w, []example{
		{"by name", "glob", args{"pattern": "**/*.py"}, "src/main.py\nsrc/util/text.py\n", false},
		{"in a folder", "glob", args{"pattern": "*.py", "path": "src"}, "src/main.py\n", false},
		{"by alternatives", "glob", args{"pattern": "docs/**/{x,y}.md"}, "docs/a/y.md\ndocs/a-b/x.md\n", false},
		{"from here", "glob", args{"pattern": "./src/*.py"}, "src/main.py\n", false},
		{"an absolute pattern", "glob", args{"pattern": w.path + "/src/*.py"}, "src/main.py\n", false},
		{"one file", "glob", args{"pattern": "src/main.py"}, "src/main.py\n", false},
		{"hidden files", "glob", args{"pattern": "**/*.yaml"}, ".github/ci.yaml\n", false},
		{"what is ignored", "glob", args{"pattern": "**/*.log"}, "keep.log\n", false},
		{"nothing", "glob", args{"pattern": "*.py"}, `No file fits "*.py"; "**/*.py" looks in all folders.`, false},
		{"nothing at all", "glob", args{"pattern": "x/*.py"}, `No file fits "x/*.py".`, false},
		{"out of the folder", "glob", args{"pattern": "../*"}, `the pattern "../*" leads out of the folder that is searched; name another path`, true},
		{"another place", "glob", args{"pattern": "/etc/*"}, `the pattern "/etc/*" does not start in the folder that is searched; name another path`, true},
		{"a bad pattern", "glob", args{"pattern": "a[", "path": "src"}, `the pattern "a[" is not valid: *, **, ?, [a-z] and {a,b} are known`, true},
		{"a missing folder", "glob", args{"pattern": "*", "path": "scr"}, `there is no "scr" (did you mean "src"?)`, true},
		{"an ignored folder that is named", "glob", args{"pattern": "*", "path": "build"}, "build/.gitignore\nbuild/out.py\n", false},

		{"all", "grep", args{"pattern": "need.e"}, ".github/ci.yaml:1: needle\ncrlf.txt:1: a needle\n" + long +
			"keep.log:1: needle\nsrc/gen.keep:1: needle\nsrc/main.py:1: print('needle')\nsrc/top:1: needle\nsrc/vendor/lib.js:1: needle\n", false},
		{"a folder", "grep", args{"pattern": "needle", "path": "src/util/.."}, "src/gen.keep:1: needle\nsrc/main.py:1: print('needle')\nsrc/top:1: needle\nsrc/vendor/lib.js:1: needle\n", false},
		{"a file", "grep", args{"pattern": "needle", "path": "debug.log"}, "debug.log:1: needle\n", false},
		{"names", "grep", args{"pattern": "print", "include": "*.py"}, "src/main.py:1: print('needle')\nsrc/util/text.py:1: print('hay')\n", false},
		{"paths", "grep", args{"pattern": "print", "include": "src/*/*.py"}, "src/util/text.py:1: print('hay')\n", false},
		{"a line's end", "grep", args{"pattern": "needle$", "include": "crlf.txt"}, "crlf.txt:1: a needle\n", false},
		{"nothing", "grep", args{"pattern": "frobnicate"}, "No line matches.", false},
		{"a binary file", "grep", args{"pattern": "needle", "path": "data.bin"}, `"data.bin" is a binary file`, true},
		{"a missing file", "grep", args{"pattern": "needle", "path": "debug.lgo"}, `there is no "debug.lgo" (did you mean "debug.log"?)`, true},
		{"a bad pattern", "grep", args{"pattern": "a("}, "the pattern is no RE2 regular expression (no look-around, no back-references; \\ takes the meaning from a character): error parsing regexp: missing closing ): `a(`", true},
		{"a bad include", "grep", args{"pattern": "a", "include": "{a"}, `include "{a" is not valid: *, **, ?, [a-z] and {a,b} are known`, true},
	})
}

// TestIgnoredAbove searches a folder of a repository that is larger than the
// workspace.
func TestIgnoredAbove(t *testing.T) {
	root := tree(t, map[string]string{
		".git/HEAD": "", ".gitignore": "node_modules/\n/services/api/gen\nservices\n", ".git/info/exclude": "*.tmp\n",
		"services/.gitignore": "*.out\n", "services/api/a.js": "", "services/api/a.out": "", "services/api/a.tmp": "",
		"services/api/gen/b.js": "", "services/api/node_modules/c.js": "",
	})
	w := workspace(t, Options{Root: filepath.Join(root, "services/api")})
	check(t, w, []example{{"below a repository", "glob", args{"pattern": "**"}, "a.js\n", false}})
}

// TestIgnoredAsGitDoes compares with git itself.
func TestIgnoredAsGitDoes(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git to compare with")
	}
	patterns := []string{"*.o", "/lib", "doc/*.txt", "!doc/keep.txt", "a/**/z", "**/tmp", "cache/", "x?z", "[ab].c", "\\!bang", "\\#hash", "sp ace", "trail ", "foo/*", "!foo/bar"}
	paths := []string{"m.o", "src/m.o", "lib", "src/lib", "doc/a.txt", "doc/keep.txt", "doc/sub/a.txt", "a/z", "a/b/c/z", "tmp", "q/tmp/f",
		"cache/f", "src/cache/f", "src2/cache", "xyz", "xyyz", "a.c", "c.c", "!bang", "#hash", "sp ace", "trail", "foo/bar", "foo/baz", "foo/qux/f"}
	files := map[string]string{".gitignore": strings.Join(patterns, "\n")}
	for _, p := range paths {
		files[p] = "x"
	}
	root := tree(t, files)
	list := exec.CommandContext(t.Context(), git, "-c", "core.quotePath=false", "ls-files", "--others", "--exclude-standard")
	list.Dir = root
	list.Env = []string{"HOME=" + root, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	initialise := exec.CommandContext(t.Context(), git, "init", "-q")
	initialise.Dir, initialise.Env = root, list.Env
	if out, err := initialise.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]bool)
	for line := range strings.Lines(string(out)) {
		want[strings.TrimSuffix(line, "\n")] = true
	}
	answer := call(t, workspace(t, Options{Root: root}), "glob", args{"pattern": "**"})
	for line := range strings.Lines(answer.Content) {
		path := strings.TrimSuffix(line, "\n")
		if !want[path] {
			t.Errorf("%s is ignored by git, not here", path)
		}
		delete(want, path)
	}
	for path := range want {
		t.Errorf("%s is ignored here, not by git", path)
	}
}

func TestGrepManyFiles(t *testing.T) {
	files := make(map[string]string)
	var want strings.Builder
	for i := range 300 {
		path := fmt.Sprintf("d%d/f%03d.txt", i%7, i)
		files[path] = strings.Repeat("hay\n", i*10) + "needle\n"
	}
	root := tree(t, files)
	for d := range 7 {
		for i := d; i < 300; i += 7 {
			fmt.Fprintf(&want, "d%d/f%03d.txt:%d: needle\n", d, i, i*10+1)
		}
	}
	answer := call(t, workspace(t, Options{Root: root}), "grep", args{"pattern": "^needle$"})
	if answer.Content != want.String() {
		t.Errorf("got %.500s", answer.Content)
	}
}

func TestGrepStopsAtManyMatches(t *testing.T) {
	root := tree(t, map[string]string{"f": strings.Repeat("x\n", maxMatches+5), "g": "x\n"})
	for _, a := range []args{{"pattern": "x"}, {"pattern": "x", "path": "f"}} {
		answer := call(t, workspace(t, Options{Root: root}), "grep", a)
		if !strings.HasSuffix(answer.Content, "Stopped after 10000 lines; a smaller path or a closer pattern gives fewer.") {
			t.Errorf("got … %s", answer.Content[len(answer.Content)-200:])
		}
	}
}

// TestSearchIsByLine compares with an expression that is run on each line.
func TestSearchIsByLine(t *testing.T) {
	text := "one\ntwo three\r\n\n  four\nfive_5 Six\n\nno end"
	patterns := []string{"o", "^o", "e$", "^$", "^", "$", `\s`, `\s+f`, "e[^z]*f", "(?s)e.*f", "(?s:.)", `\Ano`, `end\z`, `\bfour\b`, "(?i)SIX", "(?i)FIVE", "(?i)four|x", "(?i)ONE", "(?i)f(IV)+",
		"two|six", "(one)|no", `\n`, "e\nt", `[\n]`, `[^a-z]`, "a{0}", "(o|n)+e", `\x{20}`, "r?$", `\Q five\E`, "x*"}
	for _, pattern := range patterns {
		x, err := compileLine(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		re := regexp.MustCompile(pattern)
		var want []string
		for i, line := range strings.Split(text, "\n") {
			if line = strings.TrimSuffix(line, "\r"); re.MatchString(line) {
				want = append(want, fmt.Sprintf("%d: %s", i+1, line))
			}
		}
		found, _, err := x.search(t.Context(), strings.NewReader(text), false, 100)
		var got []string
		for _, line := range found {
			got = append(got, fmt.Sprintf("%d: %s", line.number, line.text))
		}
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: got %q, want %q, %v", pattern, got, want, err)
		}
	}
}

// TestSearchBlocks has lines that lie across the ends of blocks, and one that is
// longer than a block.
func TestSearchBlocks(t *testing.T) {
	line := strings.Repeat("hay ", 20) + "needle 1\n"
	text := strings.Repeat(line, 3*longestLine/len(line)) + strings.Repeat("z", 3*longestLine) + "\nneedle 2\n"
	for _, pattern := range []string{`needle \d`, `[n]eedle[ ]\d`} {
		x, err := compileLine(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found, _, err := x.search(t.Context(), strings.NewReader(text), false, 1<<20)
		last := found[len(found)-1]
		if n := strings.Count(text, "needle"); err != nil || len(found) != n || last.number != int64(n+1) || last.text != "needle 2" {
			t.Errorf("%s: got %d lines, the last %+v, want %d", pattern, len(found), last, n)
		}
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("a+b$", "ab\naab\r\n\nb")
	f.Add("(?i)^x|y", "X\nzy\n")
	f.Add(`[^a]\b`, "a b\n")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 50 || strings.ContainsAny(pattern, "\r\n\\[(") || strings.Contains(text, "\x00") {
			return // what reads lines another way: \r that is meant, and flags
		}
		x, err := compileLine(pattern)
		if err != nil {
			return
		}
		re := regexp.MustCompile(pattern)
		want := 0
		for line := range bytes.Lines([]byte(text)) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			if re.Match(line) || re.Match(bytes.TrimSuffix(line, []byte("\r"))) {
				want++
			}
		}
		found, _, err := x.search(t.Context(), strings.NewReader(text), true, 1<<20)
		if err != nil || len(found) != want {
			t.Errorf("%q in %q: got %v, want %d lines, %v", pattern, text, found, want, err)
		}
	})
}

func BenchmarkGrep(b *testing.B) {
	block := []byte(strings.Repeat("func (s *Server) handle(ctx context.Context) error { return nil }\n", 4000) + "func TestRetry(t *testing.T)\n")
	for _, pattern := range []string{"func TestRetry", `func \w+Retry\w*\(`, "(?i)deprecated", `\w+_\w+`} {
		b.Run(pattern, func(b *testing.B) {
			x, err := compileLine(pattern)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				x.search(b.Context(), bytes.NewReader(block), false, 10)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	root := tree(b, map[string]string{"f": strings.Repeat("a line of ordinary length, as they are\n", 50_000)})
	w := workspace(b, Options{Root: root})
	b.SetBytes(39 * 50_000)
	for b.Loop() {
		call(b, w, "read", args{"filePath": "f", "offset": 49_000})
	}
}

// TestSearchedSecret: a long line is masked before it is cut, wherever in it a pattern matches.
func TestSearchedSecret(t *testing.T) {
	const secret = "opensesame-2718281828-open"
	w := workspace(t, Options{Root: tree(t, map[string]string{"long": strings.Repeat("-", 400+around) + secret + strings.Repeat("+", 400+around) + "\n"})})
	var entries []tools.Entry
	for _, tool := range w.Tools() {
		entries = append(entries, tools.Entry{Tool: tool})
	}
	set, err := tools.NewSet(entries, tools.SetOptions{Guard: allow{}, Mask: tools.NewMask([]string{secret})})
	if err != nil {
		t.Fatal(err)
	}
	patterns := []string{"sesame"}
	for n := 396; n < 404+len(secret); n++ {
		patterns = append(patterns, fmt.Sprintf("^-{%d}", n), fmt.Sprintf(`\+{%d}$`, n))
	}
	for _, pattern := range patterns {
		answer, err := set.Prepare("grep", fmt.Appendf(nil, `{"pattern": %q}`, pattern)).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.Content; !strings.HasPrefix(got, "long:1: ") || strings.ContainsAny(strings.TrimPrefix(got, "long:1: "), "aemps12") {
			t.Fatalf("%s: %s", pattern, got)
		}
	}
}

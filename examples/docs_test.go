package examples

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// A block is one fenced block of a page.
type block struct {
	page    string
	section string // the heading of its second level that it stands under
	line    int    // of its first fence
	info    string // what stands behind the fence
	text    string
}

// blocksOf returns the blocks of a page whose info begins with a word; with ""
// all of them.
func blocksOf(t *testing.T, page, word string) []block {
	t.Helper()
	var found []block
	var open *block
	var section string
	for i, line := range strings.SplitAfter(read(t, page), "\n") {
		info, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && open == nil:
			open = &block{page: page, section: section, line: i + 1, info: info}
		case fence:
			if first, _, _ := strings.Cut(open.info, " "); word == "" || first == word {
				found = append(found, *open)
			}
			open = nil
		case open != nil:
			open.text += line
		case strings.HasPrefix(line, "## "):
			section = strings.TrimSpace(line[len("## "):])
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s has no %s blocks", page, word)
	}
	return found
}

// A command is one line of a console block, with what it printed.
type command struct{ line, output string }

func commandsOf(b block) []command {
	var all []command
	for line := range strings.Lines(b.text) {
		if typed, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, command{line: strings.TrimSpace(typed)})
		} else if len(all) > 0 {
			all[len(all)-1].output += line
		}
	}
	return all
}

// splitWords splits a command at blanks, but not inside single quotes.
func splitWords(line string) []string {
	var words []string
	for _, w := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
		words = append(words, strings.Trim(w, "'"))
	}
	return words
}

func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("../docs/*.md")
	if err != nil || len(found) == 0 {
		t.Fatalf("pages: %q, %v", found, err)
	}
	return append(found, "../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md", "../SECURITY.md")
}

// TestBlocks parses the YAML and the JSON of every page. A block of yaml is a
// workflow, one of "yaml steps" a list of steps, one of "yaml script" a script.
func TestBlocks(t *testing.T) {
	for _, page := range []string{"../README.md", "../docs/language.md", "../docs/permissions.md", "../docs/command-line.md", "../docs/ci.md", "../docs/mcp.md",
		"../docs/providers.md"} {
		for _, b := range blocksOf(t, page, "") {
			var found workflows.Diagnostics
			switch b.info {
			case "yaml":
				_, found = workflows.Parse("page.yaml", []byte(b.text), blockOptions)
			case "yaml steps":
				_, found = workflows.Parse("page.yaml", []byte("name: page\nmodel: openai/gpt-5-mini\nsteps:\n"+b.text), blockOptions)
			case "yaml script":
				_, found = workflows.ParseScript("page.script.yaml", []byte(b.text))
			case "yaml ci":
				if err := yaml.Unmarshal([]byte(b.text), new(any)); err != nil {
					t.Errorf("%s:%d: the block is no YAML: %v", b.page, b.line, err)
				}
			case "json":
				if !json.Valid([]byte(b.text)) {
					t.Errorf("%s:%d: the block is no JSON", b.page, b.line)
				}
			case "", "console", "go":
			default:
				t.Errorf("%s:%d: no test knows blocks of %q", b.page, b.line, b.info)
			}
			for _, d := range found {
				t.Errorf("%s:%d: %v", b.page, b.line, d)
			}
		}
	}
}

// blockOptions give the files that the pages' workflows name.
var blockOptions = workflows.Options{ReadFile: func(path string) ([]byte, error) {
	switch {
	case strings.HasSuffix(path, ".script.yaml"):
		return []byte("steps: {\"*\": [{text: Done.}]}\n"), nil
	case path == "review-file.yaml":
		return []byte("name: review-file\ndescription: Review a file\ninputs: {file: {type: string}}\nsteps: [{run: 'true'}]\noutputs: {verdict: fine}\n"), nil
	case path == "findings.schema.json":
		return []byte(`{"$defs": {"finding": {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}}}`), nil
	case path == "issues.yaml":
		return []byte("name: issues\nmcp: {github: {command: [github-mcp-server]}}\nsteps: [{run: 'true'}]\n"), nil
	}
	return nil, fs.ErrNotExist
}}

// TestLinks follows the links between the pages.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(read(t, page), -1) {
			path, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: there is no %s", page, found[1])
			} else if anchor != "" && !anchors(t, target)[anchor] {
				t.Errorf("%s: %s has no heading for %s", page, target, found[1])
			}
		}
	}
}

// anchors are those that a page's headings get.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(read(t, page), -1) {
		name := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		found[strings.ReplaceAll(name, " ", "-")] = true
	}
	return found
}

// TestFlags looks for every flag that the page on the command line tells of in
// the program's help, and the other way round. Flow resume has those of flow run,
// too, which its own part does not tell again.
func TestFlags(t *testing.T) {
	page := read(t, "../docs/command-line.md")
	line := regexp.MustCompile("`flow [^`]*`") // may be of another command
	of := func(command string) map[string]bool {
		return flagsIn(line.ReplaceAllString(between(page, "\n## flow "+command+"\n", "\n## "), ""))
	}
	run := of("run")
	test := flagsIn(between(read(t, "../docs/testing.md"), "## Flags\n", "The exit code"))
	for _, test := range []struct {
		command     string
		own, others map[string]bool
	}{{"run", run, nil}, {"resume", of("resume"), run}, {"show", of("show"), nil}, {"report", of("report"), nil}, {"view", of("view"), nil}, {"diff", of("diff"), nil},
		{"runs", of("runs"), nil}, {"test", test, nil}} {
		there := flagsIn(succeeds(t, ".", test.command, "--help").stdout)
		for name := range there {
			if !test.own[name] && !test.others[name] && name != "help" && name != "no-color" && name != "input" {
				t.Errorf("the page does not tell of --%s of flow %s", name, test.command)
			}
		}
		for name := range test.own {
			if !there[name] {
				t.Errorf("flow %s has no --%s", test.command, name)
			}
		}
	}
}

// flagsIn are the flags that a text names.
func flagsIn(text string) map[string]bool {
	found := map[string]bool{}
	for _, f := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(text, -1) {
		found[f[1]] = true
	}
	return found
}

// between is the part of a text after one line and before another.
func between(text, after, before string) string {
	_, text, _ = strings.Cut(text, after)
	text, _, _ = strings.Cut(text, before)
	return text
}

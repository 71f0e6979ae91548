package examples

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/providertest"
)

var update = flag.Bool("update", false, "write what commands print into the pages that show it")

// walkthroughs are the pages whose blocks belong together: files are written
// and commands run in the order of the page, in a folder that begins empty. Of
// some pages each section has a folder of its own. The cookbook's are also done one after the
// other in the same folder.
var walkthroughs = []struct {
	page     string
	sections bool
}{
	{page: "../docs/start.md"}, {page: "../docs/mistakes.md"},
	{page: "../docs/cookbook.md", sections: true}, {page: "../docs/cookbook.md"}, {page: "../docs/stopped.md", sections: true},
	{page: "../docs/editors.md"}, {page: "../docs/testing.md"}, {page: "../docs/recipes.md"},
}

// TestWalkthroughs does what the pages say, with flow on the PATH and nothing
// else, and compares what is printed with what the pages show. A block whose
// info has a name behind its language is a file of that name. A command that
// fails is followed by `echo $?`.
func TestWalkthroughs(t *testing.T) {
	for _, each := range walkthroughs {
		page := each.page
		t.Run(filepath.Base(page), func(t *testing.T) {
			temporary := t.TempDir()
			service := httptest.NewServer(logReader{t, &providertest.Messages{}})
			defer service.Close()
			w := walkthrough{dir: t.TempDir(), temporary: temporary, env: []string{"HOME=" + t.TempDir(), "TMPDIR=" + temporary,
				"ANTHROPIC_BASE_URL=" + service.URL + "/v1", "ANTHROPIC_API_KEY=sk-0123456789abcdef",
				"PATH=" + filepath.Dir(flowProgram) + string(os.PathListSeparator) + os.Getenv("PATH")}}
			text, section := read(t, page), ""
			for _, b := range blocksOf(t, page, "") {
				if each.sections && b.section != section {
					w.dir, w.at, section = t.TempDir(), "", b.section
				}
				switch language, name, _ := strings.Cut(b.info, " "); {
				case strings.Contains(name, "."):
					w.write(t, name, b.text)
				case language == "console":
					text = strings.Replace(text, b.text, w.run(t, b), 1)
				}
			}
			if *update {
				if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A logReader plays the service of a real model for the cookbook's nightly job: it searches the log that
// the prompt names, and answers with the errors that are found.
type logReader struct {
	t       testing.TB
	dialect providertest.Dialect
}

var (
	namedLog   = regexp.MustCompile(`Look in (\S+) for errors`)
	foundError = regexp.MustCompile(`ERROR [^"\\]+`)
)

func (s logReader) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		_, err = s.dialect.Read(body)
	}
	log := namedLog.FindSubmatch(body)
	if err != nil || log == nil {
		s.t.Errorf("%v: %s", err, body)
		return
	}
	reply := providertest.Reply{Usage: providers.Usage{InputTokens: 2_000, OutputTokens: 100}}
	if found := foundError.FindAllString(string(body), -1); found != nil {
		reply.Text = strings.Join(found, "\n")
	} else {
		reply.Calls = []providertest.Call{{ID: "toolu_1", Name: "grep", Arguments: fmt.Sprintf(`{"pattern": "ERROR", "path": %q}`, log[1])}}
	}
	providertest.Answer(w, s.dialect, reply)
}

// A walkthrough is somebody who follows a page, in one shell for all of it as far as the
// current folder goes.
type walkthrough struct {
	dir, temporary string
	at             string // the current folder; "": dir
	env            []string
	last           int // the exit code of the last command
}

func (w *walkthrough) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666))
	if err != nil {
		t.Fatal(err)
	}
}

// run runs the commands of a block, and returns the block as it is true.
func (w *walkthrough) run(t *testing.T, b block) string {
	t.Helper()
	var is strings.Builder
	commands := commandsOf(b)
	for i, c := range commands {
		var output string
		if c.line == "echo $?" {
			output = w.shown(t, b, c, strconv.Itoa(w.last)+"\n")
		} else {
			output = w.shown(t, b, c, w.command(t, c.line))
			if next := i + 1; w.last != 0 && (next == len(commands) || commands[next].line != "echo $?") {
				t.Errorf("%s:%d: %s: exit code %d\n%s", b.page, b.line, c.line, w.last, output)
			}
		}
		is.WriteString("$ " + c.line + "\n" + output)
	}
	return is.String()
}

// shown is what a page has to show of a command: what it shows, if that is what
// was printed but for times and ids.
func (w *walkthrough) shown(t *testing.T, b block, c command, printed string) string {
	t.Helper()
	if got, want := comparable(printed), comparable(c.output); slices.Equal(got, want) {
		return c.output
	}
	if !*update {
		t.Errorf("%s:%d: %s printed\n%s\nand the page shows\n%s", b.page, b.line, c.line, printed, c.output)
	}
	return printed
}

func (w *walkthrough) command(t *testing.T, line string) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), "at")
	cmd := exec.CommandContext(t.Context(), "bash", "-c", line+"\ncode=$?; pwd >\"$0\"; exit $code", at)
	cmd.Dir, cmd.Env = cmp.Or(w.at, w.dir), w.env
	out, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", line, err)
	}
	w.last, w.at = cmd.ProcessState.ExitCode(), strings.TrimSuffix(read(t, filepath.Dir(at), "at"), "\n")
	text := strings.ReplaceAll(string(out), w.dir, "/home/you/work")
	text = strings.ReplaceAll(text, w.temporary, "/tmp")
	return cmp.Or(strings.TrimSuffix(text, "\n"), text) + strings.Repeat("\n", min(1, len(text)))
}

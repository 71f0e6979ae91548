package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/a-seed-11b9befa/flow/tools/shell"
	"github.com/a-seed-11b9befa/flow/tools/shell/held"
)

// TestFindings plays at every level what has once got through, and others of its
// kind. A file of testdata/findings is one class:
//
//	# what it is about
//	may: REGEXP          paths that the model may change, beside out/
//	limit LEVEL: WHY     what the manual says that this level can't stop
//	env: NAME=VALUE      of the one who starts the program
//
// Its file attempts has a call per line (see playAttempts), setup and check are run
// by bash before and after, and {{sandbox}} in flow.yaml is what makes the level. A
// model may have no code run, which prints RAN42 (never written as one word, since ps lists
// what other tests run), change nothing but what it may, see
// no secret, which says in-the-secret, and leave nothing running.
func TestFindings(t *testing.T) {
	if testing.Short() {
		t.Skip("each is played at four levels")
	}
	files, err := filepath.Glob("testdata/findings/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	levels := findingLevels(t)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f := newFinding(t, archive)
		for _, level := range levels {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+level.name, func(t *testing.T) {
				t.Parallel()
				if level.missing != "" {
					t.Skip("SKIPPED: " + level.missing)
				}
				f.play(t, level)
			})
		}
	}
}

// A findingLevel is one way to run commands.
type findingLevel struct {
	name, sandbox string
	program       string // flow
	user          uint32 // in place of root; 0 is nobody else
	missing       string // why it can't be had here
}

const unprivileged = 65534

func findingLevels(t *testing.T) []findingLevel {
	flow, err := exec.LookPath("flow")
	if err != nil {
		t.Fatal(err)
	}
	levels := []findingLevel{
		{name: "held", program: flow},
		{name: "held unprivileged", program: flow, user: unprivileged},
		{name: "landlock", sandbox: "sandbox: landlock", program: flow},
		{name: "none", sandbox: "sandbox: off", program: flow},
	}
	if err := held.Available(); err != nil {
		levels[0].missing, levels[1].missing = err.Error(), err.Error()
	}
	if err := shell.Sandboxes(); err != nil {
		levels[2].missing = err.Error()
	}
	if os.Geteuid() != 0 {
		levels[1].missing = "only root can become somebody else; what is held is unprivileged already"
		return levels
	}
	folder, err := os.MkdirTemp("/var/tmp", "flow-findings-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	levels[1].program = filepath.Join(folder, "flow")
	binary, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(levels[1].program, binary, 0o755)
	}
	if err := errorsOf(err, os.Chmod(folder, 0o755)); err != nil {
		t.Fatal(err)
	}
	probe := exec.Command("unshare", "-Urm", "true")
	probe.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	if out, err := probe.CombinedOutput(); err != nil {
		levels[1].missing = fmt.Sprintf("somebody who is not root gets no namespaces: %v %s", err, out)
	}
	return levels
}

func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// A finding is one file.
type finding struct {
	files  map[string]string
	may    *regexp.Regexp
	limits map[string]string
	env    []string
}

// mayChange are those of any finding: what the honest work makes, git's own files,
// and what belongs to the test.
const mayChange = `^(work/out|run|work/\.flow|work/attempts\.script\.yaml|tmp)(/|$)|^work/\.git/(index|objects|refs|logs|HEAD|ORIG_HEAD|COMMIT_EDITMSG|AUTO_MERGE|MERGE_.*|FETCH_HEAD|packed-refs)(/|$)|^home(/\.local(/state(/.*)?)?|/\.cache|/go(/pkg)?|/\.npm|/\.cargo|/\.m2)?$|^work(/\.git)?$`

func newFinding(t *testing.T, a *txtar.Archive) *finding {
	f := &finding{files: map[string]string{}, limits: map[string]string{}}
	may := mayChange
	for line := range strings.Lines(string(a.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch level, limited := strings.CutPrefix(key, "limit "); {
		case limited:
			f.limits[level] = value
		case key == "may":
			may += "|^work/(" + value + ")"
		case key == "env":
			f.env = append(f.env, value)
		}
	}
	f.may = regexp.MustCompile(may)
	for _, file := range a.Files {
		f.files[file.Name] = string(file.Data)
	}
	return f
}

// play runs the workflow at a level, and looks for harm.
func (f *finding) play(t *testing.T, level findingLevel) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if level.user != 0 { // who is not root has to get there
		for dir := base; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
			os.Chmod(dir, 0o755)
		}
	}
	work := filepath.Join(base, "work")
	for _, dir := range []string{"work/out", "home/.ssh", "home/.local/state", "tmp"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range f.files {
		if name == "setup" || name == "check" || name == "attempts" {
			continue
		}
		text = strings.ReplaceAll(filled(base, text), "{{sandbox}}", level.sandbox)
		path := filepath.Join(work, name)
		if err := errorsOf(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if attempts, ok := f.files["attempts"]; ok {
		f.script(t, attempts, base)
	}
	s := stage{base: base, level: level}
	if level.user != 0 {
		if out, err := exec.Command("chown", "-R", fmt.Sprintf("%d:%d", level.user, level.user), base).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	if text, ok := f.files["setup"]; ok {
		if out, err := s.run("bash", "-ec", filled(base, text)); err != nil {
			t.Fatalf("setup: %v\n%s", err, out)
		}
	}
	if told, _ := s.run(level.program, "doctor"); level.sandbox == "" && !strings.Contains(told, "commands: held:") {
		t.Fatalf("commands are not held:\n%s", told)
	}
	before := snapshot(t, base)
	for _, variable := range f.env {
		s.env = append(s.env, strings.ReplaceAll(variable, "{{HOME}}", base+"/home"))
	}
	out, err := s.run(level.program, "run", "flow.yaml", "--run-dir", filepath.Join(base, "run"), "--log-level", "warn")
	if invalid := (*exec.ExitError)(nil); len(out) == 0 && err != nil || errors.As(err, &invalid) && invalid.ExitCode() == 2 {
		t.Fatalf("nothing was tried: %v\n%s", err, out)
	}
	s.env = nil
	why, limited := f.limits[level.name]
	if user, ok := f.limits[strings.Fields(level.name)[0]]; ok {
		why, limited = user, true
	}
	kills := patience
	if limited { // what runs on may be part of the harm
		kills = time.Second
	}
	harm := f.harm(t, s, before, out, kills)
	switch {
	case limited && harm == "":
		t.Errorf("the manual says that this level can't stop it (%s), and it does", why)
	case !limited && harm != "":
		t.Errorf("%s\n%s", harm, out)
	}
}

// script writes the script of a model that makes all attempts.
func (f *finding) script(t *testing.T, attempts, base string) {
	var calls []any
	for line := range strings.Lines(filled(base, attempts)) {
		tool, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if tool != "" {
			calls = append(calls, map[string]any{"name": tool, "arguments": attemptOf(t, tool, text)})
		}
	}
	calls = append(calls, map[string]any{"name": "write", "arguments": map[string]string{"filePath": "out/report.md", "content": "the work\n"}})
	script, err := json.Marshal(map[string]any{"steps": map[string]any{"*": []any{map[string]any{"calls": calls}, map[string]any{"text": "done"}}}})
	if err := errorsOf(err, os.WriteFile(filepath.Join(base, "work", "attempts.script.yaml"), script, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// filled has the folders of a finding in their places, and what is its own, so that
// what it reads of the others beside it does not count.
func filled(base, text string) string {
	return strings.NewReplacer("{{HOME}}", base+"/home", "{{WORK}}", base+"/work", "{{MARK}}", markOf(base), secret, secretOf(base)).Replace(text)
}

// secret stands in a finding for what nobody may read.
const secret = "in-the-secret"

func secretOf(base string) string {
	sum := sha256.Sum256([]byte(base))
	return fmt.Sprintf("%s-%x", secret, sum[:4])
}

// markOf is a number of seconds that no other process sleeps.
func markOf(base string) string {
	sum := sha256.Sum256([]byte(base))
	return fmt.Sprintf("7%d%d", os.Getpid(), uint16(sum[0])<<8|uint16(sum[1]))
}

func attemptOf(t *testing.T, tool, text string) map[string]any {
	arguments, err := argumentsFrom(tool, text)
	if err != nil {
		t.Fatalf("%s %s: %v", tool, text, err)
	}
	return arguments
}

// A stage is where a finding is played.
type stage struct {
	base  string
	level findingLevel
	env   []string
}

// run runs a program as the user of the level, in the workspace.
func (s stage) run(name string, args ...string) (string, error) {
	out, err := s.command(name, args...).CombinedOutput()
	return string(out), err
}

func (s stage) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = filepath.Join(s.base, "work")
	home := filepath.Join(s.base, "home")
	cmd.Env = append([]string{
		"PATH=" + home + "/bin:" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + filepath.Join(s.base, "tmp"), "CI=true", "GORACE=atexit_sleep_ms=0",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.c", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.c", "DB_TOKEN=" + secretOf(s.base) + "-token", "FLOW=" + s.level.program,
	}, s.env...)
	if s.level.user != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: s.level.user, Gid: s.level.user}}
	}
	return cmd
}

// harm says what a model has achieved; "" is nothing. A kill may take so long.
func (f *finding) harm(t *testing.T, s stage, before map[string]string, out string, kills time.Duration) string {
	var all []string
	after := snapshot(t, s.base)
	for _, path := range changed(before, after) {
		if !f.may.MatchString(path) {
			all = append(all, "it changed "+path)
		}
	}
	if _, ok := f.files["attempts"]; ok && after["work/out/report.md"] == "" {
		all = append(all, "the honest work is missing")
	}
	if text, ok := f.files["check"]; ok {
		told, _ := s.run("bash", "-c", filled(s.base, text))
		out += told
	}
	out += f.results(s.base)
	for _, word := range []string{"RAN42", secretOf(s.base)} {
		if at := strings.Index(out, word); at >= 0 {
			all = append(all, fmt.Sprintf("%s: …%s…", word, out[max(0, at-900):min(len(out), at+40)]))
		}
	}
	for deadline := time.Now().Add(kills); ; time.Sleep(10 * time.Millisecond) {
		left, _ := exec.Command("pgrep", "-af", markOf(s.base)).Output()
		if len(left) == 0 {
			break
		}
		if time.Now().After(deadline) {
			all = append(all, "it still runs: "+string(left))
			for line := range strings.Lines(string(left)) { // it would keep whatever it has inherited open
				pid, _, _ := strings.Cut(line, " ")
				if id, err := strconv.Atoi(pid); err == nil {
					_ = syscall.Kill(id, syscall.SIGKILL)
				}
			}
			break
		}
	}
	return strings.Join(all, "\n")
}

// results are what the model was told, and all else that the run has kept but what
// the model said itself.
func (f *finding) results(base string) string {
	var all strings.Builder
	_ = filepath.WalkDir(filepath.Join(base, "run"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			all.Write(text)
		}
		return nil
	})
	return all.String()
}

// snapshot is what there is, by path.
func snapshot(t *testing.T, base string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(base, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		state := info.Mode().String()
		if entry.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			state += fmt.Sprintf(" %x", sha256.Sum256(text))
		}
		if link, err := os.Readlink(path); err == nil {
			state += link
		}
		rel, _ := filepath.Rel(base, path)
		all[rel] = state
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func changed(before, after map[string]string) []string {
	var all []string
	for path, state := range after {
		if before[path] != state {
			all = append(all, path)
		}
	}
	for path := range before {
		if _, there := after[path]; !there {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

package recipe

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/paths"
)

// gitTime bounds one command of git's.
const gitTime = 5 * time.Minute

// gitSettings go before all configuration: nothing that a repository or its owner
// wrote runs. Files are read as they are kept, so that no filter of .gitattributes
// and no LFS ever does. A server redirects to https only, and ends by sending nothing
// for a minute.
var gitSettings = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.symlinks=false", "core.askPass=", "gc.auto=0", "maintenance.auto=false",
	"protocol.allow=never", "protocol.https.allow=always", "protocol.http.allow=user", "protocol.ssh.allow=user", "protocol.file.allow=user",
	"http.lowSpeedLimit=1", "http.lowSpeedTime=60",
	"submodule.recurse=false", "fetch.recurseSubmodules=false", "transfer.fsckObjects=true", "transfer.bundleURI=false", "fetch.writeCommitGraph=false",
	"advice.detachedHead=false", "init.defaultBranch=main",
}

// ofAnother are variables that lead git to a repository, or have it run or write
// something.
var ofAnother = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_EXTERNAL_DIFF", "GIT_TEMPLATE_DIR", "GIT_TERMINAL_PROMPT", "GIT_QUARANTINE_PATH", "GIT_PROTOCOL_FROM_USER"}

// nowhere is a folder that is in no repository: one around the current folder, which
// may be anybody's, has no say in what a reference stands for.
const nowhere = "/"

// git runs the git program and returns what it printed. Its credential helpers and
// its configuration for hosts are the user's; it asks nobody.
func git(ctx context.Context, dir string, input io.Reader, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	var all []string
	for _, setting := range gitSettings {
		all = append(all, "-c", setting)
	}
	cmd := exec.CommandContext(ctx, "git", append(all, args...)...)
	cmd.WaitDelay = time.Second
	// A session of its own has no terminal to ask at, and what git starts ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Dir, cmd.Stdin = dir, input
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(ofAnother, name) || strings.HasPrefix(name, "GIT_TRACE")
	}), "GIT_TERMINAL_PROMPT=0", "GIT_LFS_SKIP_SMUDGE=1", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	out, errs := &limited{most: mostBytes + 32<<20}, &limited{most: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, errs
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("there is no git program on this machine")
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	case out.over:
		return nil, fmt.Errorf("git %s: it printed more than %d MB", args[0], out.most>>20)
	case err != nil:
		return nil, fmt.Errorf("git %s: %s", args[0], lastLine(errs.kept.String(), err))
	}
	return out.kept.Bytes(), nil
}

// lastLine is what git said last, without its own word before it.
func lastLine(said string, err error) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	for _, line := range lines {
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			return rest
		}
	}
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return err.Error()
}

// limited is a buffer that keeps no more than most bytes. It is none that reads from
// others, which would go past its Write.
type limited struct {
	kept bytes.Buffer
	most int
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.kept.Len()+len(p) > l.most {
		l.over = true
		return 0, errors.New("too much")
	}
	return l.kept.Write(p)
}

// resolveGit is the commit that a version stands for now: a tag, else a branch.
func resolveGit(ctx context.Context, r Reference) (string, error) {
	if commitForm.MatchString(r.Version) {
		return r.Version, nil
	}
	tag, branch := "refs/tags/"+r.Version, "refs/heads/"+r.Version
	out, err := git(ctx, nowhere, nil, "ls-remote", "--", r.Source, tag, tag+"^{}", branch)
	if err != nil {
		return "", err
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if commit, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && commitForm.MatchString(commit) {
			found[name] = commit
		}
	}
	for _, name := range []string{tag + "^{}", tag, branch} {
		if found[name] != "" {
			return found[name], nil
		}
	}
	return "", fmt.Errorf("there is no tag, branch or commit %q in %s", r.Version, r.Source)
}

// gitVersions are the newest tags of a repository, the newest first.
func gitVersions(ctx context.Context, r Reference) ([]string, error) {
	out, err := git(ctx, nowhere, nil, "ls-remote", "--tags", "--refs", "--sort=-v:refname", "--", r.Source)
	if err != nil {
		return nil, err
	}
	var tags []string
	for line := range strings.Lines(string(out)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), "\trefs/tags/"); ok && versionForm.MatchString(name) {
			tags = append(tags, name)
		}
	}
	return tags, nil
}

// fetchGit reads the folder of a reference at a commit. There is never a checkout.
func fetchGit(ctx context.Context, r Reference, commit string) (*Tree, error) {
	dir, err := os.MkdirTemp("", "flow-recipe-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	format := "sha1"
	if len(commit) == 64 {
		format = "sha256"
	}
	if _, err := git(ctx, dir, nil, "init", "-q", "--bare", "--template=", "--object-format="+format); err != nil {
		return nil, err
	}
	if err := fetchCommit(ctx, dir, r, commit); err != nil {
		return nil, err
	}
	at := commit + ":"
	if r.Folder != "." {
		at += r.Folder
	}
	if kind, err := git(ctx, dir, nil, "cat-file", "-t", at); err != nil || strings.TrimSpace(string(kind)) != "tree" {
		return nil, fmt.Errorf("there is no folder %s at %s in %s", r.Folder, short(commit), r.Source)
	}
	out, err := git(ctx, dir, nil, "ls-tree", "-r", "-z", "-l", "--full-tree", at)
	if err != nil {
		return nil, err
	}
	entries, err := readEntries(out)
	if err != nil {
		return nil, err
	}
	return readBlobs(ctx, dir, entries)
}

// fetchCommit brings one commit into a repository, by its hash; where the server
// gives none by that, by the names of all.
func fetchCommit(ctx context.Context, dir string, r Reference, commit string) error {
	ctx, stop := bounded(ctx, dir)
	defer stop()
	fetch := []string{"fetch", "-q", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"}
	_, err := git(ctx, dir, nil, append(fetch, "--depth=1", "--", r.Source, commit)...)
	if err == nil {
		return nil
	}
	if _, all := git(ctx, dir, nil, append(fetch, "--", r.Source, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")...); all != nil {
		return all
	}
	if _, missing := git(ctx, dir, nil, "cat-file", "-e", commit+"^{commit}"); missing != nil {
		return fmt.Errorf("there is no commit %s in %s", commit, r.Source)
	}
	return nil
}

// An entry is a file of a tree of git's.
type entry struct {
	mode, object, name string
	size               int64
}

// readEntries reads what ls-tree printed, and refuses what is neither a file nor a
// link, and what is too much.
func readEntries(out []byte) ([]entry, error) {
	var all []entry
	var size int64
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		about, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 4 {
			return nil, errEmpty
		}
		e := entry{mode: fields[0], object: fields[2], name: name}
		if fields[1] != "blob" {
			return nil, fmt.Errorf("%q is a submodule, and none is fetched", path.Clean(name))
		}
		var err error
		if e.size, err = strconv.ParseInt(fields[3], 10, 64); err != nil {
			return nil, err
		}
		if size += e.size; size > mostBytes || len(all) == mostFiles {
			return nil, fmt.Errorf("it has more than %d files or %d MB", mostFiles, mostBytes>>20)
		}
		all = append(all, e)
	}
	return all, nil
}

// readBlobs reads files as git keeps them.
func readBlobs(ctx context.Context, dir string, entries []entry) (*Tree, error) {
	var objects strings.Builder
	for _, e := range entries {
		objects.WriteString(e.object + "\n")
	}
	out, err := git(ctx, dir, strings.NewReader(objects.String()), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	t := &Tree{}
	from := bufio.NewReader(bytes.NewReader(out))
	for _, e := range entries {
		head, err := from.ReadString('\n')
		if err != nil || head != fmt.Sprintf("%s blob %d\n", e.object, e.size) {
			return nil, fmt.Errorf("git does not have the file %q: %s", e.name, strings.TrimSpace(head))
		}
		data := make([]byte, e.size+1) // and a newline
		if _, err = io.ReadFull(from, data); err != nil {
			return nil, err
		}
		data = data[:e.size]
		switch e.mode {
		case "120000":
			err = t.link(e.name, string(data))
		default:
			err = t.add(e.name, e.mode == "100755", data)
		}
		if err != nil {
			return nil, err
		}
	}
	return t, t.settle()
}

// short is a commit or a digest for people.
func short(version string) string {
	if commitForm.MatchString(version) {
		return version[:12]
	}
	return version
}

// Pack reads the files of a folder as they are pushed: of one without changes that are not
// committed, unless dirty lets them be. A file that is secret is refused.
func Pack(ctx context.Context, dir string, dirty bool, isSecret func(name string) bool) (*Tree, error) {
	if !dirty {
		if err := clean(ctx, dir); err != nil {
			return nil, Errorf("commit it, or give --dirty", "the folder has %v", err)
		}
	}
	tree, err := readOwn(ctx, dir)
	if err != nil {
		return nil, Errorf("", "the folder is no recipe: %v", err)
	}
	if _, ok := tree.Data(File); !ok {
		return nil, Errorf("a recipe begins there", "there is no %s in the folder", File)
	}
	if i := slices.IndexFunc(tree.Names(), isSecret); i >= 0 {
		return nil, Errorf("remove it, or have git ignore it", "%s is a file that holds secrets", tree.Names()[i])
	}
	return tree, nil
}

// clean reports why a folder is not what its repository has: what changed in it, and
// what is not in the repository; nil where nothing is, or where there is none.
func clean(ctx context.Context, dir string) error {
	out, err := git(ctx, dir, nil, "status", "--porcelain", "-z", "--untracked-files=all", "--", ".")
	if err != nil && strings.Contains(err.Error(), "not a git repository") {
		return nil
	}
	if err != nil {
		return err
	}
	if changed := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }); len(changed) > 0 {
		return fmt.Errorf("what is not committed: %s", strings.TrimSpace(changed[0][min(3, len(changed[0])):]))
	}
	return nil
}

// readOwn reads the files of a folder that is to be a recipe: those that git has or
// would take, or where it is in no repository all but flow's own.
func readOwn(ctx context.Context, dir string) (*Tree, error) {
	skip := func(name string, folder bool) bool {
		return folder && (path.Base(name) == ".git" || path.Base(name) == ".flow") || name == paths.VendorFolder
	}
	out, err := git(ctx, dir, nil, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ".")
	if err != nil {
		return ReadFolder(dir, skip)
	}
	names := strings.Split(string(out), "\x00")
	return ReadFolder(dir, func(name string, folder bool) bool {
		return skip(name, folder) || !folder && !slices.Contains(names, name)
	})
}

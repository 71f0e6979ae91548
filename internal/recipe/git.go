package recipe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/internal/tree"
)

// gitTime bounds one command of git's.
const gitTime = 5 * time.Minute

// gitSettings override all configuration: no program that a repository or its owner names runs.
// Files are read as git stores them, so that filters of .gitattributes and LFS don't run. A server
// may redirect to https only, and is given up if it sends nothing for a minute.
var gitSettings = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.symlinks=false", "core.askPass=", "gc.auto=0", "maintenance.auto=false",
	"protocol.allow=never", "protocol.https.allow=always", "protocol.http.allow=user", "protocol.ssh.allow=user", "protocol.file.allow=user",
	"fetch.unpackLimit=1", // in one pack, whose size is bounded
	"http.lowSpeedLimit=1", "http.lowSpeedTime=60",
	"submodule.recurse=false", "fetch.recurseSubmodules=false", "transfer.fsckObjects=true", "transfer.bundleURI=false", "fetch.writeCommitGraph=false",
	"tar.umask=0022", "advice.detachedHead=false", "init.defaultBranch=main",
}

// ofAnother are variables that lead git to another repository, or make it run or write something.
var ofAnother = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_EXTERNAL_DIFF", "GIT_TEMPLATE_DIR", "GIT_TERMINAL_PROMPT", "GIT_QUARANTINE_PATH", "GIT_PROTOCOL_FROM_USER"}

// nowhere is a folder outside any repository: the configuration of one around the current folder
// must not decide what a reference means.
const nowhere = "/"

// maxRepository is how many bytes a fetch may bring: all files of a commit, of which the recipe
// is a folder.
var maxRepository int64 = 1 << 30

// git runs git and returns its output. It uses the user's credential helpers and configuration
// for hosts, and asks nobody. What it writes to a file is bounded by maxRepository.
func git(ctx context.Context, dir string, input io.Reader, args ...string) ([]byte, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("git is not installed")
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	const block = 512 // of ulimit
	// A limit that is lower already stays: in a subshell first, since some shells end where it can't be raised.
	all := []string{"-c", `(ulimit -f "$0") 2>/dev/null && ulimit -f "$0"; exec git "$@"`, strconv.FormatInt(maxRepository/block, 10)}
	for _, setting := range gitSettings {
		all = append(all, "-c", setting)
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", append(all, args...)...)
	cmd.WaitDelay = time.Second
	// A session of its own has no terminal for questions, and git's children end with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Dir, cmd.Stdin = dir, input
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(ofAnother, name) || strings.HasPrefix(name, "GIT_TRACE")
	}), "GIT_TERMINAL_PROMPT=0", "GIT_LFS_SKIP_SMUDGE=1", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	out, errs := &limited{most: maxBytes + 32<<20}, &limited{most: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, errs
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	case out.over:
		return nil, fmt.Errorf("git %s: it printed more than %d MB", args[0], out.most>>20)
	case err != nil:
		return nil, fmt.Errorf("git %s: %s", args[0], lastLine(errs.kept.String(), err))
	}
	return out.kept.Bytes(), nil
}

// lastLine is git's last message, without its prefix, behind the line before it: there ssh says the reason.
func lastLine(said string, err error) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	for i, line := range lines {
		rest, ok := strings.CutPrefix(line, "fatal: ")
		switch {
		case ok && i > 0:
			return strings.TrimRight(lines[i-1], ".\r") + ": " + rest
		case ok:
			return rest
		}
	}
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return err.Error()
}

// limited is a buffer with a maximum size. It does not embed bytes.Buffer, whose ReadFrom would
// bypass Write.
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

// resolveGit returns the commit that a version means now: a tag, or else a branch.
func resolveGit(ctx context.Context, r Reference) (string, error) {
	if commitForm.MatchString(r.Version) {
		return r.Version, nil
	}
	const tags, branches = "refs/tags/", "refs/heads/"
	out, err := git(ctx, nowhere, nil, "ls-remote", "--tags", "--heads", "--sort=-version:refname", "--", r.Source)
	if err != nil {
		return "", err
	}
	found, versions := map[string]string{}, []string(nil) // the newest tag is first
	for line := range strings.Lines(string(out)) {
		if commit, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && commitForm.MatchString(commit) {
			found[name] = commit
			if name = strings.TrimPrefix(strings.TrimPrefix(name, tags), branches); versionForm.MatchString(name) {
				versions = append(versions, name)
			}
		}
	}
	for _, name := range []string{tags + r.Version + "^{}", tags + r.Version, branches + r.Version} {
		if found[name] != "" {
			return found[name], nil
		}
	}
	return "", Errorf(tree.DidYouMean(r.Version, versions), "there is no tag, branch or commit %q in %s", r.Version, r.Source)
}

// fetchGit reads the folder of a reference at a commit, without a checkout.
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
	if err := os.MkdirAll(filepath.Join(dir, "info"), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "info", "attributes"), []byte(asStored), 0o600); err != nil {
		return nil, err
	}
	at := commit + ":"
	if r.Folder != "." {
		at += r.Folder
	}
	if kind, err := git(ctx, dir, nil, "cat-file", "-t", at); err != nil || strings.TrimSpace(string(kind)) != "tree" {
		folders, _ := git(ctx, dir, nil, "ls-tree", "-d", "-r", "--name-only", commit)
		return nil, Errorf(tree.DidYouMean(r.Folder, strings.Fields(string(folders))), "there is no folder %s at %s", r.Folder, commit)
	}
	// Without --worktree-attributes, git would first read all of a tree into memory.
	archive, err := git(ctx, dir, nil, "archive", "--format=tar", "--worktree-attributes", at)
	if err != nil {
		return nil, err
	}
	return unpack(archive)
}

// asStored are attributes that override those of the repository: files are read as git stores them, all
// of them, and no filter runs.
const asStored = "* -text -crlf -eol -ident -filter -working-tree-encoding -export-subst -export-ignore\n"

// fetchCommit fetches one commit by its hash or, from a server that refuses that, all branches
// and tags.
func fetchCommit(ctx context.Context, dir string, r Reference, commit string) error {
	fetch := []string{"fetch", "-q", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"}
	_, err := git(ctx, dir, nil, append(fetch, "--depth=1", "--", r.Source, commit)...)
	if err == nil {
		return nil
	}
	if _, all := git(ctx, dir, nil, append(fetch, "--", r.Source, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")...); all != nil {
		begun, _ := filepath.Glob(filepath.Join(dir, "objects", "pack", "tmp_pack_*"))
		for _, pack := range begun {
			if info, err := os.Lstat(pack); err == nil && info.Size() >= maxRepository {
				return fmt.Errorf("the repository exceeds %d MB at this commit", maxRepository>>20)
			}
		}
		return all
	}
	if _, missing := git(ctx, dir, nil, "cat-file", "-e", commit+"^{commit}"); missing != nil {
		return fmt.Errorf("there is no commit %s in %s", commit, r.Source)
	}
	return nil
}

// Pack reads the files of a folder that is pushed. It refuses uncommitted changes unless dirty
// allows them, and secret files always.
func Pack(ctx context.Context, dir string, dirty bool, isSecret func(name string) bool) (*Tree, error) {
	if !dirty {
		if err := clean(ctx, dir); err != nil {
			return nil, Errorf("commit it, or use --dirty", "the folder has %v", err)
		}
	}
	tree, err := readOwn(ctx, dir)
	if err != nil {
		return nil, Errorf("", "the folder is not a recipe: %v", err)
	}
	if _, ok := tree.Data(File); !ok {
		return nil, Errorf("a recipe needs this file", "there is no %s in the folder", File)
	}
	if i := slices.IndexFunc(tree.Names(), isSecret); i >= 0 {
		return nil, Errorf("remove it, or let git ignore it", "%s is a file that holds secrets", tree.Names()[i])
	}
	return tree, nil
}

// clean returns an error that lists uncommitted changes in a folder, including files that git does
// not track. A folder outside any repository is clean.
func clean(ctx context.Context, dir string) error {
	out, err := git(ctx, dir, nil, "status", "--porcelain", "-z", "--untracked-files=all", "--", ".")
	if err != nil && strings.Contains(err.Error(), "not a git repository") {
		return nil
	}
	if err != nil {
		return err
	}
	if changed := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }); len(changed) > 0 {
		return fmt.Errorf("uncommitted changes: %s", strings.TrimSpace(changed[0][min(3, len(changed[0])):]))
	}
	return nil
}

// readOwn reads the files of a folder that becomes a recipe: those that git does not ignore or,
// outside any repository, all but flow's own.
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

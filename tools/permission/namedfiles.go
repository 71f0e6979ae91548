package permission

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/command"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/place"
)

// Limits of the files that are looked up for one command.
const (
	maxLooks    = 3072  // paths
	maxSearched = 20000 // files in folders
	maxMarks    = 64    // parts of a word
)

// namedFiles finds the files that the words of one command may name.
type namedFiles struct {
	policy   *Policy
	places   map[string]place.Path
	searched int
	// tooMany says that not all files were looked up.
	tooMany bool
}

// named returns the places to which a word may lead: the whole word, and what follows = @ < or
// the letter of an option in it, and in words of git what follows a : from the workspace root.
func (n *namedFiles) named(x command.Word, at command.Cwd, git bool) (out []place.Path) {
	var texts []string
	switch {
	case x.Kind == command.Glob:
		texts = n.globbed(x.Text, at)
	case x.Kind == command.Static:
		texts = append([]string{x.Text}, marked(x.Text)...)
	case strings.HasPrefix(x.Text, "/"):
		texts = []string{x.Text}
	}
	for _, text := range texts {
		for _, dir := range at.Dirs {
			out = n.look(out, text, dir)
		}
		if rest, ok := strings.CutPrefix(text, "~/"); ok && n.policy.roots.Home != "" {
			out = n.look(out, rest, n.policy.roots.Home)
		}
	}
	if !git || x.Kind != command.Static {
		return out
	}
	for _, path := range after(x.Text, ":") {
		if _, rest, ok := strings.Cut(path, ")"); ok && path[0] == '(' {
			path = rest // of a pathspec's :(top)path
		}
		out = n.look(out, strings.TrimLeft(path, "/!^"), n.policy.roots.Workspace)
		out = n.look(out, strings.TrimLeft(path, "/!^"), n.policy.roots.Start())
		if strings.HasPrefix(path, ".") {
			out = n.look(out, path, at.Dirs[0])
		}
	}
	return out
}

// look appends the place of a path from a folder.
func (n *namedFiles) look(places []place.Path, path, dir string) []place.Path {
	if path == "" || len(path) > paths.MaxPath {
		return places // no file can have the name
	}
	key := dir + "\x00" + path
	found, ok := n.places[key]
	if !ok {
		if n.tooMany = n.tooMany || len(n.places) >= maxLooks; n.tooMany {
			return places
		}
		found = place.Lookup(n.policy.roots, path, dir)
		n.places[key] = found
	}
	return append(places, found)
}

// marked returns the paths that may stand in a word behind something else, such as letters of options.
func marked(text string) (out []string) {
	for i := 2; i <= len(letters.FindString(text)) && i < len(text); i++ {
		out = append(out, text[i:])
	}
	for _, path := range after(text, "=@<") {
		name, _, _ := strings.Cut(path, ";") // as in curl's name=@path;type=…
		out = append(out, path, name)
	}
	return out
}

// letters matches an option, and others before a value in the same word.
var letters = regexp.MustCompile(`^-[A-Za-z0-9]{1,8}`)

// after returns the rest of a text after each of the marks. Of too many marks it takes the
// first and the last ones.
func after(text, marks string) (out []string) {
	for i := 0; i+1 < len(text); i++ {
		if strings.IndexByte(marks, text[i]) >= 0 {
			out = append(out, text[i+1:])
		}
	}
	if len(out) > maxMarks {
		out = append(out[:maxMarks/2:maxMarks/2], out[len(out)-maxMarks/2:]...)
	}
	return out
}

// globbed returns the files that a glob matches now. A glob that matches nothing is its own text.
func (n *namedFiles) globbed(glob string, at command.Cwd) (found []string) {
	for _, dir := range at.Dirs {
		rest := glob
		if strings.HasPrefix(glob, "/") {
			dir, rest = "/", strings.TrimLeft(glob, "/")
		}
		found = append(found, n.glob(dir, strings.Split(rest, "/"))...)
	}
	return append(found, command.Unquote(glob))
}

// glob returns the paths below a folder that match segments.
func (n *namedFiles) glob(dir string, segments []string) (found []string) {
	if len(segments) == 0 || place.InKernel(dir) {
		return []string{dir}
	}
	segment, rest := segments[0], segments[1:]
	if name := command.Unquote(segment); name == (command.Word{Kind: command.Glob, Text: segment}).Beginning() {
		next := place.Join(dir, name)
		if _, err := os.Lstat(next); err != nil {
			return nil
		}
		return n.glob(next, rest)
	}
	entries, _ := os.ReadDir(dir) // what can't be read, the command can't read either
	n.searched += len(entries)
	if n.tooMany = n.tooMany || n.searched > maxSearched; n.tooMany {
		return nil
	}
	names := []string{".", ".."} // which .* matches in a bash before 5.2
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, name := range names {
		matches, err := filepath.Match(segment, name)
		if shown := name[0] != '.' || segment[0] == '.'; shown && (matches || err != nil) {
			found = append(found, n.glob(place.Join(dir, name), rest)...)
		}
	}
	return found
}

// isSpecial reports whether a word names a pipe, a socket or the like, which would have a
// redirect wait for somebody.
func (n *namedFiles) isSpecial(x command.Word, at command.Cwd) bool {
	places := n.named(command.Word{Text: x.Text, Kind: x.Kind}, at, false)
	return len(places) > 0 && places[0].Info != nil && !places[0].Info.Mode().IsRegular() && !places[0].IsDir()
}

// isSecret reports whether a place is a secret, unless it is a record of runs that may be
// read.
func (n *namedFiles) isSecret(at place.Path, read pathSet) bool {
	roots := n.policy.roots
	return roots.IsSecret(at) && !(roots.IsRecord(at) && (n.policy.isReadable(at) || read.judge(at).Verdict == Allow))
}

// writing decides about a file that a command or a redirect writes, and names.
func (j shellJudge) writing(x command.Word, u *command.Part) Decision {
	if x.IsNoFile() {
		return allowed("it writes no file")
	}
	if x.Kind != command.Static {
		return refused("it writes a file that is not known before it runs")
	}
	path := x.Text
	if strings.HasPrefix(path, "~") {
		path = "./" + path
	}
	if u.At.Lost && !strings.HasPrefix(path, "/") {
		return refused(fmt.Sprintf("it writes %q: the directory is not known here, so the path must be absolute", x.Text))
	}
	var all []Decision
	for _, dir := range u.At.Dirs {
		for _, target := range j.targets(x, path, dir, u) {
			f := j.writingIn(target, dir, u)
			if f.Verdict != Allow {
				f.Reason = fmt.Sprintf("it writes %q: %s", target, f.Reason)
			}
			all = append(all, f)
		}
	}
	return strictest(all...)
}

// targets returns what a command writes at a path: that itself, and what a copy puts into a folder there.
func (j shellJudge) targets(x command.Word, path, dir string, u *command.Part) []string {
	all := []string{path}
	at, err := j.files.policy.roots.Resolve(dir, path)
	if err == nil && (at.IsDir() || strings.HasSuffix(path, "/")) {
		for _, name := range u.Into(x) {
			all = append(all, strings.TrimRight(path, "/")+"/"+name)
		}
	}
	return all
}

// writingIn decides about a path from a folder. An operand that is a folder itself, or ends
// in a slash, is judged as a file in it.
func (j shellJudge) writingIn(path, dir string, u *command.Part) Decision {
	p := j.files.policy
	at, err := p.roots.Resolve(dir, path)
	link, linked := p.roots.Link(dir, path)
	if err == nil && !u.IsRedirect() && (at.IsDir() || strings.HasSuffix(path, "/") && at.Info == nil && path != "/") {
		if at.IsDir() {
			if f := j.writingWhole(at.Canonical, u.WritesWhole()); f.Verdict != Allow {
				return f
			}
		}
		path = strings.TrimRight(path, "/") + "/x"
		at, err = p.roots.Resolve(dir, path)
	}
	if err != nil {
		return refused(err.Error())
	}
	if why := p.whyNotWritten(path, at); why != "" {
		return refused(why)
	}
	f := j.write.judge(at)
	if linked && u.Replaces() {
		f = strictest(f, j.write.judge(link))
	}
	return f.cap(j.write.cap)
}

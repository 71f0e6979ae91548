package place

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// IsSecret reports whether the canonical or the given path is that of a secret file.
func (t Roots) IsSecret(p Path) bool {
	return IsSecret(p.Canonical) || p.Given != p.Canonical && IsSecret(p.Given) || t.isSecretAtHome(p.Canonical) || t.recordOf(p.Canonical) != ""
}

// records is the folder with the records of runs.
const records = ".flow/runs"

// IsRecord reports whether a place is in a folder with the records of runs. Records are
// secret, but a rule has to spell only their folder.
func (t Roots) IsRecord(p Path) bool {
	return strings.Contains(p.Canonical, "/"+records+"/") || t.recordOf(p.Canonical) != ""
}

// recordOf returns the folder of Roots.Records that a path is in, or "".
func (t Roots) recordOf(path string) string {
	for _, dir := range t.Records {
		if path != dir && folder.Holds(dir, path) {
			return dir
		}
	}
	return ""
}

// NamesRecords reports whether a pattern spells the folder of records that a place is in.
func (t Roots) NamesRecords(p Pattern, at Path) bool {
	if strings.Contains("/"+p.Text, "/"+records+"/") {
		return true
	}
	start, dir := p.start, t.recordOf(at.Canonical)
	if !p.Absolute {
		start = pattern.Fold(Join(t.Workspace, "")) + start
	}
	return dir != "" && strings.HasPrefix(start, pattern.Fold(dir)+"/")
}

// IsSecret reports whether a path is that of a secret file, which an allow rule has to
// spell. Case makes no difference.
func IsSecret(path string) bool {
	folded := pattern.Fold(path)
	if slices.Contains(known.PublicNames(), folded[strings.LastIndexByte(folded, '/')+1:]) {
		return false
	}
	if !strings.HasPrefix(folded, "/") {
		folded = "/" + folded
	}
	secrets := secrets()
	if secrets.names.MatchString(folded[strings.LastIndexByte(folded, '/')+1:]) {
		return true
	}
	return slices.ContainsFunc(secrets.paths, func(s secretPath) bool { return strings.Contains(folded, s.start) && s.whole.MatchString(folded) })
}

// secretFiles match the names of secret files, and the absolute paths of those that are only
// secret in some folder.
type secretFiles struct {
	names *regexp.Regexp
	paths []secretPath
}

// secretPath matches a path, which has start in it.
type secretPath struct {
	start string
	whole *regexp.Regexp
}

var secrets = sync.OnceValue(func() (out secretFiles) {
	var names []string
	for _, name := range append(known.Secrets(), records+"/**") {
		if !strings.Contains(name, "/") {
			names = append(names, pattern.PathExpression(name))
			continue
		}
		start, _, _ := strings.Cut(name, "*")
		if !strings.HasPrefix(name, "/") {
			name = "**/" + name
		}
		out.paths = append(out.paths, secretPath{start, pattern.Path(name)})
	}
	out.names = regexp.MustCompile("(?s)^(?:" + strings.Join(names, "|") + ")$")
	return out
})

// isSecretAtHome reports whether a path outside of the workspace is one in which programs
// keep passwords and keys.
func (t Roots) isSecretAtHome(path string) bool {
	if t.Home == "" || folder.Holds(t.Workspace, path) || !folder.Holds(t.Home, path) {
		return false
	}
	rel := strings.TrimPrefix(path, strings.TrimSuffix(t.Home, "/")+"/")
	if key, ok := strings.CutPrefix(rel, ".ssh/"); ok && !known.IsPublicKey(key) {
		return true
	}
	return folder.AnyHolds(known.HomeSecrets(), rel)
}

package place

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/known"
	"github.com/a-seed-11b9befa/flow/internal/paths"
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
		if path != dir && paths.Holds(dir, path) {
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
	dir := t.recordOf(at.Canonical)
	return dir != "" && paths.Holds(pattern.Fold(dir), pattern.Fold(pattern.Unescape(fixed(p.full))))
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
	names, paths := secrets()
	return names.MatchString(folded[strings.LastIndexByte(folded, '/')+1:]) || paths.MatchString(folded)
}

// secrets match the names of secret files, and the absolute paths of those that are only
// secret in some folder.
var secrets = sync.OnceValues(func() (names, paths *regexp.Regexp) {
	var plain, inFolders []string
	for _, name := range append(known.Secrets(), records+"/**") {
		switch {
		case !strings.Contains(name, "/"):
			plain = append(plain, pattern.PathExpression(name))
		case strings.HasPrefix(name, "/"):
			inFolders = append(inFolders, pattern.PathExpression(name))
		default:
			inFolders = append(inFolders, ".*/"+pattern.PathExpression(name))
		}
	}
	return regexp.MustCompile("(?s)^(?:" + strings.Join(plain, "|") + ")$"), regexp.MustCompile("(?s)^(?:" + strings.Join(inFolders, "|") + ")$")
})

// isSecretAtHome reports whether a path outside of the workspace is one in which programs
// keep passwords and keys.
func (t Roots) isSecretAtHome(path string) bool {
	if t.Home == "" || paths.Holds(t.Workspace, path) || !paths.Holds(t.Home, path) {
		return false
	}
	rel := strings.TrimPrefix(path, strings.TrimSuffix(t.Home, "/")+"/")
	if key, ok := strings.CutPrefix(rel, ".ssh/"); ok && !known.IsPublicKey(key) {
		return true
	}
	return paths.AnyHolds(known.HomeSecrets(), rel)
}

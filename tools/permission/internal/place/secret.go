package place

import (
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// IsSecret reports whether the canonical or the given path is that of a secret file.
func (t Roots) IsSecret(p Path) bool {
	return IsSecret(p.Canonical) || p.Given != p.Canonical && IsSecret(p.Given) || t.recordOf(p.Canonical) != ""
}

// secretNames are the files that no wildcard of a rule lets be read: a rule has to spell
// the whole path. Each may be below any folder; * is any text in a name.
var secretNames = []string{
	".env", ".env.*", ".env~", "*.env", ".envrc", ".netrc", ".npmrc", ".pypirc", ".yarnrc.yml", ".git-credentials",
	".pgpass", ".htpasswd", ".vault-token", ".terraformrc", "*.tfstate", "*.tfstate.backup",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
	"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.kdbx", "*.keystore", "*.ppk",
	".git/config", ".git/config.worktree", ".git/modules/**/config", ".git/worktrees/**/config.worktree",
	".aws/credentials", ".kube/config", ".docker/config.json", "gh/hosts.yml", ".m2/settings.xml",
	".cargo/credentials", ".cargo/credentials.toml", "gcloud/application_default_credentials.json", "/run/secrets/**",
	records + "/**",
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

// publicNames match secretNames, but are not secret.
var publicNames = []string{".env.example", ".env.sample", ".env.template", "example.env", "sample.env", "template.env"}

// IsSecret reports whether a path is that of a secret file, which an allow rule has to
// spell. Case makes no difference.
func IsSecret(path string) bool {
	folded := pattern.Fold(path)
	if slices.Contains(publicNames, folded[strings.LastIndexByte(folded, '/')+1:]) {
		return false
	}
	if !strings.HasPrefix(folded, "/") {
		folded = "/" + folded
	}
	return slices.ContainsFunc(secrets(), func(s secret) bool {
		return strings.Contains(folded, s.core) && pattern.Match(s.atoms, []rune(folded), nil)
	})
}

// secret is one of secretNames as a pattern over absolute paths. core is a text that is in
// each of them: a quick check before a path is matched.
type secret struct {
	core  string
	atoms []pattern.Atom
}

var secrets = sync.OnceValue(func() (out []secret) {
	for _, name := range secretNames {
		core, after, _ := strings.Cut(name, "*")
		if core == "" {
			core = after
		}
		if !strings.HasPrefix(name, "/") {
			name = "**/" + name
		}
		out = append(out, secret{core, pattern.PathGlob(name)})
	}
	return out
})

// SecretPatterns returns patterns for all secret files, among them those in folders of
// records. They have no wildcards for segments, as [pattern.OverlapPlain] needs.
func SecretPatterns(records []string) (out [][]pattern.Atom) {
	for _, s := range secrets() {
		out = append(out, pattern.Unfold(s.atoms)...)
	}
	for _, dir := range records {
		out = append(out, append(pattern.Literals(dir+"/"), pattern.Atom{Wild: pattern.Text}))
	}
	return out
}

// IsSecretEnding reports whether one of SecretPatterns matches any name with an ending.
func IsSecretEnding(atoms []pattern.Atom) bool {
	dot := slices.IndexFunc(atoms, func(a pattern.Atom) bool { return a.Is('.') })
	return dot > 0 && atoms[dot-1].Repeats() && atoms[0].Repeats() && !slices.ContainsFunc(atoms[dot:], func(a pattern.Atom) bool { return a.Wild != pattern.Literal })
}

package place

import (
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/folder"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// IsSecret reports whether a place is a secret file, or was written like one.
func (t Roots) IsSecret(p Path) bool {
	return IsSecret(p.Canonical) || p.Given != p.Canonical && IsSecret(p.Given) || t.recordOf(p.Canonical) != ""
}

// secretNames are the files that no wildcard lets be read: a rule has to name one
// whole. A name with a slash counts below any folder; * is any text in a name.
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

// records is the folder of what runs have written down.
const records = ".flow/runs"

// IsRecord reports whether a place is in a folder of what runs have written down. It is
// secret, but a rule may name the folder alone.
func (t Roots) IsRecord(p Path) bool {
	return strings.Contains(p.Canonical, "/"+records+"/") || t.recordOf(p.Canonical) != ""
}

// recordOf is the folder of Roots.Records that a path is in; "" where it is in none.
func (t Roots) recordOf(path string) string {
	for _, dir := range t.Records {
		if path != dir && folder.Holds(dir, path) {
			return dir
		}
	}
	return ""
}

// NamesRecords reports whether a pattern names the folder of records that a place is in.
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

// publicNames only look like secretNames.
var publicNames = []string{".env.example", ".env.sample", ".env.template", "example.env", "sample.env", "template.env"}

// IsSecret reports whether a path names a file that is guarded for reading: an
// allow rule has to name it whole. Case makes no difference.
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

// A secret is one of secretNames as a pattern over absolute paths. Core is a text without
// which nothing fits, and that is soon told.
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

// SecretPatterns returns the secret files, those in folders of records among them, as
// patterns without wildcards for segments, for paths that are not known whole.
func SecretPatterns(records []string) (out [][]pattern.Atom) {
	for _, s := range secrets() {
		out = append(out, pattern.Unfold(s.atoms)...)
	}
	for _, dir := range records {
		out = append(out, append(pattern.Literals(dir+"/"), pattern.Atom{Wild: pattern.Text}))
	}
	return out
}

// IsSecretEnding reports whether one of SecretPatterns is about the ending of a name.
func IsSecretEnding(atoms []pattern.Atom) bool {
	dot := slices.IndexFunc(atoms, func(a pattern.Atom) bool { return a.Is('.') })
	return dot > 0 && atoms[dot-1].Repeats() && atoms[0].Repeats() && !slices.ContainsFunc(atoms[dot:], func(a pattern.Atom) bool { return a.Wild != pattern.Literal })
}

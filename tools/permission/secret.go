package permission

import "strings"

// isSecret reports whether a place is a secret file, or was written like one.
func (p place) isSecret() bool {
	return isSecret(p.canonical) || p.given != p.canonical && isSecret(p.given)
}

// isSecret reports whether a path names a file that is guarded for reading: an
// allow rule has to name it whole. Case makes no difference.
func isSecret(path string) bool {
	slash := strings.LastIndexByte(path, '/')
	name := fold(path[slash+1:])
	switch name {
	case ".env.example", ".env.sample", ".env.template":
		return false
	case "config":
		dir := path[:max(0, slash)]
		return fold(dir[strings.LastIndexByte(dir, '/')+1:]) == ".git"
	case ".env", ".netrc", ".npmrc", ".pypirc", ".git-credentials", "id_rsa", "id_ed25519":
		return true
	}
	return strings.HasPrefix(name, ".env.") || strings.HasSuffix(name, ".pem") || strings.HasSuffix(name, ".key")
}

// secretPatterns returns the secret files as patterns without wildcards for
// segments, for paths that are not known whole.
func secretPatterns() [][]atom {
	var out [][]atom
	for _, text := range []string{
		"**/.env", "**/.env.*", "**/.netrc", "**/.npmrc", "**/.pypirc", "**/.git-credentials",
		"**/.git/config", "**/id_rsa", "**/id_ed25519", "**/*.pem", "**/*.key",
	} {
		out = append(out, unfold(pathAtoms(text))...)
	}
	return out
}

// isEnding reports whether one of secretPatterns tells a secret by its ending.
func isEnding(pattern []atom) bool {
	n := len(pattern) - len(".pem")
	return n > 0 && pattern[n].is('.') && pattern[n-1].repeats()
}

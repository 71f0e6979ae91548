// Package known has the names that several packages have to agree on.
package known

import (
	"slices"
	"strings"
)

// DecidesWhatRuns reports whether an environment variable changes which programs run, or what they
// run, read or trust: whoever sets it can run anything. Case does not matter.
func DecidesWhatRuns(name string) bool {
	upper := strings.ToUpper(name)
	if slices.ContainsFunc(rulingPrefixes, func(prefix string) bool { return strings.HasPrefix(upper, prefix) }) {
		return !slices.Contains(harmless, upper)
	}
	return slices.Contains(ruling, upper)
}

var rulingPrefixes = []string{
	"LD_", "DYLD_", "BASH", "GIT_", "SSH_", "SSL_", "XDG_", "LC_", "PYTHON", "PERL", "RUBY", "GEM_", "BUNDLE_", "NODE_", "NPM_", "YARN_", "PNPM_",
	"JAVA_", "JDK_", "MAVEN_", "GRADLE_", "CARGO_", "RUSTC", "RUSTFLAGS", "RUSTUP_", "CGO_", "CMAKE_", "MAKE", "DOCKER_", "KUBE", "CURL_", "PIP_", "UV_", "CONDA_", "COMPOSER_",
}

var ruling = []string{
	"PATH", "CDPATH", "FPATH", "IFS", "ENV", "SHELL", "SHELLOPTS", "PS4", "PROMPT_COMMAND", "HOME", "TMPDIR", "LANG", "TERMINFO", "LOCPATH", "NLSPATH", "GCONV_PATH",
	"EDITOR", "VISUAL", "PAGER", "MANPAGER", "LESS", "LESSOPEN", "LESSCLOSE", "BROWSER", "WGETRC", "CLASSPATH", "_JAVA_OPTIONS", "VIRTUAL_ENV",
	"CC", "CXX", "CPP", "LD", "AR", "AS", "FC", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "PKG_CONFIG", "PKG_CONFIG_PATH",
	"GOFLAGS", "GOROOT", "GOPATH", "GOENV", "GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB", "GOINSECURE", "GOVCS", "GOAUTH", "GOTOOLCHAIN", "GOWORK", "GOBIN",
	"GOCACHE", "GOCACHEPROG", "GOMODCACHE", "GOTOOLDIR", "GODEBUG", "GOEXPERIMENT", "PHPRC", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY",
}

// harmless are variables with one of the prefixes that only change what a program prints, or records
// of who did something.
var harmless = []string{
	"GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
	"NODE_ENV", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONUTF8", "CARGO_TERM_COLOR", "CARGO_INCREMENTAL",
}

package providers

import (
	"regexp"
	"strings"
	"sync"
)

// secretPattern matches secrets of a request that services and proxies echo: keys of known
// forms, credentials of an Authorization header, and keys in a URL's query.
var secretPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:sk|pk|rk|gsk|xai|hf|nvapi)[-_][a-z0-9_-]{8,}` +
		`|\bAIza[a-z0-9_-]{20,}` +
		`|\b(?:bearer|basic) +[a-z0-9._~+/=-]{8,}` +
		`|\b(?:api[-_]?key|key|token|access_token|authorization)["']?[=:]["' ]*[a-z0-9._~+/-]{12,}=*`)
})

// redact replaces everything that looks like a key, and returns about two thousand bytes of
// valid UTF-8 at most.
func redact(text string) string {
	const most, examined = 2000, 4000
	text = strings.ToValidUTF8(text[:min(len(text), examined)], "\uFFFD")
	text = strings.TrimSpace(secretPattern().ReplaceAllString(text, "[key]"))
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

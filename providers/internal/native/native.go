// Package native knows the hosts that support all of OpenAI's formats: OpenAI's own and
// Azure's.
package native

import (
	"net/url"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// BaseURL is OpenAI's own.
const BaseURL = "https://api.openai.com/v1"

// Host reports whether a base URL is on one of these hosts, which all need a key or a token.
func Host(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") ||
		strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, ".cognitiveservices.azure.com") ||
		strings.HasSuffix(host, ".services.ai.azure.com")
}

// Info returns what is known of a model at a native or a compatible service. A service
// follows a schema, also with tools, if obeys says so, and by default if it is native. Any
// other is expected to follow one without tools: nearly all compatible services do, and a
// small model follows a schema more easily than it makes a call.
func Info(at providers.Endpoint, native bool, obeys *bool) providers.Info {
	info := providers.Info{Ref: at.Ref, Provider: at.Provider}
	switch {
	case obeys != nil:
		info.StructuredOutput = *obeys
	case native:
		info.StructuredOutput = true
	default:
		info.StructuredAlone = true
	}
	return info
}

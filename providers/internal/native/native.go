// Package native knows the hosts that follow OpenAI in everything: OpenAI's own,
// and Azure's. Both of OpenAI's formats ask them for what they ask of no other.
package native

import (
	"net/url"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// BaseURL is OpenAI's own.
const BaseURL = "https://api.openai.com/v1"

// Host reports whether a base URL is on one of the hosts. They all want a key, or
// a token.
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

// Info returns what is known of a model at a service that is native, or only
// compatible. The service is trusted to obey a schema, with tools too, as obeys
// says, or else where it is native. Any other is expected to where no tools are
// offered: nearly all that follow OpenAI do, and small models give a schema more
// easily than a call.
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

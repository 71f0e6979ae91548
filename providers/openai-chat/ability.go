package openaichat

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/native"
)

// Info describes the model and what it can do.
func (m *Model) Info() providers.Info {
	return native.Info(m.options.Endpoint, m.native, m.options.StructuredOutput)
}

// returns says how a model's reasoning is sent back to it.
type returns int

const (
	asItCame  returns = iota // in the same fields
	inContent                // as reasoning_content, in any case
	always                   // as reasoning_content, a blank if there is none
)

// returnsOf follows the options, or else the host and the name of the model, which may have
// what gateways add to it: deepseek/deepseek-v3.2, accounts/fireworks/models/kimi-k2-thinking.
func returnsOf(options Options) returns {
	if said := options.ReasoningContent; said != nil {
		if *said {
			return always
		}
		return asItCame
	}
	host := ""
	if u, err := url.Parse(options.BaseURL); err == nil {
		host = strings.ToLower(u.Hostname())
	}
	name := strings.ToLower(options.Model)
	named := func(word string) bool { return strings.Contains(name, word) }
	switch {
	case slices.Contains([]string{"api.deepseek.com", "api.moonshot.ai", "api.moonshot.cn"}, host):
		return always
	case host == "api.x.ai":
		return inContent
	case slices.Contains([]string{"api.groq.com", "api.cerebras.ai"}, host): // which refuse the field, whoever made the model
		return asItCame
	case slices.ContainsFunc([]string{"deepseek", "kimi", "moonshot"}, named):
		return always
	case named("grok"):
		return inContent
	}
	return asItCame
}

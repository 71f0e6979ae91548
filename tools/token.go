package tools

import (
	"regexp"
	"sync"
)

// The lengths of tokens and keys.
const (
	maxToken  = 16 << 10 // the longest that is found
	maxHeader = 512      // of a JSON web token
)

// beginKey is the beginning of every key in PEM.
const beginKey = "-----BEGIN "

// tokens returns the shapes of keys and tokens that services document, or that their scanners for leaked
// secrets look for: how they begin, and an expression for all of them.
var tokens = sync.OnceValue(func() []pattern {
	var all []pattern
	for _, shape := range []struct{ begin, rest string }{
		{"AKIA", `[A-Z0-9]{16}`},           // AWS
		{"ASIA", `[A-Z0-9]{16}`},           // AWS, for a session
		{"AIza", `[\w-]{35}`},              // Google
		{"gh", `[pousr]_[A-Za-z0-9]{36,}`}, // GitHub: of a person, an app, a job
		{"github_pat_", `\w{36,}`},         // a person's, with few rights
		{"glpat-", `[\w-]{20,}`},           // GitLab
		{"hf_", `[A-Za-z0-9]{30,64}`},      // Hugging Face
		{"npm_", `[A-Za-z0-9]{36,}`},       // npm
		{"pypi-AgEI", `[\w-]{40,}`},        // PyPI
		{"sk-ant-", `(?:[a-z]+[0-9]+-[\w-]{32,}|[a-z0-9_-]{0,12}[A-Z][\w-]{24,})`},       // Anthropic
		{"sk-or-v1-", `[A-Za-z0-9]{40,}`},                                                // OpenRouter
		{"sk-", `(?:proj|svcacct|admin)-(?:[\w-]{60,}|[a-z0-9_-]{0,12}[A-Z][\w-]{30,})`}, // OpenAI, of a project
		{"sk-", `[A-Za-z0-9]{40,}`},                                                      // OpenAI, and compatible services
		{"sk_live_", `[A-Za-z0-9]{24,}`},                                                 // Stripe
		{"rk_live_", `[A-Za-z0-9]{24,}`},                                                 // Stripe, with few rights
		{"xox", `[bp]-[A-Za-z0-9-]{24,}`},                                                // Slack: a bot's, a person's
		{"eyJ", `[\w-]{1,509}\.eyJ[\w-]+(?:\.[\w-]*)?`},                                  // a JSON web token, RFC 7519
		// A private key, RFC 7468, also if its lines are numbered or escaped, or if its end is missing.
		{beginKey, `[A-Z ]*PRIVATE KEY-----[\s\\nr0-9|:,]*[A-Za-z0-9+/]{40,}[A-Za-z0-9+/=\s\\|:,]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`},
	} {
		one := pattern{text: shape.begin, shape: regexp.MustCompile("^" + regexp.QuoteMeta(shape.begin) + shape.rest)}
		if one.text == "eyJ" {
			one.needs = ".eyJ" // a cheap check of what many texts begin
		}
		all = append(all, one)
	}
	return all
})

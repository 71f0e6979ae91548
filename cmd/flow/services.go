package main

import (
	"cmp"
	"net/netip"
	"net/url"
	"strings"

	"github.com/a-seed-11b9befa/flow/workflows"
)

// The wire formats that this build of flow speaks.
const (
	apiResponses = "openai-responses"
	apiChat      = "openai-chat"
)

// A service is a provider whose models can be asked.
type service struct {
	name    string // the first part of a model's reference
	api     string // its wire format; "" where this build does not speak it
	baseURL string // the vendor's own; "" where the wire format's package knows it

	keyVars []string // the variables that may hold the key, the first one set counts
	urlVar  string   // the variable that may hold another base URL
	instead string   // what to do where the build has no such provider
}

// services are the providers that every workflow can name.
func services() []service {
	const own = "describe it under providers: with api: openai-chat, if it speaks that too"
	return []service{
		{name: "openai", api: apiResponses, keyVars: []string{"OPENAI_API_KEY"}, urlVar: "OPENAI_BASE_URL"},
		{name: "openai-chat", api: apiChat, keyVars: []string{"OPENAI_API_KEY"}, urlVar: "OPENAI_BASE_URL"},
		{name: "azure", keyVars: []string{"AZURE_OPENAI_API_KEY"}, urlVar: "AZURE_OPENAI_ENDPOINT", instead: own},
		{name: "anthropic", keyVars: []string{"ANTHROPIC_API_KEY"}, urlVar: "ANTHROPIC_BASE_URL", instead: own},
		{name: "google", keyVars: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, urlVar: "GOOGLE_GEMINI_BASE_URL", instead: own},
		{
			name: "openrouter", keyVars: []string{"OPENROUTER_API_KEY"}, urlVar: "OPENROUTER_BASE_URL",
			instead: "providers: {router: {api: openai-chat, base_url: https://openrouter.ai/api/v1, api_key_env: OPENROUTER_API_KEY}}, then router/<vendor>/<model>",
		},
		{
			name: "ollama", urlVar: "OLLAMA_HOST",
			instead: "providers: {local: {api: openai-chat, base_url: http://localhost:11434/v1}}, then local/<model>",
		},
	}
}

// key returns the key of a service, and the variables that it can stand in.
func (p *program) key(s service) (key string, variables string) {
	return p.env(p.keyVar(s)), strings.Join(s.keyVars, " or ")
}

// keyVar is the variable that the key of a service stands in, "" without one.
func (p *program) keyVar(s service) string {
	for _, name := range s.keyVars {
		if p.env(name) != "" {
			return name
		}
	}
	return ""
}

// endpoint says where and as what a service's models are asked.
type endpoint struct {
	api, baseURL, key string
	keyVar, urlVar    string // what the key and the URL came from
	headers           map[string]string
	limits            workflows.Endpoint // how many requests, and how often
}

// builtIn is the endpoint of a provider that every workflow can name.
func (p *program) builtIn(s service) (endpoint, error) {
	if s.api == "" {
		return endpoint{}, configuration(s.instead, "provider %q is not in this build of flow", s.name)
	}
	e := endpoint{api: s.api, baseURL: cmp.Or(p.env(s.urlVar), s.baseURL), keyVar: p.keyVar(s), urlVar: s.urlVar}
	key, variables := p.key(s)
	if key == "" && !isLoopback(e.baseURL) {
		return e, configuration("set it to your key; nothing is sent before", "provider %q needs a key, and %s is not set", s.name, variables)
	}
	e.key = key
	return e, e.check(s.name)
}

// own is the endpoint of a provider that a workflow describes.
func (p *program) own(name string, given workflows.Endpoint) (endpoint, error) {
	e := endpoint{api: given.API, baseURL: given.BaseURL, headers: given.Headers, limits: given, keyVar: given.APIKeyEnv, urlVar: "base_url"}
	if e.api != apiChat && e.api != apiResponses {
		return e, configuration("it speaks "+apiChat+" and "+apiResponses, "provider %q: api %q is not in this build of flow", name, e.api)
	}
	if variable := given.APIKeyEnv; variable != "" {
		e.key = p.env(variable)
		if e.key == "" {
			return e, configuration("set it to your key, or leave api_key_env out", "provider %q needs a key, and %s is not set", name, variable)
		}
	}
	return e, e.check(name)
}

// check refuses a key that can't be sent, and a base URL that nothing can be sent
// to.
func (e endpoint) check(name string) error {
	if strings.ContainsFunc(e.key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return configuration("is there a line break at its end?", "provider %q: the key in %s has a control character, and can't be sent", name, e.keyVar)
	}
	if e.baseURL == "" {
		return nil
	}
	u, err := url.Parse(e.baseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return configuration("such as https://api.example.com/v1", "provider %q: %s is no http or https URL", name, e.urlVar)
	}
	return nil
}

// isLoopback reports whether a URL leads to this machine itself.
func isLoopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && addr.IsLoopback()
}

// Package azure knows the addresses of the deployments of an Azure OpenAI resource, and gets
// tokens of Microsoft Entra ID for them. The formats are OpenAI's, of packages openaichat
// and openai; the latter has no dated versions.
//
//	var tokens azure.Tokens
//	model := openaichat.New(openaichat.Options{Native: true, Endpoint: azure.Deployment(providers.Endpoint{
//		Ref: "azure/mine", Model: "mine", BaseURL: "https://resource.openai.azure.com",
//	}, "2024-10-21", &tokens)})
//
// Entra ID is used only without a key. Then the first request gets a token: from the
// environment, a workload or managed identity, or developer tools that are signed in.
package azure

import (
	"context"
	"net/netip"
	"net/url"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// keyHeader is the header for a key, which not every surface accepts as a bearer token.
const keyHeader = "Api-Key"

// Deployment returns the Chat Completions endpoint of a deployment, which is the model of
// e. The base URL of e is the resource's, in any of the forms that the portal shows.
// Without an API version, and with v1 and preview, the result is the version 1 surface,
// which has no dated versions; with a dated version it is the deployment's own address. If
// apiVersion is empty, a version in the base URL is used.
//
// Without a key the endpoint uses tokens, which are sent only to Azure's own hosts, and only
// by https, because a workflow from elsewhere may name any host.
func Deployment(e providers.Endpoint, apiVersion string, tokens *Tokens) providers.Endpoint {
	base, query, _ := strings.Cut(e.BaseURL, "?")
	if given, err := url.ParseQuery(query); err == nil && apiVersion == "" {
		apiVersion = given.Get("api-version")
	}
	e.BaseURL = deploymentURL(strings.TrimRight(base, "/"), e.Model, apiVersion)
	switch {
	case e.APIKey != "":
		headers := map[string]string{keyHeader: e.APIKey}
		for name, value := range e.Headers {
			headers[name] = value
		}
		e.Headers, e.APIKey = headers, ""
	case e.Token == nil:
		e.Token = tokens.forHost(base)
	}
	return e
}

// deploymentURL returns the URL to which "chat/completions" is appended.
func deploymentURL(base, deployment, version string) string {
	if strings.HasSuffix(base, "/models") { // of Azure AI Foundry, which has no deployments in its paths
		return withVersion(base, version)
	}
	resource, surface, _ := strings.Cut(base+"/", "/openai/")
	resource = strings.TrimRight(resource, "/")
	switch {
	case version == "" || version == "v1" || version == "latest":
		return resource + "/openai/v1"
	case version == "preview", strings.HasPrefix(surface, "v1/"):
		return withVersion(resource+"/openai/v1", version)
	}
	return withVersion(resource+"/openai/deployments/"+url.PathEscape(deployment), version)
}

func withVersion(base, version string) string {
	if version == "" {
		return base
	}
	return base + "?" + url.Values{"api-version": {version}}.Encode()
}

// forHost returns a function that gets tokens for a host, or an error for one that is not
// Azure's.
func (t *Tokens) forHost(base string) func(context.Context) (string, error) {
	u, err := url.Parse(base)
	if err != nil || !trusted(u) {
		return func(context.Context) (string, error) {
			return "", &providers.Error{
				Kind:    providers.KindConfiguration,
				Message: "Microsoft Entra ID tokens are sent only to Azure hosts over https; use a key for other hosts",
			}
		}
	}
	scope := "https://cognitiveservices." + cloud(u.Hostname()) + "/.default"
	return func(ctx context.Context) (string, error) { return t.get(ctx, scope) }
}

// trusted reports whether a token may be sent to a URL: to Azure's model services by https,
// and to this machine. Other hosts below azure.com may be anybody's.
func trusted(u *url.URL) bool {
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && addr.IsLoopback() {
		return true
	}
	host := strings.ToLower(u.Hostname())
	for _, service := range []string{".openai.", ".cognitiveservices.", ".services.ai."} {
		if u.Scheme == "https" && strings.HasSuffix(host, service+cloud(host)) {
			return true
		}
	}
	return false
}

// cloud returns the domain of a host's cloud.
func cloud(host string) string {
	for _, national := range []string{"azure.us", "azure.cn"} {
		if strings.HasSuffix(strings.ToLower(host), "."+national) {
			return national
		}
	}
	return "azure.com"
}

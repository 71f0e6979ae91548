// Package azure says where the deployments of an Azure OpenAI resource are, and
// gets the tokens of Microsoft Entra ID with which they are asked. The formats are
// OpenAI's: package openaichat speaks the one, and package openai the other, which
// has no dated versions.
//
//	var tokens azure.Tokens
//	model := openaichat.New(openaichat.Options{Native: true, Endpoint: azure.Deployment(providers.Endpoint{
//		Ref: "azure/mine", Model: "mine", BaseURL: "https://resource.openai.azure.com",
//	}, "2024-10-21", &tokens)})
//
// With a key nothing is asked of Entra ID. Without one a token is got with the
// first request: from the environment, a workload or managed identity, or the
// tools of a developer that have signed in.
package azure

import (
	"context"
	"net/netip"
	"net/url"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// keyHeader holds a key. Not every surface takes one as a bearer token.
const keyHeader = "Api-Key"

// Deployment returns the endpoint of Chat Completions of a deployment, which e
// names as its model. Its base URL is the resource's, in any of the forms that
// the portal shows. Without an API version, and with the versions v1 and
// preview, it is that of the version 1 surface, which has no dated versions;
// with a dated one it is the deployment's own. A version in the base URL counts
// where apiVersion is empty.
//
// Without a key the endpoint takes tokens, which go to Azure's own hosts only,
// and only by https: a file of somebody else's may name another.
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

// deploymentURL is what "chat/completions" is appended to.
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

// forHost returns what gets a token for a host, or a refusal where a token
// would leave Azure.
func (t *Tokens) forHost(base string) func(context.Context) (string, error) {
	u, err := url.Parse(base)
	if err != nil || !trusted(u) {
		return func(context.Context) (string, error) {
			return "", &providers.Error{
				Kind:    providers.KindConfiguration,
				Message: "a token of Microsoft Entra ID goes to hosts of Azure only, by https; name a key for any other",
			}
		}
	}
	scope := "https://cognitiveservices." + cloud(u.Hostname()) + "/.default"
	return func(ctx context.Context) (string, error) { return t.get(ctx, scope) }
}

// trusted reports whether a token may be sent to a URL: to Azure's services of
// models by https, and to this machine. Other names that end in azure.com are
// those of anybody's machines.
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

// cloud is the domain of the cloud that a host belongs to.
func cloud(host string) string {
	for _, national := range []string{"azure.us", "azure.cn"} {
		if strings.HasSuffix(strings.ToLower(host), "."+national) {
			return national
		}
	}
	return "azure.com"
}

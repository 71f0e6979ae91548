package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/anthropic"
	"github.com/a-seed-11b9befa/flow/providers/azure"
	"github.com/a-seed-11b9befa/flow/providers/google"
	"github.com/a-seed-11b9befa/flow/providers/ollama"
	"github.com/a-seed-11b9befa/flow/providers/openai"
	openaichat "github.com/a-seed-11b9befa/flow/providers/openai-chat"
	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// scriptProvider is the provider whose models are files.
const scriptProvider = "script"

// A registry finds the models that references name. Each is made once, with
// its retries around it; those of one service and key share their limits. It
// is safe for concurrent use.
type registry struct {
	program *program
	top     *workflows.Workflow
	client  *http.Client // of all models: connections are shared by those of one host
	command string       // the reference that the command line names: its file starts where top's do
	unasked bool         // the models are only named: their keys may be missing

	mu        sync.Mutex
	models    map[askedModel]providers.Model
	governors map[[sha256.Size]byte]*providers.Governor // by a digest, which prints no key
	tokens    azure.Tokens                              // for services that are asked without a key
	vertex    google.Tokens
}

// An askedModel is what a reference means in one workflow: in another, the same
// name may stand for another endpoint. A script is its file, whoever names it.
type askedModel struct {
	ref string
	w   *workflows.Workflow // nil for a script
}

// registry returns an empty registry for a run of top. The command line's
// reference, if there is one, is for every workflow of the run.
func (p *program) registry(top *workflows.Workflow, command string) *registry {
	return &registry{
		program: p, top: top, command: command,
		client: &http.Client{Transport: providers.NewTransport(providers.DefaultConnectTimeout)},
		models: map[askedModel]providers.Model{}, governors: map[[sha256.Size]byte]*providers.Governor{},
	}
}

// model returns the model that a workflow means by a reference.
func (r *registry) model(ref string, w *workflows.Workflow) (providers.Model, error) {
	provider, name, err := splitReference(ref)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if provider == scriptProvider {
		return r.scripted(ref, name, w)
	}
	id := askedModel{ref, w}
	if m := r.models[id]; m != nil {
		return m, nil
	}
	e, err := r.endpoint(provider, w)
	if err != nil && (!r.unasked || e.api == "") {
		return nil, err
	}
	m := providers.Retry(providers.Limit(r.connect(e, ref, provider, name), r.governor(e)))
	r.models[id] = e.hinted(m, name)
	return r.models[id], nil
}

// hinted returns m, a model of that name at an endpoint, with hints on what
// users can do about its errors.
func (e endpoint) hinted(m providers.Model, name string) hinted {
	return hinted{Model: m, api: e.api, name: name, keyVar: e.keyVar, urlVar: e.urlVar, signIn: e.signIn}
}

// scripted returns the model that plays a file. It needs no limits: what is
// played costs nobody anything.
func (r *registry) scripted(ref, name string, w *workflows.Workflow) (providers.Model, error) {
	if ref == r.command {
		w = r.top
	}
	file := absolute(w.Dir, filepath.FromSlash(name))
	id := askedModel{ref: file}
	if m := r.models[id]; m != nil {
		return m, nil
	}
	played, err := readScript(file)
	if err != nil {
		return nil, err
	}
	m := providers.Retry(script.New(ref, played))
	r.models[id] = m
	return m, nil
}

// endpoint finds where a provider's models are asked. A workflow's own providers
// go before those that flow knows.
func (r *registry) endpoint(provider string, w *workflows.Workflow) (endpoint, error) {
	if own, ok := w.Providers[provider]; ok {
		return r.program.own(provider, own)
	}
	for _, s := range services() {
		if s.name == provider {
			return r.program.builtIn(s)
		}
	}
	return endpoint{}, unknownProvider(provider, w)
}

// splitReference splits a model's reference into its provider and its name.
func splitReference(ref string) (provider, name string, err error) {
	provider, name, slash := strings.Cut(ref, "/")
	if !slash || provider == "" || name == "" {
		err = configuration("such as openai/gpt-5-mini or script/demo.script.yaml", "the model %q: a model is named by its provider, a slash and its name", ref)
	}
	return provider, name, err
}

// unknownProvider is that a workflow names a provider that there is not.
func unknownProvider(provider string, w *workflows.Workflow) error {
	return configuration(hintOnProvider(provider, w), "the provider %q is not known", provider)
}

// providerNames are the providers that a workflow can name, its own first.
func providerNames(w *workflows.Workflow) []string {
	return append(append(slices.Sorted(maps.Keys(w.Providers)), scriptProvider), serviceNames()...)
}

// hintOnProvider says what could be meant by a provider that there is not.
func hintOnProvider(provider string, w *workflows.Workflow) string {
	names := providerNames(w)
	if meant := workflows.ProviderOf(provider); meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	if near := nearest.Of(provider, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "there are " + strings.Join(names, ", ") + ", and those under providers: in the workflow"
}

// governor returns what holds the requests to one service with one key back.
func (r *registry) governor(e endpoint) *providers.Governor {
	id := sha256.Sum256([]byte(e.BaseURL + "\x00" + e.APIKey))
	if r.governors[id] == nil {
		r.governors[id] = providers.NewGovernor(providers.GovernorOptions{
			MaxConcurrent: e.limits.MaxConcurrent, RequestsPerMinute: e.limits.RequestsPerMinute, TokensPerMinute: e.limits.TokensPerMinute,
		})
	}
	return r.governors[id]
}

// connect returns the model of that name at an endpoint, without retries and
// limits.
func (r *registry) connect(e endpoint, ref, provider, name string) providers.Model {
	at := e.Endpoint
	at.Ref, at.Provider, at.Model = ref, provider, name
	at.HTTPClient = r.client
	obeys := e.obeys(name)
	switch e.api {
	case apiChat:
		return openaichat.New(openaichat.Options{Endpoint: at, StructuredOutput: obeys})
	case apiAzure:
		return openaichat.New(openaichat.Options{Endpoint: azure.Deployment(at, e.version, &r.tokens), Native: true, StructuredOutput: obeys})
	case apiAnthropic:
		return anthropic.New(anthropic.Options{Endpoint: at, StructuredOutput: obeys})
	case apiGoogle:
		if e.vertex != nil {
			e.vertex.Tokens = &r.vertex
		}
		return google.New(google.Options{Endpoint: at, Vertex: e.vertex, StructuredOutput: obeys})
	case apiOllama:
		return ollama.New(ollama.Options{Endpoint: at})
	}
	return openai.New(openai.Options{Endpoint: at, StructuredOutput: obeys})
}

// obeys tells whether a model at an endpoint obeys a schema, as its workflow
// says. Of a vendor in the table whose API is only compatible it does where the
// table says so. Nil leaves it to the wire format.
func (e endpoint) obeys(name string) *bool {
	vendor := providers.VendorAt(e.BaseURL)
	if e.limits.StructuredOutput != nil || e.api != apiChat || vendor == "" || vendor == "openai" {
		return e.limits.StructuredOutput
	}
	known, _ := providers.Lookup(vendor + "/" + name)
	if known.StructuredOutput != nil && *known.StructuredOutput {
		return nil
	}
	no := false
	return &no
}

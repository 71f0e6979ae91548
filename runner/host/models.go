package host

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/paths"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/anthropic"
	"github.com/a-seed-11b9befa/flow/providers/azure"
	"github.com/a-seed-11b9befa/flow/providers/google"
	"github.com/a-seed-11b9befa/flow/providers/kept"
	"github.com/a-seed-11b9befa/flow/providers/ollama"
	"github.com/a-seed-11b9befa/flow/providers/openai"
	openaichat "github.com/a-seed-11b9befa/flow/providers/openai-chat"
	"github.com/a-seed-11b9befa/flow/providers/script"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// scriptProvider is the provider whose models are files.
const scriptProvider = "script"

// Models finds the models that references name. Each is made once, with its
// retries around it; those of one service and key share their limits. A scripted
// model alone is made anew, from the file as it was read first: it plays its turns
// once, and so belongs to one run. What one
// Models has found is for any number of runs, which share the limits then. It keeps
// what it has found for each [Loaded] workflow, so one that lives on is given the
// same ones again and again. It is safe for concurrent use.
type Models struct {
	env     Environment
	client  *http.Client // of all models: connections are shared by those of one host
	guarded *http.Client // of endpoints that workflows from elsewhere describe

	mu        sync.Mutex
	models    map[askedModel]providers.Model
	scripts   map[string]readScript                     // by their files
	governors map[[sha256.Size]byte]*providers.Governor // by a digest, which prints no key
	tokens    azure.Tokens                              // for services that are asked without a key
	vertex    google.Tokens
}

// An askedModel is what a reference means in one workflow: in another, the same
// name may stand for another endpoint, or for a script in another folder.
type askedModel struct {
	ref string
	w   *workflows.Workflow
}

// NewModels returns models of which none is found yet.
func NewModels(env Environment) *Models {
	return &Models{
		env:     env,
		client:  &http.Client{Transport: providers.NewTransport(providers.DefaultConnectTimeout)},
		guarded: &http.Client{Transport: guarded(providers.NewTransport(providers.DefaultConnectTimeout))},
		models:  map[askedModel]providers.Model{}, scripts: map[string]readScript{},
		governors: map[[sha256.Size]byte]*providers.Governor{},
	}
}

// Find returns the model that a workflow means by a reference. An error, of the
// kind configuration, says that there is no such provider, that its key is not
// set, or that the file of a script is wrong. Nothing is asked.
func (m *Models) Find(ref string, w *workflows.Workflow) (providers.Model, error) {
	return m.find(ref, w, true, false)
}

// find is Find; a model that is only named may lack its key. Elsewhere says where the
// workflow comes from.
func (m *Models) find(ref string, w *workflows.Workflow, asked, elsewhere bool) (providers.Model, error) {
	provider, name, err := splitReference(ref)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if provider == scriptProvider {
		return m.scripted(ref, paths.In(w.Dir, filepath.FromSlash(name)))
	}
	id := askedModel{ref, w}
	if found := m.models[id]; found != nil {
		return found, nil
	}
	e, err := m.endpoint(provider, w)
	if err != nil && (asked || e.api == "") {
		return nil, err
	}
	_, own := w.Providers[provider]
	e.guarded = own && elsewhere
	model := e.hinted(providers.Retry(providers.Limit(m.connect(e, ref, provider, name), m.governor(e))), name)
	if err == nil {
		m.models[id] = model
	}
	return model, nil
}

// hinted returns a model of that name at an endpoint, with hints on what
// users can do about its errors.
func (e endpoint) hinted(model providers.Model, name string) hinted {
	at := e.Endpoint
	at.Model = name
	place := kept.At(at, e.api, e.version, fmt.Sprint(e.limits.StructuredOutput != nil && *e.limits.StructuredOutput, e.limits.ReasoningContent))
	return hinted{Model: model, place: place, api: e.api, name: name, keyVar: e.keyVar, urlVar: e.urlVar, signIn: e.signIn, window: e.window(model.Info().Ref, name)}
}

// window is how many tokens a model of that name takes, in and out, as its
// workflow says, or as is known of it or of the vendor's at that address; else 0.
func (e endpoint) window(ref, name string) int64 {
	if e.limits.Context > 0 {
		return int64(e.limits.Context)
	}
	known, found := providers.Lookup(ref)
	if vendor := providers.VendorAt(e.BaseURL); !found && vendor != "" {
		known, _ = providers.Lookup(vendor + "/" + name)
	}
	return known.Context
}

// Play has a reference, script/<name>, stand for what a scripted model says in place
// of any file. It is called before anything runs. The name is used as it is.
func (m *Models) Play(name string, s *workflows.ScriptedModel) (ref string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts[name] = readScript{script: playedScript(s)}
	return scriptProvider + "/" + name
}

// scripted returns a model that plays a file from its beginning. It needs no
// limits: what is played costs nobody anything.
func (m *Models) scripted(ref, file string) (providers.Model, error) {
	played, err := m.readOnce(file)
	if err != nil {
		return nil, err
	}
	return providers.Retry(script.New(ref, played)), nil
}

// A readScript is what came of reading a script.
type readScript struct {
	script script.Script
	err    error
}

// script is the script of a file.
func (m *Models) script(file string) (script.Script, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.readOnce(file)
}

// readOnce is script; its caller holds the lock.
func (m *Models) readOnce(file string) (script.Script, error) {
	found, read := m.scripts[file]
	if !read {
		found.script, found.err = scriptOf(file)
		m.scripts[file] = found
	}
	return found.script, found.err
}

// endpoint finds where a provider's models are asked. A workflow's own providers
// go before those that flow knows.
func (m *Models) endpoint(provider string, w *workflows.Workflow) (endpoint, error) {
	if own, ok := w.Providers[provider]; ok {
		return m.env.own(provider, own)
	}
	for _, s := range services() {
		if s.name == provider {
			return m.env.builtIn(s)
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

// governor returns what holds the requests to one service with one key back.
func (m *Models) governor(e endpoint) *providers.Governor {
	id := sha256.Sum256([]byte(e.BaseURL + "\x00" + e.APIKey))
	if m.governors[id] == nil {
		m.governors[id] = providers.NewGovernor(providers.GovernorOptions{
			MaxConcurrent: e.limits.MaxConcurrent, RequestsPerMinute: e.limits.RequestsPerMinute, TokensPerMinute: e.limits.TokensPerMinute,
		})
	}
	return m.governors[id]
}

// connect returns the model of that name at an endpoint, without retries and
// limits.
func (m *Models) connect(e endpoint, ref, provider, name string) providers.Model {
	at := e.Endpoint
	at.Ref, at.Provider, at.Model = ref, provider, name
	if at.HTTPClient = m.client; e.guarded {
		at.HTTPClient = m.guarded
	}
	obeys := e.obeys(name)
	switch e.api {
	case apiChat:
		return openaichat.New(openaichat.Options{Endpoint: at, StructuredOutput: obeys, ReasoningContent: e.limits.ReasoningContent})
	case apiAzure:
		return openaichat.New(openaichat.Options{Endpoint: azure.Deployment(at, e.version, &m.tokens), Native: true, StructuredOutput: obeys, ReasoningContent: e.limits.ReasoningContent})
	case apiAnthropic:
		return anthropic.New(anthropic.Options{Endpoint: at, StructuredOutput: obeys})
	case apiGoogle:
		if e.vertex != nil {
			e.vertex.Tokens = &m.vertex
		}
		return google.New(google.Options{Endpoint: at, Vertex: e.vertex, StructuredOutput: obeys})
	case apiOllama:
		return ollama.New(ollama.Options{Endpoint: at})
	}
	return openai.New(openai.Options{Endpoint: at, StructuredOutput: obeys})
}

// obeys reports whether a model at an endpoint obeys a schema, as its workflow
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

package host

import (
	"crypto/sha256"
	"net/http"
	"path/filepath"
	"strings"
	"sync"

	"github.com/a-seed-11b9befa/flow/internal/paths"
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

// Models finds the models of runs by their references. Each model is created once, with its retries, and
// models of one service and key share their limits. Only a scripted model is created each time,
// from the file as it was first read: it plays its turns once, and so belongs to one run. Any
// number of runs can use the same Models, and then share the limits. It keeps models for each
// [Loaded] workflow, so a long-lived one should be given the same workflows again. It is safe for
// concurrent use. [NewModels] makes one: the zero value can't be used.
type Models struct {
	env     Environment
	client  *http.Client // of all models, so that those of one host share connections
	guarded *http.Client // for endpoints that workflows from elsewhere define

	mu        sync.Mutex
	models    map[modelKey]providers.Model
	scripts   map[string]readScript                     // by their paths
	governors map[[sha256.Size]byte]*providers.Governor // by a digest, so that no key is printed
	tokens    azure.Tokens                              // for services without a key
	vertex    google.Tokens
}

// A modelKey is a reference in one workflow: in another one, the same name may mean another
// endpoint, or a script in another folder.
type modelKey struct {
	ref string
	w   *workflows.Workflow
}

// NewModels returns Models for an environment.
func NewModels(env Environment) *Models {
	return &Models{
		env:     env,
		client:  &http.Client{Transport: providers.NewTransport()},
		guarded: &http.Client{Transport: guarded(providers.NewTransport())},
		models:  map[modelKey]providers.Model{}, scripts: map[string]readScript{},
		governors: map[[sha256.Size]byte]*providers.Governor{},
	}
}

// CloseIdleConnections closes the connections over which nobody is asked now. Models can still
// be asked.
func (m *Models) CloseIdleConnections() {
	m.client.CloseIdleConnections()
	m.guarded.CloseIdleConnections()
}

// Find returns the model that a workflow means by a reference, whose key has to be set. It makes no request.
func (m *Models) Find(ref string, w *workflows.Workflow) (providers.Model, error) {
	return m.find(ref, w, true, false)
}

// find returns the model that a workflow means by a reference, and makes no request. It returns an error, of
// the kind configuration, if there is no such provider, if its key is not set although withKey is, or if the
// file of a script is wrong. elsewhere says whether the workflow comes from elsewhere.
func (m *Models) find(ref string, w *workflows.Workflow, withKey, elsewhere bool) (providers.Model, error) {
	provider, name, err := splitReference(ref)
	if err != nil {
		return nil, err
	}
	if own, err := m.env.model(ref); own != nil || err != nil {
		return own, err
	}
	if provider == scriptProvider { // it has no limits, since it costs nothing
		played, err := m.script(paths.In(w.Dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		return providers.Retry(script.New(ref, playedScript(played))), nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	id := modelKey{ref, w}
	if found := m.models[id]; found != nil {
		return found, nil
	}
	e, err := m.endpoint(provider, w)
	if err != nil && (withKey || e.api == "") {
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

// finder returns the function that finds the models of a run. The path of a script that the
// options name starts at the run's workflow, whichever workflow asks it. Each script is played
// once in the run.
func (l *Loaded) finder(o Options) func(string, *workflows.Workflow) (providers.Model, error) {
	var mu sync.Mutex
	playing := map[string]providers.Model{} // by the paths of their scripts
	return func(ref string, w *workflows.Workflow) (providers.Model, error) {
		name, scripted := strings.CutPrefix(ref, scriptProvider+"/")
		if !scripted {
			if o.Refuse != nil && !o.PlanOnly {
				o.Refuse("the model " + ref)
				return nil, configuration("", "the model %s is not a script, and only scripts are allowed here", ref)
			}
			return o.Models.find(ref, w, !o.PlanOnly && !o.Cache.Only, l.foreign[w])
		}
		if ref == o.Model {
			w = l.Workflow
		}
		file := paths.In(w.Dir, filepath.FromSlash(name))
		if err := l.origins.Reaches(w.File, file); err != nil && ref != o.Model {
			return nil, configuration("", "the script %s: %v", name, err)
		}
		mu.Lock()
		defer mu.Unlock()
		if found := playing[file]; found != nil {
			return found, nil
		}
		found, err := o.Models.find(ref, w, !o.PlanOnly, false)
		if err == nil {
			playing[file] = found
		}
		return found, err
	}
}

// hinted returns a model at an endpoint, with hints about its errors.
func (e endpoint) hinted(model providers.Model, name string) hinted {
	return hinted{Model: model, endpoint: &e, name: name, window: e.known(model.Info().Ref, name).Context}
}

// Play defines a reference, script/<name>, to a scripted model that is not in a file. Call it
// before anything runs. The name is used as it is.
func (m *Models) Play(name string, s *workflows.ScriptedModel) (ref string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts[name] = readScript{model: s}
	return scriptProvider + "/" + name
}

// A readScript is the result of reading a script.
type readScript struct {
	model *workflows.ScriptedModel
	err   error
}

// script returns the script in a file, as it was first read.
func (m *Models) script(file string) (*workflows.ScriptedModel, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, read := m.scripts[file]
	if !read {
		found.model, found.err = scriptOf(file)
		m.scripts[file] = found
	}
	return found.model, found.err
}

// endpoint returns where the models of a provider are. A workflow's own providers override those
// that flow knows.
func (m *Models) endpoint(provider string, w *workflows.Workflow) (endpoint, error) {
	if own, ok := w.Providers[provider]; ok {
		return m.env.own(provider, own)
	}
	for _, s := range services() {
		if s.name == provider {
			return m.env.builtIn(s)
		}
	}
	return endpoint{}, m.env.unknownProvider(provider, w)
}

// splitReference splits a model's reference into its provider and its name.
func splitReference(ref string) (provider, name string, err error) {
	provider, name, slash := strings.Cut(ref, "/")
	if !slash || provider == "" || name == "" {
		err = configuration("such as openai/gpt-5-mini or script/demo.script.yaml", "the model %q: expected provider/model", ref)
	}
	return provider, name, err
}

// governor returns the limits of requests to one service with one key.
func (m *Models) governor(e endpoint) *providers.Governor {
	id := sha256.Sum256([]byte(e.BaseURL + "\x00" + e.APIKey))
	if m.governors[id] == nil {
		m.governors[id] = providers.NewGovernor(providers.GovernorOptions{
			MaxConcurrent: e.limits.MaxConcurrent, RequestsPerMinute: e.limits.RequestsPerMinute, TokensPerMinute: e.limits.TokensPerMinute,
		})
	}
	return m.governors[id]
}

// connect returns a model at an endpoint, without retries and limits.
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

// obeys says whether a model at an endpoint obeys a schema, according to its workflow or, for a
// vendor whose API is only compatible, to the table of models. Nil leaves it to the wire format.
func (e endpoint) obeys(name string) *bool {
	if said := e.limits.Models[name].Structured; said != nil {
		return said
	}
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

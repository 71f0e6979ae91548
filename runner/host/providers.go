package host

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/steps"
	"github.com/a-seed-11b9befa/flow/workflows"
)

// A Provider is a provider that every workflow can name, in an environment. It has neither keys nor
// base URLs, which may have a password: only whether a key is set, and where a URL is from.
type Provider struct {
	Name         string   `json:"name"` // the first part of a model's reference
	KeyState     string   `json:"key"`  // what there is of a key, in words
	KeySet       bool     `json:"key_set"`
	AddressState string   `json:"base_url"`        // where it is asked, in words
	Check        *Checkup `json:"check,omitempty"` // of [Environment.CheckUp]

	KeyVars []string `json:"-"` // the variables that may hold the key; none: none is needed
	SignIn  string   `json:"-"` // the variable because of which credentials are asked for in place of a key, if it is set
	URLVar  string   `json:"-"` // the variable that may hold a base URL
	URLSet  bool     `json:"-"`

	service service
	named   bool   // by who asks; else it is one of all
	model   string // the name of the model, or its beginning, by which it is named; "": none
}

// Providers returns the named providers, or all if none is named. A name may be the reference of a
// model. An unknown provider is an error.
func (env Environment) Providers(named ...string) (chosen []Provider, err error) {
	refs := named
	if len(named) == 0 {
		refs = serviceNames()
	}
	for _, ref := range refs {
		name, model, _ := strings.Cut(ref, "/")
		at := slices.IndexFunc(services(), func(s service) bool { return s.name == name })
		if at < 0 {
			names := env.providerNames(&workflows.Workflow{})
			return nil, steps.Invalid(hintOnProvider(name, names, ""), "unknown provider %q", name)
		}
		p := env.provider(services()[at])
		p.named, p.model = len(named) > 0, model
		chosen = append(chosen, p)
	}
	return chosen, nil
}

func (env Environment) provider(s service) Provider {
	keyVar := env.keyVar(s)
	p := Provider{Name: s.name, KeySet: keyVar != "", KeyVars: s.keyVars, URLVar: s.urlVar, service: s}
	if env.usesVertex(s) {
		p.SignIn, p.URLVar = varUseVertex, varVertexURL
	}
	p.URLSet = env.get(p.URLVar) != ""
	switch {
	case p.SignIn != "":
		p.KeyState = "application default credentials (" + p.SignIn + " is set)"
	case len(p.KeyVars) == 0:
		p.KeyState = "none needed"
	case p.KeySet:
		p.KeyState = keyVar + " is set"
	default:
		p.KeyState = s.keyNotSet()
	}
	switch p.AddressState = p.URLVar + " is not set"; {
	case p.URLSet:
		p.AddressState = "from " + p.URLVar
	case s.api == apiOllama:
		p.AddressState = "this machine (" + p.AddressState + ")"
	case s.api != apiAzure:
		p.AddressState = "the vendor's (" + p.AddressState + ")"
	}
	return p
}

// A KnownModel is a model of the table.
type KnownModel struct {
	Model string `json:"model"` // its reference
	providers.Known
}

// models returns the models of the provider's vendor in the table whose names begin like the named one.
func (p Provider) models() (list []KnownModel) {
	for _, ref := range providers.KnownModels() {
		if strings.HasPrefix(ref, cmp.Or(p.service.table, p.Name)+"/"+p.model) {
			known, _ := providers.Lookup(ref)
			list = append(list, KnownModel{ref, known})
		}
	}
	return list
}

// A Listing is what is known about providers and models.
type Listing struct {
	Version   int          `json:"version"`
	Providers []Provider   `json:"providers"`
	Models    []KnownModel `json:"models"`
	Source    string       `json:"source"` // the source of the table of models
	Date      string       `json:"date"`

	Unknown []string `json:"-"` // the named models about which nothing is known
}

// List returns what is known about all providers, or about those that are named by the
// beginnings of references, such as openai or openai/gpt-5. It returns an error if there is no
// such provider.
func (env Environment) List(named ...string) (*Listing, error) {
	chosen, err := env.Providers(named...)
	if err != nil {
		return nil, err
	}
	l := &Listing{Version: 1, Providers: chosen, Models: []KnownModel{}}
	l.Date, l.Source = providers.TableDate()
	for _, p := range chosen {
		models := p.models()
		if len(models) == 0 && p.model != "" {
			l.Unknown = append(l.Unknown, p.Name+"/"+p.model)
		}
		l.Models = append(l.Models, models...)
	}
	slices.SortFunc(l.Models, func(a, b KnownModel) int { return strings.Compare(a.Model, b.Model) })
	l.Models = slices.CompactFunc(l.Models, func(a, b KnownModel) bool { return a.Model == b.Model })
	return l, nil
}

// ProviderNames returns the providers that every workflow can name.
func ProviderNames() []string { return Environment{}.providerNames(&workflows.Workflow{}) }

// providerNames returns the providers that a workflow can name, its own first.
func (env Environment) providerNames(w *workflows.Workflow) []string {
	return slices.Concat(slices.Sorted(maps.Keys(w.Providers)), env.modelProviders(), []string{scriptProvider}, serviceNames())
}

// hasProvider reports whether a workflow can name a provider.
func (env Environment) hasProvider(name string, w *workflows.Workflow) bool {
	_, own := w.Providers[name]
	return own || slices.Contains(env.providerNames(&workflows.Workflow{}), name)
}

// providerOf is the provider of a reference.
func providerOf(ref string) string {
	provider, _, _ := strings.Cut(ref, "/")
	return provider
}

// unknownProvider is the error for a provider that does not exist.
func (env Environment) unknownProvider(provider string, w *workflows.Workflow) error {
	return configuration(hintOnProvider(provider, env.providerNames(w), ", and those under providers: in the workflow"), "unknown provider %q", provider)
}

// hintOnProvider suggests a provider for an unknown one, or lists the names, and says which others
// there are.
func hintOnProvider(provider string, names []string, others string) string {
	if meant := workflows.ProviderOf(provider); meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	return nearest.Hint(provider, names, "there are "+strings.Join(names, ", ")+others)
}

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
}

// Providers returns the named providers, or all if none is named. A name may be the reference of a
// model. An unknown provider is an error.
func (env Environment) Providers(named ...string) ([]Provider, error) {
	var chosen []Provider
	if len(named) == 0 {
		for _, s := range services() {
			chosen = append(chosen, env.provider(s))
		}
		return chosen, nil
	}
	for _, ref := range named {
		name := providerOf(ref)
		at := slices.IndexFunc(services(), func(s service) bool { return s.name == name })
		if at < 0 {
			names := env.providerNames(&workflows.Workflow{})
			return nil, steps.Invalid(hintOnProvider(name, names, ""), "unknown provider %q", name)
		}
		chosen = append(chosen, env.provider(services()[at]))
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
		p.KeyState = strings.Join(p.KeyVars, " or ") + " is not set"
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

// Vendor is the provider's name in the table of package providers.
func (p Provider) Vendor() string { return cmp.Or(p.service.table, p.Name) }

// A KnownModel is a model of the table.
type KnownModel struct {
	Model string `json:"model"` // its reference
	providers.Known
}

// KnownModels returns the models in the table of these providers' vendors, sorted by name. It is
// never nil.
func KnownModels(of ...Provider) []KnownModel {
	list := []KnownModel{}
	for _, ref := range providers.KnownModels() {
		vendor := providerOf(ref)
		if slices.ContainsFunc(of, func(p Provider) bool { return p.Vendor() == vendor }) {
			known, _ := providers.Lookup(ref)
			list = append(list, KnownModel{ref, known})
		}
	}
	return list
}

// ProviderNames returns the providers that every workflow can name.
func ProviderNames() []string { return Environment{}.providerNames(&workflows.Workflow{}) }

// providerNames returns the providers that a workflow can name, its own first.
func (env Environment) providerNames(w *workflows.Workflow) []string {
	return slices.Concat(slices.Sorted(maps.Keys(w.Providers)), env.modelProviders(), []string{scriptProvider}, serviceNames())
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

package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Listing is what is known about providers and models.
type Listing struct {
	Version   int               `json:"version"`
	Providers []*ListedProvider `json:"providers"`
	Models    []KnownModel      `json:"models"`
	Source    string            `json:"source"` // the source of the table of models
	Date      string            `json:"date"`

	Unknown []string `json:"-"` // the named models about which nothing is known

	chosen []Provider
	named  []string
}

// A ListedProvider says only whether there is a key, and where the base URL is from, which may
// hold a password.
type ListedProvider struct {
	Name   string   `json:"name"`
	Key    string   `json:"key"`
	KeySet bool     `json:"key_set"`
	URL    string   `json:"base_url"`
	Check  *Checkup `json:"check,omitempty"`
}

// List returns what is known about all providers, or about those that are named by the
// beginnings of references, such as openai or openai/gpt-5. It returns an error if there is no
// such provider.
func (env Environment) List(named ...string) (*Listing, error) {
	chosen, err := env.Providers(named...)
	if err != nil {
		return nil, err
	}
	l := &Listing{Version: 1, Providers: []*ListedProvider{}, chosen: chosen, named: named}
	l.Date, l.Source = providers.TableDate()
	for _, s := range chosen {
		l.Providers = append(l.Providers, &ListedProvider{Name: s.Name, Key: keyState(s), KeySet: s.KeySet, URL: urlState(s)})
	}
	l.Models = slices.DeleteFunc(KnownModels(chosen...), func(m KnownModel) bool { return !among(m.Model, chosen, named) })
	for _, ref := range named {
		_, name, _ := strings.Cut(ref, "/")
		if name != "" && !slices.ContainsFunc(l.Models, func(m KnownModel) bool { return strings.Contains(m.Model, "/"+name) }) {
			l.Unknown = append(l.Unknown, ref)
		}
	}
	return l, nil
}

// among reports whether a model of the chosen providers is one of those that are
// named, by the beginning of its name, or whether of a provider that has it none is.
func among(model string, chosen []Provider, named []string) bool {
	vendor, name, _ := strings.Cut(model, "/")
	return slices.ContainsFunc(chosen, func(p Provider) bool {
		all := p.Vendor() == vendor
		for _, ref := range named {
			if begins, ofThis := strings.CutPrefix(ref, p.Name+"/"); ofThis && begins != "" {
				if p.Vendor() == vendor && strings.HasPrefix(name, begins) {
					return true
				}
				all = false
			}
		}
		return all
	})
}

// keyState says whether there is a key, and never what it is.
func keyState(p Provider) string {
	variables := strings.Join(p.KeyVars, " or ")
	switch {
	case p.SignIn != "":
		return "application default credentials (" + p.SignIn + " is set)"
	case variables == "":
		return "none needed"
	case p.KeySet:
		return variables + " is set"
	}
	return variables + " is not set"
}

// urlState returns the name of the variable that holds the URL, which may hold a password.
func urlState(p Provider) string {
	switch {
	case p.URLSet:
		return "from " + p.URLVar
	case p.Home == "":
		return p.URLVar + " is not set"
	}
	return fmt.Sprintf("%s (%s is not set)", p.Home, p.URLVar)
}

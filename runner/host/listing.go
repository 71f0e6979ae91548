package host

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Listing is what is known about providers and models.
type Listing struct {
	Version   int          `json:"version"`
	Providers []Provider   `json:"providers"`
	Models    []KnownModel `json:"models"`
	Source    string       `json:"source"` // the source of the table of models
	Date      string       `json:"date"`

	Unknown []string `json:"-"` // the named models about which nothing is known

	named []string
}

// List returns what is known about all providers, or about those that are named by the
// beginnings of references, such as openai or openai/gpt-5. It returns an error if there is no
// such provider.
func (env Environment) List(named ...string) (*Listing, error) {
	chosen, err := env.Providers(named...)
	if err != nil {
		return nil, err
	}
	l := &Listing{Version: 1, Providers: chosen, named: named}
	l.Date, l.Source = providers.TableDate()
	l.Models = slices.DeleteFunc(KnownModels(chosen...), func(m KnownModel) bool { return !among(m.Model, chosen, named) })
	for _, ref := range named {
		_, name, _ := strings.Cut(ref, "/")
		if name != "" && !slices.ContainsFunc(l.Models, func(m KnownModel) bool { return strings.Contains(m.Model, "/"+name) }) {
			l.Unknown = append(l.Unknown, ref)
		}
	}
	return l, nil
}

// among reports whether a model is of one of the chosen providers and begins as the reference does by
// which that is named.
func among(model string, chosen []Provider, named []string) bool {
	for i, p := range chosen {
		begins := ""
		if len(named) > 0 {
			_, begins, _ = strings.Cut(named[i], "/")
		}
		if strings.HasPrefix(model, p.Vendor()+"/"+begins) {
			return true
		}
	}
	return false
}

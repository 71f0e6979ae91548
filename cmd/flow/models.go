package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

func (p *program) modelsCommand() *cobra.Command {
	output := choice{value: outputText, allowed: []string{outputText, outputJSON}}
	check := false
	c := &cobra.Command{
		Use:   "models [PROVIDER[/MODEL]…]",
		Short: "List providers and models, and whether the keys are set",
		Long: `List the providers, whether their keys are set, and the models that are known
with their lengths, abilities and prices: of all providers, or of those named. Of
models that are named it lists those that begin so.

--check asks a model of each provider that has a key, or of those named, for one
word. What is asked is the model that is named, or else the cheapest one that is
known. The exit code is 3 where a key is missing or refused, 4 where a provider
fails, 7 where it says that it is asked too much.`,
		Args: arguments(0, -1),
		RunE: func(_ *cobra.Command, args []string) error {
			if !check {
				return p.models(context.Background(), args, false, output.value)
			}
			return underSignals(func(ctx context.Context) error { return p.models(ctx, args, check, output.value) })
		},
	}
	c.Flags().BoolVar(&check, "check", false, "make one tiny request to each provider")
	c.Flags().Var(&output, "output", "how the list is printed")
	c.ValidArgsFunction = modelWords
	completeFlags(c, map[string]completer{})
	return c
}

// A listing is what is known of providers and models, as JSON.
type listing struct {
	Version   int               `json:"version"`
	Providers []listedProvider  `json:"providers"`
	Models    []host.KnownModel `json:"models"`
	Source    string            `json:"source"` // of what is known of models
	Date      string            `json:"date"`
}

// A listedProvider tells of a key only whether it is there, and of a base URL
// only where it is from: it may hold a password.
type listedProvider struct {
	Name   string        `json:"name"`
	Key    string        `json:"key"`
	KeySet bool          `json:"key_set"`
	URL    string        `json:"base_url"`
	Check  *host.Checkup `json:"check,omitempty"`
}

// models lists what is known, or checks it.
func (p *program) models(ctx context.Context, named []string, check bool, output string) error {
	chosen, err := p.environment().Providers(named...)
	if err != nil {
		return err
	}
	list := listing{Version: 1, Providers: []listedProvider{}, Models: []host.KnownModel{}}
	list.Date, list.Source = providers.TableDate()
	for _, s := range chosen {
		list.Providers = append(list.Providers, listedProvider{Name: s.Name, Key: keyState(s), KeySet: s.KeySet, URL: urlState(s)})
	}
	var failed error
	if check {
		failed = p.checkUp(ctx, list.Providers, chosen, named)
	} else {
		list.Models = slices.DeleteFunc(host.KnownModels(chosen...), func(m host.KnownModel) bool { return !among(m.Model, chosen, named) })
	}
	switch {
	case output == outputJSON:
		err = p.printJSON(list)
	case check:
		err = p.printCheckups(list.Providers)
	default:
		err = p.printListing(list, named)
	}
	if err != nil {
		return err
	}
	return failed
}

// among reports whether a model of the chosen providers is one of those that are
// named, by the beginning of its name, or whether of a provider that has it none is.
func among(model string, chosen []host.Provider, named []string) bool {
	vendor, name, _ := strings.Cut(model, "/")
	return slices.ContainsFunc(chosen, func(p host.Provider) bool {
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

// unknownModels say of the models that are named, and of which the list has none,
// that nothing is known of them.
func unknownModels(named []string, list []host.KnownModel) []string {
	var said []string
	for _, ref := range named {
		_, name, _ := strings.Cut(ref, "/")
		if name == "" || slices.ContainsFunc(list, func(m host.KnownModel) bool { return strings.Contains(m.Model, "/"+name) }) {
			continue
		}
		line := fmt.Sprintf("Nothing is known of %s, neither its price nor its lengths; it can be asked all the same", term.Visible(ref))
		if near := nearest.Of(ref, providers.KnownModels()); near != "" {
			line += fmt.Sprintf(" (did you mean %q?)", near)
		}
		said = append(said, line)
	}
	return said
}

// printListing prints for people: the providers, and the models.
func (p *program) printListing(list listing, named []string) error {
	t := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PROVIDER\tKEY\tBASE URL")
	if len(named) == 0 {
		fmt.Fprintln(t, "script/<file>\tnone needed\t")
	}
	for _, l := range list.Providers {
		fmt.Fprintf(t, "%s/<model>\t%s\t%s\n", l.Name, l.Key, l.URL)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, line := range unknownModels(named, list.Models) {
		fmt.Fprintf(p.stdout, "\n%s\n", line)
	}
	if len(list.Models) == 0 {
		return nil
	}
	fmt.Fprintf(p.stdout, "\nKnown models, of %s. USD for a million tokens in, kept before, and out:\n", list.Date)
	fmt.Fprintln(t, "MODEL\tCONTEXT\tANSWER\tIN\tKEPT\tOUT\tABILITIES")
	for _, m := range list.Models {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", m.Model, tokens(m.Context), tokens(m.MaxOutput), priceText(m.Price), abilities(m.Known))
	}
	return t.Flush()
}

// tokens is a number of tokens, "-" where it is not known.
func tokens(n int64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

// priceText is what is paid for input, for what was kept of it, and for output,
// in three columns.
func priceText(price *providers.Price) string {
	if price == nil {
		return "-\t-\t-"
	}
	kept := "-"
	if price.CachedInput != nil {
		kept = strconv.FormatFloat(*price.CachedInput, 'f', -1, 64)
	}
	more := ""
	if len(price.Above) > 0 {
		more = "+" // long requests cost more
	}
	return fmt.Sprintf("%s%s\t%s\t%s%s", strconv.FormatFloat(price.Input, 'f', -1, 64), more, kept, strconv.FormatFloat(price.Output, 'f', -1, 64), more)
}

// abilities are what a model is known to do.
func abilities(known providers.Known) string {
	var list []string
	for _, ability := range []struct {
		name string
		has  *bool
	}{{"tools", known.Tools}, {"schema", known.StructuredOutput}, {"temperature", known.Temperature}} {
		if ability.has != nil && *ability.has {
			list = append(list, ability.name)
		}
	}
	if r := known.Reasoning; r != nil {
		switch {
		case len(r.Efforts) > 0:
			list = append(list, "reasoning ("+strings.Join(r.Efforts, " ")+")")
		case r.Budget:
			list = append(list, "reasoning (budget)")
		default:
			list = append(list, "reasoning")
		}
	}
	return strings.Join(list, ", ")
}

// keyState tells whether a key is there, and never what it is.
func keyState(p host.Provider) string {
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

// urlState names the variable in place of the URL, which may hold a password.
func urlState(p host.Provider) string {
	switch {
	case p.URLSet:
		return "from " + p.URLVar
	case p.Home == "":
		return p.URLVar + " is not set"
	}
	return fmt.Sprintf("%s (%s is not set)", p.Home, p.URLVar)
}

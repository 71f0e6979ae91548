package main

import (
	"cmp"
	"context"
	"fmt"
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

// models lists what is known, or checks it.
func (p *program) models(ctx context.Context, named []string, check bool, output string) error {
	list, err := p.environment().List(named...)
	if err != nil {
		return err
	}
	var failed error
	if check {
		failed = p.checkUp(ctx, list)
		list.Models = []host.KnownModel{}
	}
	switch {
	case output == outputJSON:
		err = p.printJSON(list)
	case check:
		err = p.printCheckups(list.Providers)
	default:
		err = p.printListing(list, len(named) == 0)
	}
	return cmp.Or(err, failed)
}

// printListing prints for people: the providers, and the models.
func (p *program) printListing(list *host.Listing, all bool) error {
	t := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PROVIDER\tKEY\tBASE URL")
	if all {
		fmt.Fprintln(t, "script/<file>\tnone needed\t")
	}
	for _, l := range list.Providers {
		fmt.Fprintf(t, "%s/<model>\t%s\t%s\n", l.Name, l.Key, l.URL)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, unknown := range list.Unknown {
		line := fmt.Sprintf("Nothing is known of %s, neither its price nor its lengths; it can be asked all the same", term.Visible(unknown))
		if near := nearest.Of(unknown, providers.KnownModels()); near != "" {
			line += fmt.Sprintf(" (did you mean %q?)", near)
		}
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

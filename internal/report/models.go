package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/term"
	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/runner/host"
)

// Models lists the providers and the known models.
func Models(list *host.Listing, all bool) string {
	text := table(func(to io.Writer) {
		fmt.Fprintln(to, "PROVIDER\tKEY\tBASE URL")
		if all {
			fmt.Fprintln(to, "script/<file>\tnone needed\t")
		}
		for _, l := range list.Providers {
			fmt.Fprintf(to, "%s/<model>\t%s\t%s\n", l.Name, l.KeyState, l.AddressState)
		}
	})
	for _, unknown := range list.Unknown {
		line := fmt.Sprintf("%s is not a known model: its price and limits are unknown, but you can use it", term.Visible(unknown))
		if near := nearest.Of(unknown, providers.KnownModels()); near != "" {
			line += fmt.Sprintf(" (did you mean %q?)", near)
		}
		text += "\n" + line + "\n"
	}
	if len(list.Models) == 0 {
		return text
	}
	text += fmt.Sprintf("\nKnown models, as of %s. Prices in USD for a million tokens:\n", list.Date)
	return text + table(func(to io.Writer) {
		fmt.Fprintln(to, "MODEL\tCONTEXT\tMAX OUTPUT\tINPUT\tCACHED\tOUTPUT\tABILITIES")
		for _, m := range list.Models {
			fmt.Fprintf(to, "%s\t%s\t%s\t%s\t%s\n", m.Model, tokens(m.Context), tokens(m.MaxOutput), priceText(m.Price), abilities(m.Known))
		}
	})
}

// tokens is a number of tokens, "-" where it is not known.
func tokens(n int64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

// priceText gives the prices of input, cached input and output, in three columns.
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
	for _, modality := range known.Modalities {
		if modality != "text" { // which all read
			list = append(list, modality)
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

// Checkups lists how each provider answered.
func Checkups(list []host.Provider) string {
	return table(func(to io.Writer) {
		fmt.Fprintln(to, "PROVIDER\tSTATUS\tTIME\tMODEL\tPROBLEM")
		for _, l := range list {
			c := l.Check
			took := ""
			if c.DurationMS > 0 {
				took = (time.Duration(c.DurationMS) * time.Millisecond).Round(10 * time.Millisecond).String()
			}
			problem := c.Message
			if c.Kind != "" {
				problem = fmt.Sprintf("%s: %s", c.Kind, c.Message)
			}
			if c.Hint != "" {
				problem += " (" + c.Hint + ")"
			}
			fmt.Fprintf(to, "%s\t%s\t%s\t%s\t%s\n", l.Name, c.Status, took, c.Model, term.Visible(strings.ReplaceAll(problem, "\n", " ")))
		}
	})
}

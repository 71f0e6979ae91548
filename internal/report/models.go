package report

import (
	"fmt"
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
	named := table{{"PROVIDER", "KEY", "BASE URL"}}
	if all {
		named.row("script/<file>", "none needed")
	}
	for _, l := range list.Providers {
		named.row(l.Name+"/<model>", l.KeyState, l.AddressState)
	}
	text := named.String()
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
	known := table{{"MODEL", "CONTEXT", "MAX OUTPUT", "INPUT", "CACHED", "OUTPUT", "ABILITIES"}}
	for _, m := range list.Models {
		input, cached, output := prices(m.Price)
		known.row(m.Model, tokens(m.Context), tokens(m.MaxOutput), input, cached, output, abilities(m.Known))
	}
	return text + fmt.Sprintf("\nKnown models, as of %s. Prices in USD for a million tokens:\n", list.Date) + known.String()
}

// tokens is a number of tokens, "-" where it is not known.
func tokens(n int64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

// prices returns the prices of input, cached input and output.
func prices(price *providers.Price) (input, cached, output string) {
	if price == nil {
		return "-", "-", "-"
	}
	usd := func(price float64) string { return strconv.FormatFloat(price, 'f', -1, 64) }
	input, cached, output = usd(price.Input), "-", usd(price.Output)
	if price.CachedInput != nil {
		cached = usd(*price.CachedInput)
	}
	if len(price.Above) > 0 { // long requests cost more
		input, output = input+"+", output+"+"
	}
	return input, cached, output
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
	t := table{{"PROVIDER", "STATUS", "TIME", "MODEL", "PROBLEM"}}
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
		t.row(l.Name, string(c.Status), took, c.Model, term.Visible(strings.ReplaceAll(problem, "\n", " ")))
	}
	return t.String()
}

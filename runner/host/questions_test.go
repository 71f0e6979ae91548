package host_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/a-seed-11b9befa/flow/runner/host"
)

// ofLoaded answers what is asked of a workflow that is only loaded.
func ofLoaded(ctx context.Context, question, file string, named []string) string {
	o := optionsOf(named)
	w, found := host.Load(file, host.LoadOptions{Environment: o.Environment, NoScripts: true})
	if w == nil {
		return listed(found)
	}
	var b strings.Builder
	switch question {
	case "asks":
		for _, c := range []host.Consent{{Tools: true}, {}, {Unasked: true}} {
			for _, lack := range c.Lacks(w.Workflow) {
				fmt.Fprintf(&b, "lacks: %s (--grant %s)\n", lack.Text, lack.Word)
			}
		}
	case "files":
		for _, file := range w.Files("", o.Inputs) {
			sum := ""
			if text, err := host.ReadSource(file); err == nil {
				sum = fmt.Sprintf("%.4x", sha256.Sum256(text))
			}
			fmt.Fprintf(&b, "%s %s\n", file, sum)
		}
	case "offers":
		offers, err := w.Offers(ctx, o.Inputs, func(message string) { fmt.Fprintf(&b, "warned: %s\n", message) })
		for _, offer := range offers {
			fmt.Fprintf(&b, "%s:", offer.Step)
			for _, tool := range offer.Tools {
				fmt.Fprintf(&b, " %s%s", tool.Name, tool.Pinned)
			}
			fmt.Fprintf(&b, " agent=%q calls=%v hidden=%v absent=%v\n", offer.Agent, offer.Calls, offer.Hidden, offer.Absent)
		}
		b.WriteString(told(err))
	}
	return b.String()
}

// examined is what the doctor finds, but for what hangs on the machine.
func examined(named []string) string {
	var b strings.Builder
	for _, part := range optionsOf(named).Environment.Doctor().Parts {
		if part.Name == "temporary files" {
			continue
		}
		fmt.Fprintf(&b, "%s %s", part.Area, part.Name)
		if part.Area != "program" {
			fmt.Fprintf(&b, ": %s %s", part.State, part.Detail)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// providersListed is what is known of providers: those that are named.
func providersListed(words []string) string {
	var names, variables []string
	for _, word := range words {
		if strings.Contains(word, "=") {
			variables = append(variables, word)
		} else {
			names = append(names, word)
		}
	}
	l, err := optionsOf(variables).Environment.List(names...)
	if err != nil {
		return told(err)
	}
	var b strings.Builder
	for _, p := range l.Providers {
		fmt.Fprintf(&b, "%s: %s, %v; %s\n", p.Name, p.KeyState, p.KeySet, p.AddressState)
	}
	of := map[string]int{}
	for _, m := range l.Models {
		vendor, _, _ := strings.Cut(m.Model, "/")
		of[vendor]++
	}
	for _, p := range l.Providers {
		if len(names) > 0 {
			fmt.Fprintf(&b, "models of %s: %v\n", p.Name, of[p.Name] > 0)
		}
	}
	return b.String() + fmt.Sprintf("unknown: %v\n", l.Unknown)
}

package main

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/flags"
	"github.com/a-seed-11b9befa/flow/internal/session"
)

// addModel adds --model.
func addModel(set *pflag.FlagSet, into *string) {
	set.Func("model", "the model of every step, as `provider/model`", func(ref string) error {
		if ref == "" {
			return errors.New("a model was expected, such as openai/gpt-5-mini or script/demo.script.yaml")
		}
		*into = ref
		return nil
	})
}

// addNoColor adds --no-color.
func (p *program) addNoColor(set *pflag.FlagSet) {
	set.BoolVar(&p.noColor, "no-color", false, "print without colours")
}

// addOffline adds --offline.
func (p *program) addOffline(set *pflag.FlagSet) {
	set.BoolVar(&p.offline, "offline", false, "fetch no recipe")
}

// What --output can say.
const (
	outputText     = session.FormatText
	outputJSON     = session.FormatJSON
	outputJSONL    = "jsonl"
	outputMarkdown = "markdown"
)

// addOutput adds --output, which is text or JSON, or one of more.
func addOutput(set *pflag.FlagSet, into *string, usage string, more ...string) {
	set.Var(flags.OneOf(into, outputText, append([]string{outputText, outputJSON}, more...)...), "output", usage)
}

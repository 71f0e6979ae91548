package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
	"github.com/a-seed-11b9befa/flow/internal/session"
)

// A parsed is a flag whose value is read from its text.
type parsed[T any] struct {
	into  *T
	text  string   // as it was given, or the default
	kind  string   // what help shows as the flag's value
	words []string // all that it can be; nil: what read reads
	read  func(text string) (T, error)
}

// String is the text.
func (p *parsed[T]) String() string { return p.text }

// Type is what help shows as the flag's value.
func (p *parsed[T]) Type() string { return p.kind }

// Set takes the text.
func (p *parsed[T]) Set(text string) error {
	value, err := p.read(text)
	if err == nil {
		*p.into, p.text = value, text
	}
	return err
}

// flagOf is a flag that read reads; its value stays as it is where it is not given.
func flagOf[T any](into *T, kind string, read func(text string) (T, error)) pflag.Value {
	return &parsed[T]{into: into, kind: kind, read: read}
}

// oneOf is a flag that takes one of a few words. Where it is not given, into stays as it is,
// and help shows the default.
func oneOf(into *string, usual string, words ...string) pflag.Value {
	read := func(text string) (string, error) { return text, among(words, text) }
	return &parsed[string]{into: into, text: usual, kind: strings.Join(words, "|"), words: words, read: read}
}

// among refuses what is none of a few words.
func among(words []string, text string) error {
	if slices.Contains(words, text) {
		return nil
	}
	message := "it is one of " + strings.Join(words, ", ")
	if near := nearest.Of(text, words); near != "" {
		message += ` (did you mean "` + near + `"?)`
	}
	return errors.New(message)
}

// addModel adds --model.
func addModel(flags *pflag.FlagSet, into *string) {
	flags.Func("model", "the model of every step, as `provider/model`", func(ref string) error {
		if ref == "" {
			return errors.New("a model was expected, such as openai/gpt-5-mini or script/demo.script.yaml")
		}
		*into = ref
		return nil
	})
}

// addNoColor adds --no-color.
func (p *program) addNoColor(flags *pflag.FlagSet) {
	flags.BoolVar(&p.noColor, "no-color", false, "print without colours")
}

// addOffline adds --offline.
func (p *program) addOffline(flags *pflag.FlagSet) {
	flags.BoolVar(&p.offline, "offline", false, "fetch no recipe")
}

// What --output can say.
const (
	outputText     = session.FormatText
	outputJSON     = session.FormatJSON
	outputJSONL    = "jsonl"
	outputMarkdown = "markdown"
)

// addOutput adds --output, which is text or JSON, or one of more.
func addOutput(flags *pflag.FlagSet, into *string, usage string, more ...string) {
	flags.Var(oneOf(into, outputText, append([]string{outputText, outputJSON}, more...)...), "output", usage)
}

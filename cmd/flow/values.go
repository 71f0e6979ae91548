package main

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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

// number reads a number from 1.
func number(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0, errors.New("a number from 1 was expected")
	}
	return int(n), nil
}

// length reads a length of time, which may be 0.
func length(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errors.New("a length of time was expected, such as 30s, 2m or 0")
	}
	return d, nil
}

// age reads how long ago something was: 30d, 2w, 12h.
func age(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	wrong := errors.New("an age was expected, such as 30d, 2w or 12h")
	for unit, each := range map[string]time.Duration{"d": day, "w": 7 * day} {
		if count, found := strings.CutSuffix(text, unit); found {
			n, err := strconv.ParseInt(count, 10, 64)
			if err != nil || n < 1 || n > int64(100_000*day/each) {
				return 0, wrong
			}
			return time.Duration(n) * each, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, wrong
	}
	return d, nil
}

// amount reads an amount of USD, which may be 0.
func amount(text string) (*float64, error) {
	usd, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(usd) || math.IsInf(usd, 0) || usd < 0 {
		return nil, errors.New("an amount of USD from 0 was expected, such as 2.50")
	}
	return &usd, nil
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

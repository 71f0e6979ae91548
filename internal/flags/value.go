package flags

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// A value is a flag that passes its text on. An empty text is a mistake: it mostly comes from a variable
// of the shell that is not set.
type value struct {
	text string // as it was given, or the default
	kind string
	take func(text string) error
}

// String returns the text.
func (v *value) String() string { return v.text }

// Type names the value in the help.
func (v *value) Type() string { return v.kind }

// Set parses a text.
func (v *value) Set(text string) error {
	if text == "" {
		return errors.New("the value is empty")
	}
	err := v.take(text)
	if err == nil {
		v.text = text
	}
	return err
}

// Of is a flag that read parses into into, which stays as it is without the flag. It runs while
// the command line is parsed, and so touches no file. The help shows kind as its value, and usual
// as the default.
func Of[T any](into *T, kind, usual string, read func(text string) (T, error)) pflag.Value {
	return &value{usual, kind, func(text string) error {
		parsed, err := read(text)
		if err == nil {
			*into = parsed
		}
		return err
	}}
}

// Text is a flag that takes a text, such as a path or a name.
func Text(into *string) pflag.Value {
	return Of(into, "string", "", func(text string) (string, error) { return text, nil })
}

// Each is a flag that can be given several times. It calls take with each text.
func Each(take func(text string) error) pflag.Value { return &value{kind: "string", take: take} }

// A choice is a flag that takes one of a few words.
type choice struct {
	pflag.Value
	words []string
}

// OneOf is [Of] of a few words.
func OneOf(into *string, usual string, words ...string) pflag.Value {
	read := func(text string) (string, error) { return text, Among(words, text) }
	return choice{Of(into, strings.Join(words, "|"), usual, read), words}
}

// Words returns the words of a flag of [OneOf]; nil for any other flag.
func Words(of pflag.Value) []string {
	one, _ := of.(choice)
	return one.words
}

// Among returns an error unless a text is one of a few words.
func Among(words []string, text string) error {
	if slices.Contains(words, text) {
		return nil
	}
	message := "expected one of " + strings.Join(words, ", ")
	if near := nearest.Of(text, words); near != "" {
		message += ` (did you mean "` + near + `"?)`
	}
	return errors.New(message)
}

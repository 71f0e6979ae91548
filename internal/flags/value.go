package flags

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// A value is a flag whose text is parsed.
type value[T any] struct {
	into *T
	text string // as it was given, or the default
	kind string
	read func(text string) (T, error)
}

// String returns the text.
func (v *value[T]) String() string { return v.text }

// Type names the value in the help.
func (v *value[T]) Type() string { return v.kind }

// Set parses a text.
func (v *value[T]) Set(text string) error {
	read, err := v.read(text)
	if err == nil {
		*v.into, v.text = read, text
	}
	return err
}

// Of is a flag that read parses into into, which stays as it is without the flag. It runs while
// the command line is parsed, and so touches no file. The help shows kind as its value, and usual
// as the default.
func Of[T any](into *T, kind, usual string, read func(text string) (T, error)) pflag.Value {
	return &value[T]{into, usual, kind, read}
}

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

// Text returns the value of a flag that takes a text, such as a path or a name. An empty text is a
// mistake: it mostly comes from a variable of the shell that is not set.
func Text(into *string) pflag.Value {
	return Of(into, "string", "", func(text string) (string, error) { return text, NotEmpty(text) })
}

// NotEmpty returns an error for an empty text.
func NotEmpty(text string) error {
	if text == "" {
		return errors.New("the value is empty")
	}
	return nil
}

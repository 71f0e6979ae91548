package flags

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/a-seed-11b9befa/flow/internal/nearest"
)

// A value is a flag that is read from its text.
type value[T any] struct {
	into *T
	text string // as it was given, or the default
	kind string
	read func(text string) (T, error)
}

// String is the text.
func (v *value[T]) String() string { return v.text }

// Type is what help shows as the flag's value.
func (v *value[T]) Type() string { return v.kind }

// Set takes the text.
func (v *value[T]) Set(text string) error {
	read, err := v.read(text)
	if err == nil {
		*v.into, v.text = read, text
	}
	return err
}

// Of is a flag that read reads. Where it is not given, into stays as it is. Help shows kind as
// its value, and the usual one as the default.
func Of[T any](into *T, kind, usual string, read func(text string) (T, error)) pflag.Value {
	return &value[T]{into, usual, kind, read}
}

// OneOf is [Of] of a few words.
func OneOf(into *string, usual string, words ...string) pflag.Value {
	return Of(into, strings.Join(words, between), usual, func(text string) (string, error) { return text, Among(words, text) })
}

const between = "|"

// Words are those that a flag of [OneOf] can be; nil of any other.
func Words(of pflag.Value) []string {
	if one, is := of.(*value[string]); is {
		return strings.Split(one.kind, between)
	}
	return nil
}

// Among refuses what is none of a few words.
func Among(words []string, text string) error {
	if slices.Contains(words, text) {
		return nil
	}
	message := "it is one of " + strings.Join(words, ", ")
	if near := nearest.Of(text, words); near != "" {
		message += ` (did you mean "` + near + `"?)`
	}
	return errors.New(message)
}

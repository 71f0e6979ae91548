package anthropic

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"github.com/a-seed-11b9befa/flow/providers"
)

// Info describes the model and what it can do.
func (m *Model) Info() providers.Info {
	obeys := m.native && m.can.schema
	if said := m.options.StructuredOutput; said != nil {
		obeys = *said
	}
	return providers.Info{Ref: m.options.Ref, Provider: m.options.Provider, StructuredOutput: obeys}
}

// An ability is what a model supports.
type ability struct {
	maxTokens int // the longest answer, or less if that is unknown

	budget    bool // thinking with a budget of tokens
	adaptive  bool // adaptive thinking, with an effort
	byDefault bool // it thinks unless that is disabled
	always    bool // thinking can't be disabled, nor a tool forced

	sampling int  // how many of temperature and top_p it accepts at once
	schema   bool // it follows a schema of its text
}

// A generation is the ability of the models from a version on.
type generation struct {
	from int // 450 is 4.5
	ability
}

// generations returns the newest first. A model that is newer than all of them counts as
// one of the newest.
//
// See https://platform.claude.com/docs/en/about-claude/models/overview and the
// guides for migration beside it (November 2026).
func generations() []generation {
	return []generation{
		{550, ability{maxTokens: 128_000, adaptive: true, byDefault: true, always: true, schema: true}},
		{500, ability{maxTokens: 128_000, adaptive: true, byDefault: true, schema: true}},
		{470, ability{maxTokens: 128_000, adaptive: true, schema: true}},
		{460, ability{maxTokens: 128_000, adaptive: true, budget: true, sampling: 1, schema: true}},
		{450, ability{maxTokens: 64_000, budget: true, sampling: 1, schema: true}},
		{410, ability{maxTokens: 64_000, budget: true, sampling: 1}},
		{370, ability{maxTokens: 64_000, budget: true, sampling: 2}},
		{350, ability{maxTokens: 8_192, sampling: 2}},
		{0, ability{maxTokens: 4_096, sampling: 2}},
	}
}

// abilityOf returns the ability of a model by its name, also with what gateways add to it:
// claude-opus-4-1-20250805, anthropic/claude-sonnet-4.5, us.anthropic.claude-haiku-4-5-v1:0.
// Of a model that is not Claude it assumes much.
func abilityOf(model string) ability {
	_, name, isClaude := strings.Cut(strings.ToLower(model), "claude")
	if !isClaude {
		return ability{maxTokens: 32_000, budget: true, sampling: 2}
	}
	family, version := readName(name)
	newest := generations()[0]
	if family == "fable" || family == "mythos" {
		return newest.ability
	}
	version = cmp.Or(version, newest.from)
	for _, g := range generations() {
		if version >= g.from {
			return g.ability.of(family, version)
		}
	}
	return newest.ability
}

// of returns the ability of a family in its generation.
func (a ability) of(family string, version int) ability {
	switch {
	case family == "opus" && version >= 400 && version < 450:
		a.maxTokens = 32_000
	case family == "haiku" && version < 550:
		a.maxTokens = min(a.maxTokens, 64_000)
	}
	return a
}

// readName parses the family and the version behind "claude", in either order:
// -3-5-sonnet-20241022, -opus-4.1. The version is 0 for none.
func readName(name string) (family string, version int) {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	const major, minor, longest = 100, 10, 2 // more digits are a date
	scale := major
	for _, word := range words {
		n, err := strconv.Atoi(word)
		switch {
		case err != nil && family == "":
			family = word
		case err != nil || len(word) > longest:
			return family, version
		case scale >= minor:
			version += n * scale
			scale /= minor
		}
	}
	return family, version
}

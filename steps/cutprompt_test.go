package steps

import (
	"context"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

func TestPromptThatTheServiceCuts(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prompt  string
		counted int64
		doubted bool
		by      string // the provider
	}{
		{"of a scripted model", strings.Repeat("line of a text\n", 500), 512, false, scripted},
		{"cut to a context of 512", strings.Repeat("line of a text\n", 500), 512, true, ""},
		{"cut to a context of 4096", strings.Repeat("line of a text\n", 4000), 4096, true, ""},
		{"read", strings.Repeat("line of a text\n", 500), 2000, false, ""},
		{"long words", strings.Repeat("internationalization ", 500), 1500, false, ""},
		{"nothing counted", strings.Repeat("line of a text\n", 500), 0, false, ""},
		{"a count that is none", strings.Repeat("line of a text\n", 500), 10, false, ""},
		{"short", "hi", 300, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			model := playing(func(context.Context, providers.Request) (providers.Message, error) {
				return providers.Message{
					Provider: tt.by, Finish: providers.FinishStop, Blocks: []providers.Block{{Type: providers.BlockText, Text: "ok"}},
					Usage: providers.Usage{InputTokens: tt.counted, OutputTokens: 5},
				}, nil
			})
			var l log
			a := Agent{Model: model, Prompt: tt.prompt, Hooks: l.hooks()}
			a.Run(t.Context())
			var told []string
			for _, e := range l.events {
				if e.Type == Warning {
					told = append(told, e.Message)
				}
			}
			if doubted := len(told) == 1 && strings.Contains(told[0], ": it may have truncated the prompt to the model's context"); doubted != tt.doubted || len(told) > 1 {
				t.Errorf("told %q", told)
			}
		})
	}
}

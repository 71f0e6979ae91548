package providers

import (
	"errors"
	"strings"
	"testing"
)

func TestErrorSaysWhat(t *testing.T) {
	tests := []struct {
		name string
		err  Error
		want string
	}{
		{"words", Error{Kind: KindAuth, Message: "no such key"}, "no such key"},
		{"words before a cause", Error{Kind: KindAuth, Message: "no such key", Err: errors.New("x")}, "no such key"},
		{"a cause", Error{Kind: KindNetwork, Err: errors.New("reset")}, "reset"},
		{"all of it", Error{Kind: KindAuth, Model: "a/b", Status: 401, Message: "no such key"}, "a/b: no such key (HTTP 401)"},
		{"no words", Error{Kind: KindProvider, Model: "a/b"}, "a/b: the service failed, and did not say why"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	said := map[string]Kind{}
	for _, kind := range []Kind{
		KindConfiguration, KindAuth, KindRateLimited, KindOverloaded, KindProvider,
		KindNetwork, KindContextLength, KindContentFilter, KindCancelled,
	} {
		text := (&Error{Kind: kind}).Error()
		if !strings.Contains(text, " ") || said[text] != "" {
			t.Errorf("an error of the kind %s without words says %q", kind, text)
		}
		said[text] = kind
	}
}

package providers

import (
	"errors"
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
		{"no words", Error{Kind: KindProvider, Model: "a/b"}, "a/b: provider error without a message"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

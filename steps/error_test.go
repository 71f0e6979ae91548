package steps

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

func TestKindOf(t *testing.T) {
	own := &Error{Kind: KindBudget, Message: "used up"}
	provider := &providers.Error{Kind: providers.KindAuth, Message: "bad key"}
	tests := []struct {
		name string
		err  error
		want Kind
	}{
		{"our own", own, KindBudget},
		{"our own, wrapped", fmt.Errorf("step: %w", own), KindBudget},
		{"a provider's", fmt.Errorf("step: %w", provider), KindAuth},
		{"our own around a provider's", &Error{Kind: KindTool, Err: provider}, KindTool},
		{"a deadline", fmt.Errorf("x: %w", context.DeadlineExceeded), KindTimeout},
		{"a context that was cancelled", context.Canceled, KindCancelled},
		{"anything else", errors.New("x"), KindInternal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := KindOf(tt.err); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestHintOf(t *testing.T) {
	hinted := Invalid("did you mean x?", "there is no y")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, ""}, {errors.New("x"), ""}, {hinted, "did you mean x?"}, {fmt.Errorf("step: %w", hinted), "did you mean x?"},
	} {
		if got := HintOf(tt.err); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.err, got, tt.want)
		}
	}
}

func TestErrorIsItsMessageAndCause(t *testing.T) {
	cause := errors.New("cause")
	err := error(&Error{Kind: KindTool, Message: "tool broke down", Err: cause})
	if err.Error() != "tool broke down" || !errors.Is(err, cause) {
		t.Errorf("%q, cause %v", err, errors.Unwrap(err))
	}
}

// What becomes of an error on its way into a result: the words of all around
// it, the kind and the hint of what is inside.
func TestAsError(t *testing.T) {
	own := &Error{Kind: KindBudget, Message: "used up", Hint: "raise it"}
	tests := []struct {
		name    string
		err     error
		kind    Kind
		message string
		hint    string
	}{
		{"our own", own, KindBudget, "used up", "raise it"},
		{"wrapped", fmt.Errorf("check %q: %w", "x", own), KindBudget, `check "x": used up`, "raise it"},
		{"a provider's", &providers.Error{Kind: providers.KindNetwork, Model: "a/b", Message: "no answer"}, KindNetwork, "a/b: no answer", ""},
		{"a provider's own patience", &providers.Error{Kind: providers.KindCancelled, Message: "stalled"}, KindNetwork, "stalled", ""},
		{"a service that was too slow", &providers.Error{Kind: providers.KindNetwork, Model: "a/b", Err: fmt.Errorf("dial: %w", context.DeadlineExceeded)}, KindNetwork, "a/b: dial: context deadline exceeded", ""},
		{"somebody's own deadline", fmt.Errorf("get x: %w", context.DeadlineExceeded), KindInternal, "get x: context deadline exceeded", ""},
		{"somebody's own cancellation", fmt.Errorf("get x: %w", context.Canceled), KindInternal, "get x: context canceled", ""},
		{"anything else", errors.New("x"), KindInternal, "x", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := asError(tt.err)
			if got.Kind != tt.kind || got.Message != tt.message || got.Hint != tt.hint {
				t.Errorf("got %s, %q, %q; want %s, %q, %q", got.Kind, got.Message, got.Hint, tt.kind, tt.message, tt.hint)
			}
			if got != own && !errors.Is(got, tt.err) {
				t.Error("the cause is lost")
			}
		})
	}
}

func TestWithKind(t *testing.T) {
	if got := withKind(errors.New("x"), KindTool).Kind; got != KindTool {
		t.Errorf("an error of no kind becomes %s", got)
	}
	if got := withKind(context.DeadlineExceeded, KindTool).Kind; got != KindTool {
		t.Errorf("a tool's own deadline becomes %s", got)
	}
	if got := withKind(&Error{Kind: KindBudget}, KindTool).Kind; got != KindBudget {
		t.Errorf("an error with a kind becomes %s", got)
	}
}

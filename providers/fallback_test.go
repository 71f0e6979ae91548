package providers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestFallbackIsSticky(t *testing.T) {
	first, askedFirst := sequence("a/1", overloaded())
	second, askedSecond := sequence("b/2")
	model := Fallback([]Model{first, second})
	var told events
	send := func(conversation string) string {
		got, err := model.Stream(t.Context(), Request{Conversation: conversation}, told.add)
		if err != nil {
			t.Fatal(err)
		}
		return got.Text()
	}
	if got := send("x"); got != "b/2" {
		t.Errorf("got %q from the first request", got)
	}
	if len(told) != 1 || told[0].Type != FellBack || told[0].Model != "b/2" || KindOf(told[0].Err) != KindOverloaded {
		t.Errorf("got events %+v", told)
	}
	if got := send("x"); got != "b/2" || *askedFirst != 1 {
		t.Errorf("the conversation went back to %q", got)
	}
	if got := send("y"); got != "a/1" || *askedSecond != 2 {
		t.Errorf("another conversation starts with %q", got)
	}
}

func TestFallbackKinds(t *testing.T) {
	tests := []struct {
		err  *Error
		next bool
	}{
		{overloaded(), true},
		{rateLimited(0), true},
		{&Error{Kind: KindRateLimited, Code: "insufficient_quota"}, true},
		{&Error{Kind: KindNetwork, Retryable: true}, true},
		{&Error{Kind: KindProvider, Status: 500, Retryable: true}, true},
		{&Error{Kind: KindProvider, Status: 400}, false},
		{&Error{Kind: KindAuth}, false},
		{&Error{Kind: KindConfiguration}, false},
		{&Error{Kind: KindContextLength}, false},
		{&Error{Kind: KindContentFilter}, false},
		{&Error{Kind: KindCancelled}, false},
	}
	for _, tt := range tests {
		first, _ := sequence("a/1", tt.err)
		second, asked := sequence("b/2")
		_, err := Fallback([]Model{first, second}).Stream(t.Context(), Request{}, ignore)
		if (*asked == 1) != tt.next || (err == nil) != tt.next {
			t.Errorf("%+v: went on: %v, error %v", tt.err, *asked == 1, err)
		}
	}
	first, _ := sequence("a/1", errors.New("plain"))
	second, asked := sequence("b/2")
	if _, err := Fallback([]Model{first, second}).Stream(t.Context(), Request{}, ignore); err == nil || *asked != 0 {
		t.Errorf("went on after an error that says nothing of itself: %v", err)
	}
}

func TestFallbackSaysWhatEachSaid(t *testing.T) {
	one := &Error{Kind: KindOverloaded, Model: "a/1", Status: 503, Message: "busy", Retryable: true}
	two := &Error{Kind: KindRateLimited, Model: "b/2", Status: 429, Message: "slow down", Retryable: true, RetryAfter: time.Second}
	first, _ := sequence("a/1", one)
	second, _ := sequence("b/2", two)
	_, err := Fallback([]Model{first, second}).Stream(t.Context(), Request{}, ignore)
	e := wantKind(t, err, KindRateLimited)
	if want := "a/1: busy (HTTP 503); then b/2: slow down (HTTP 429)"; err.Error() != want || e.RetryAfter != time.Second {
		t.Errorf("got %q, %v; want %q", err, e.RetryAfter, want)
	}
	if !errors.Is(err, one) || !errors.Is(err, two) {
		t.Error("a cause is lost")
	}
}

func TestFallbackStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	first := fake{"a/1", func(context.Context, Request, func(Event)) (Message, error) {
		cancel()
		return Message{}, overloaded()
	}}
	second, asked := sequence("b/2")
	if _, err := Fallback([]Model{first, second}).Stream(ctx, Request{}, ignore); err == nil || *asked != 0 {
		t.Errorf("asked the next model for a cancelled request: %v", err)
	}
}

func TestFallbackInfo(t *testing.T) {
	one, _ := sequence("a/1")
	if got := Fallback([]Model{one}); got.Info().Ref != "a/1" {
		t.Errorf("got %+v", got.Info())
	}
	if info := Fallback([]Model{one, unable{one}}).Info(); !info.Obeys(false) || info.Obeys(true) {
		t.Errorf("got %+v; the second model obeys without tools", info)
	}
	if info := Fallback([]Model{one, unable{one}}).Info(); info.Ref != "a/1" || info.StructuredOutput {
		t.Errorf("got %+v; the second model has no structured output", info)
	}
	defer func() {
		if recovered := recover(); recovered == nil || !strings.Contains(recovered.(string), "without models") {
			t.Errorf("got %v", recovered)
		}
	}()
	Fallback(nil)
}

// unable is a model without structured output beside tools.
type unable struct{ Model }

func (u unable) Info() Info {
	info := u.Model.Info()
	info.StructuredOutput, info.StructuredAlone = false, true
	return info
}

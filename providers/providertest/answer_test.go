package providertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// checkAnswer compares an answer with what a recording expects.
func checkAnswer(t *testing.T, want expected, message providers.Message, err error) {
	t.Helper()
	if want.Error != nil || want.Truncated {
		checkFailure(t, want, err)
		return
	}
	if err != nil && want.Finish == string(providers.FinishError) { // which is as good, and says more
		checkFailure(t, expected{Error: &errorWords{}}, err)
		return
	}
	if err != nil {
		t.Fatalf("error %v", err)
	}
	if message.Text() != want.Text {
		t.Errorf("text %q, want %q", message.Text(), want.Text)
	}
	checkThinking(t, want, message)
	checkCalls(t, want, message.Calls())
	checkFinish(t, want, message)
	checkUsage(t, want.Usage, message.Usage)
	checkCost(t, want, message.Usage.Cost)
}

func checkFailure(t *testing.T, want expected, err error) {
	t.Helper()
	var told *providers.Error
	if !errors.As(err, &told) {
		t.Fatalf("error %v, want a *providers.Error", err)
	}
	if want.Truncated {
		if told.Kind != providers.KindNetwork || !told.Retryable {
			t.Errorf("error %q of kind %s, retryable %v; want one of the network, to be retried", told, told.Kind, told.Retryable)
		}
		return
	}
	if !strings.Contains(told.Message, want.Error.Message) {
		t.Errorf("message %q, want %q", told.Message, want.Error.Message)
	}
	if _, number := strconv.Atoi(want.Error.Code); number != nil && want.Error.Code != "" && told.Code != want.Error.Code {
		t.Errorf("code %q, want %q", told.Code, want.Error.Code)
	}
}

// checkThinking compares thoughts, and refusals, which are kept in a thinking block too;
// its Raw tells them apart.
func checkThinking(t *testing.T, want expected, message providers.Message) {
	t.Helper()
	var thinking, refusal string
	var raws []byte
	present := false
	for _, block := range message.Blocks {
		switch {
		case isServerItem(block.Raw):
		case bytes.Contains(block.Raw, []byte(`"thoughtSignature":`)): // Gemini's, of any block
			present = true
			raws = append(raws, compact(block.Raw)...)
		case block.Type != providers.BlockThinking:
		case isRefusal(block.Raw):
			refusal += block.Text
		default:
			present = true
			thinking += block.Text
			raws = append(raws, block.Raw...)
		}
	}
	if present != want.Thinking.Present || thinking != want.Thinking.Text {
		t.Errorf("thinking %v %q, want %v %q", present, thinking, want.Thinking.Present, want.Thinking.Text)
	}
	if refusal != want.Refusal {
		t.Errorf("refusal %q, want %q", refusal, want.Refusal)
	}
	if n := bytes.Count(raws, []byte(`"signature":"`)) + bytes.Count(raws, []byte(`"thoughtSignature":"`)); n != want.Thinking.Signatures {
		t.Errorf("%d signatures kept, want %d", n, want.Thinking.Signatures)
	}
	if n := bytes.Count(raws, []byte(`"redacted_thinking"`)); n != want.Thinking.Redacted {
		t.Errorf("%d redacted thoughts kept, want %d", n, want.Thinking.Redacted)
	}
	encrypted := bytes.Count(raws, []byte(`"encrypted_content":`)) + bytes.Count(raws, []byte(`"reasoning.encrypted"`))
	if encrypted < want.Thinking.Encrypted {
		t.Errorf("%d pieces of encrypted reasoning kept, want %d", encrypted, want.Thinking.Encrypted)
	}
}

// isServerItem reports whether a block is a tool call that Gemini ran itself, or its result.
func isServerItem(raw json.RawMessage) bool {
	return bytes.Contains(raw, []byte(`"executableCode":`)) || bytes.Contains(raw, []byte(`"codeExecutionResult":`))
}

func isRefusal(raw json.RawMessage) bool {
	return bytes.Contains(raw, []byte(`"refusal"`)) && !bytes.Contains(raw, []byte(`"reasoning"`))
}

func checkCalls(t *testing.T, want expected, calls []providers.Block) {
	t.Helper()
	if len(calls) != len(want.Calls) {
		t.Fatalf("%d calls, want %d", len(calls), len(want.Calls))
	}
	for i, call := range calls {
		w := want.Calls[i]
		if call.Name != w.Name || w.ID != "" && call.ID != w.ID || call.ID == "" {
			t.Errorf("call %d: %s %q, want %s %q", i, call.Name, call.ID, w.Name, w.ID)
		}
		if !sameArguments(call.Arguments, w.Arguments, w.Raw) {
			t.Errorf("call %d: arguments %s, want %s (on the wire %s)", i, call.Arguments, w.Arguments, w.Raw)
		}
	}
}

// sameArguments compares arguments with the object, or byte for byte if they were cut.
func sameArguments(got, object, wire json.RawMessage) bool {
	var text string
	if string(object) == "null" {
		return json.Unmarshal(wire, &text) == nil && string(got) == text
	}
	var a, b any
	return json.Unmarshal(got, &a) == nil && json.Unmarshal(object, &b) == nil && reflect.DeepEqual(a, b)
}

func checkFinish(t *testing.T, want expected, message providers.Message) {
	t.Helper()
	allowed := append([]string{want.Finish}, want.FinishOK...)
	if !slices.Contains(allowed, string(message.Finish)) {
		t.Errorf("finish %q, want one of %q", message.Finish, allowed)
	}
}

// checkUsage compares counts; one that is not on the wire is zero. A recording expects the
// output as its service counts it. One service (xAI) leaves out reasoning, which shows in
// the total.
func checkUsage(t *testing.T, want usageCounts, got providers.Usage) {
	t.Helper()
	if want.Total > want.Input+want.Output {
		want.Output = want.Total - want.Input
	}
	expected := providers.Usage{
		InputTokens: want.Input, OutputTokens: want.Output, CachedInputTokens: want.Cached,
		CacheWriteTokens: want.CacheWrite, ReasoningTokens: want.Reasoning,
	}
	got.Cost = nil
	if got != expected {
		t.Errorf("usage %+v, want %+v", got, expected)
	}
}

// checkCost compares the cost that the service reports.
func checkCost(t *testing.T, want expected, got *float64) {
	t.Helper()
	cost, told := want.UsageRaw.Cost.(float64)
	if told != (got != nil) || told && *got != cost {
		t.Errorf("cost %v, told %v; want %v", got, got != nil, want.UsageRaw.Cost)
	}
}

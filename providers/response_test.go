package providers

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/a-seed-11b9befa/flow/internal/testkit"
)

func TestErrorFromResponse(t *testing.T) {
	tests := []struct {
		name      string
		status    int
		body      string
		kind      Kind
		retryable bool
		text      string // of the whole error
		code      string
	}{
		{"openai key", 401, `{"error": {"message": "Incorrect API key provided: inv*****2345.", "type": "invalid_request_error", "param": null, "code": "invalid_api_key"}}`,
			KindAuth, false, "a/b: Incorrect API key provided: inv*****2345. (HTTP 401)", "invalid_api_key"},
		{"openai rate limit", 429, `{"error": {"message": "Rate limit reached", "type": "tokens", "code": "rate_limit_exceeded"}}`,
			KindRateLimited, true, "a/b: Rate limit reached (HTTP 429)", "rate_limit_exceeded"},
		{"openai quota", 429, `{"error": {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}}`,
			KindRateLimited, false, "a/b: You exceeded your current quota (HTTP 429)", "insufficient_quota"},
		{"openai context", 400, `{"error": {"message": "This model's maximum context length is 8192 tokens", "type": "invalid_request_error", "code": "context_length_exceeded"}}`,
			KindContextLength, false, "a/b: This model's maximum context length is 8192 tokens (HTTP 400)", "context_length_exceeded"},
		{"openai policy", 400, `{"error": {"message": "Your request was rejected", "code": "content_policy_violation"}}`,
			KindContentFilter, false, "a/b: Your request was rejected (HTTP 400)", "content_policy_violation"},
		{"openai model", 404, `{"error": {"message": "The model 'x' does not exist", "code": "model_not_found"}}`,
			KindConfiguration, false, "a/b: The model 'x' does not exist (HTTP 404)", "model_not_found"},
		{"groq call", 400, `{"error": {"message": "Failed to call a function.", "type": "invalid_request_error", "code": "tool_use_failed", "failed_generation": "<function=read>{}"}}`,
			KindProvider, true, "a/b: Failed to call a function. (HTTP 400)", "tool_use_failed"},
		{"groq JSON", 400, `{"error": {"message": "Failed to generate JSON.", "type": "invalid_request_error", "code": "json_validate_failed", "failed_generation": "{"}}`,
			KindProvider, true, "a/b: Failed to generate JSON. (HTTP 400)", "json_validate_failed"},
		{"azure filter", 400, `{"error": {"message": "The response was filtered", "type": null, "code": "content_filter", "status": 400, "innererror": {"code": "ResponsibleAIPolicyViolation"}}}`,
			KindContentFilter, false, "a/b: The response was filtered (HTTP 400)", "content_filter"},
		{"anthropic overloaded", 529, `{"type":"error","error":{"details":null,"type":"overloaded_error","message":"Overloaded"}}`,
			KindOverloaded, true, "a/b: Overloaded (HTTP 529)", "overloaded_error"},
		{"anthropic context", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`,
			KindContextLength, false, "a/b: prompt is too long: 210000 tokens > 200000 maximum (HTTP 400)", "invalid_request_error"},
		{"anthropic credit", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`,
			KindRateLimited, false, "a/b: Your credit balance is too low (HTTP 400)", "invalid_request_error"},
		{"gemini key", 400, `{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}`,
			KindAuth, false, "a/b: API key not valid. Please pass a valid API key. (HTTP 400)", "INVALID_ARGUMENT"},
		{"openrouter quota of a day", 429, `{"error": {"message": "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day", "code": 429, "metadata": {"headers": {"X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1745539200000"}}}}`,
			KindRateLimited, false, "a/b: Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day (HTTP 429)", ""},
		{"openrouter limit of a minute", 429, `{"error": {"message": "Rate limit exceeded: free-models-per-min.", "code": 429}}`,
			KindRateLimited, true, "a/b: Rate limit exceeded: free-models-per-min. (HTTP 429)", ""},
		{"gemini quota", 429, `[{"error": {"code": 429, "message": "You exceeded your current quota, please check your plan and billing details.", "status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "48s"}]}}]`,
			KindRateLimited, true, "a/b: You exceeded your current quota, please check your plan and billing details. (HTTP 429)", "RESOURCE_EXHAUSTED"},
		{"gemini quota of a day", 429, `{"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED", "details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "250"}]}, {"retryDelay": "48s"}]}}`,
			KindRateLimited, false, "a/b: m (HTTP 429)", "RESOURCE_EXHAUSTED"},
		{"gemini quota of nothing", 429, `{"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED", "details": [{"violations": [{"quotaId": "GenerateContentInputTokensPerModelPerMinute-FreeTier", "quotaValue": "0"}]}]}}`,
			KindRateLimited, false, "a/b: m (HTTP 429)", "RESOURCE_EXHAUSTED"},
		{"gemini quota of a minute", 429, `{"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED", "details": [{"violations": [{"quotaId": "GenerateContentPaidTierInputTokensPerModelPerMinute", "quotaValue": "1000000"}]}]}}`,
			KindRateLimited, true, "a/b: m (HTTP 429)", "RESOURCE_EXHAUSTED"},
		{"ollama", 404, `{"error":"model 'nonexistent-model:latest' not found"}`,
			KindConfiguration, false, "a/b: model 'nonexistent-model:latest' not found (HTTP 404)", ""},
		{"mistral", 400, `{"code":"3051","message":"Logprobs are not enabled for this model","object":"error","raw_status_code":400,"type":"invalid_request_invalid_args"}`,
			KindProvider, false, "a/b: Logprobs are not enabled for this model (HTTP 400)", "invalid_request_invalid_args"},
		{"detail", 401, `{"detail":"Unauthorized"}`, KindAuth, false, "a/b: Unauthorized (HTTP 401)", ""},
		{"list of details", 422, `{"detail":[{"loc":["body"],"msg":"field required","type":"value_error"}]}`, KindProvider, false, "a/b: field required (HTTP 422)", ""},
		{"openrouter", 429, `{"error":{"code":429,"message":"Provider returned error","metadata":{"provider_name":"Google","raw":"temporarily rate-limited upstream"}}}`,
			KindRateLimited, true, "a/b: Provider returned error: temporarily rate-limited upstream (HTTP 429)", ""},
		{"openrouter, upstream error in text", 400, `{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"too long\",\"code\":\"context_length_exceeded\"}}"}}}`,
			KindContextLength, false, "a/b: Provider returned error: too long (HTTP 400)", "context_length_exceeded"},
		{"llama.cpp", 500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`,
			KindProvider, true, "a/b: tools param requires --jinja flag (HTTP 500)", "server_error"},
		{"ollama context", 400, `{"error":"the input length exceeds the context length"}`,
			KindContextLength, false, "a/b: the input length exceeds the context length (HTTP 400)", ""},
		{"ollama context of a chat", 400, `{"error":"the prompt is longer than the context length currently available to the model"}`,
			KindContextLength, false, "a/b: the prompt is longer than the context length currently available to the model (HTTP 400)", ""},
		{"llama.cpp context", 400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`,
			KindContextLength, false, "a/b: the request exceeds the available context size (HTTP 400)", "exceed_context_size_error"},
		{"nothing", 502, ``, KindProvider, true, "a/b: bad gateway (HTTP 502)", ""},
		{"a page", 503, "<html><h1>503</h1></html>", KindOverloaded, true, "a/b: service unavailable (HTTP 503)", ""},
		{"text", 500, "upstream connect error\n", KindProvider, true, "a/b: upstream connect error (HTTP 500)", ""},
		{"null", 500, "null", KindProvider, true, "a/b: internal server error (HTTP 500)", ""},
		{"unknown status", 599, `{"error": null}`, KindProvider, true, `a/b: unexpected response: {"error": null} (HTTP 599)`, ""},
		{"no error at all", 200, `{"hello":"world","key":"sk-0123456789abcdef"}`, KindProvider, false, `a/b: unexpected response: {"hello":"world","[key]"}`, ""},
		{"nothing at all", 200, ``, KindProvider, false, `a/b: the response is empty`, ""},
		{"a page", 200, `<html>`, KindProvider, false, `a/b: the response is an HTML page`, ""},
		{"much of nothing", 200, `[` + strings.Repeat("1,", 5000) + `1]`, KindProvider, false, `a/b: unexpected response: [` + strings.Repeat("1,", 999) + `1 …`, ""},
		{"payment required", 402, `{"error":{"message":"Insufficient Balance"}}`, KindRateLimited, false, "a/b: Insufficient Balance (HTTP 402)", ""},
		{"forbidden", 403, `{"error":{"message":"no access to project"}}`, KindAuth, false, "a/b: no access to project (HTTP 403)", ""},
		{"moderated", 403, `{"error":{"message":"Your chosen model requires moderation and your input was flagged by moderation"}}`, KindContentFilter, false,
			"a/b: Your chosen model requires moderation and your input was flagged by moderation (HTTP 403)", ""},
		{"too large", 413, ``, KindContextLength, false, "a/b: request entity too large (HTTP 413)", ""},
		{"timeout", 408, ``, KindProvider, true, "a/b: request timeout (HTTP 408)", ""},
		{"conflict", 409, ``, KindProvider, true, "a/b: conflict (HTTP 409)", ""},
		{"teapot", 418, ``, KindProvider, false, "a/b: i'm a teapot (HTTP 418)", ""},
		{"redirect", 307, ``, KindProvider, false, "a/b: temporary redirect (HTTP 307)", ""},

		{"mid-stream rate limit", 200, `{"type":"tokens","code":"rate_limit_exceeded","message":"Request too large"}`, KindRateLimited, true, "a/b: Request too large", "rate_limit_exceeded"},
		{"mid-stream overloaded", 200, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, KindOverloaded, true, "a/b: Overloaded", "overloaded_error"},
		{"mid-stream status", 200, `{"error":{"code":502,"message":"Bad Gateway"}}`, KindProvider, true, "a/b: Bad Gateway (HTTP 502)", ""},
		{"mid-stream of google", 200, `{"error":{"code":499,"message":"The operation was cancelled.","status":"CANCELLED"}}`, KindProvider, true, "a/b: The operation was cancelled. (HTTP 499)", "CANCELLED"},
		{"mid-stream server error", 0, `{"error":{"type":"server_error","message":"sorry"}}`, KindProvider, true, "a/b: sorry", "server_error"},
		{"mid-stream bad call", 200, `{"error":{"type":"invalid_request_error","code":"tool_use_failed","message":"no"}}`, KindProvider, true, "a/b: no", "tool_use_failed"},
		{"mid-stream token limit", 200, `{"error":{"code":400,"message":"Token limit reached"}}`, KindProvider, false, "a/b: Token limit reached (HTTP 400)", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := ErrorFromResponse("a/b", tt.status, nil, []byte(tt.body))
			if e.Kind != tt.kind || e.Retryable != tt.retryable {
				t.Errorf("got %s, retryable %v; want %s, %v", e.Kind, e.Retryable, tt.kind, tt.retryable)
			}
			if e.Error() != tt.text || e.Code != tt.code {
				t.Errorf("got  %q, code %q\nwant %q, code %q", e, e.Code, tt.text, tt.code)
			}
		})
	}
}

func TestShouldRetryIsObeyed(t *testing.T) {
	tests := []struct {
		status int
		says   string
		want   bool
	}{
		{400, "true", true}, {500, "false", false}, {429, "false", false}, {401, "true", false}, {500, "maybe", true},
	}
	for _, tt := range tests {
		e := ErrorFromResponse("a/b", tt.status, http.Header{"X-Should-Retry": {tt.says}}, nil)
		if e.Retryable != tt.want {
			t.Errorf("%d with %q: retryable %v", tt.status, tt.says, e.Retryable)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	date := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	now := date.Format(http.TimeFormat)
	tests := []struct {
		name   string
		header map[string]string
		body   string
		want   time.Duration
	}{
		{"none", nil, "", 0},
		{"seconds", map[string]string{"Retry-After": "38"}, "", 38 * time.Second},
		{"part of a second", map[string]string{"Retry-After": "0.25"}, "", 250 * time.Millisecond},
		{"milliseconds are more exact", map[string]string{"Retry-After": "19", "Retry-After-Ms": "18642"}, "", 18642 * time.Millisecond},
		{"no milliseconds", map[string]string{"Retry-After": "1", "Retry-After-Ms": "0"}, "", time.Second},
		{"date", map[string]string{"Retry-After": date.Add(90 * time.Second).Format(http.TimeFormat), "Date": now}, "", 90 * time.Second},
		{"date that has passed", map[string]string{"Retry-After": date.Add(-time.Hour).Format(http.TimeFormat), "Date": now}, "", 0},
		{"negative", map[string]string{"Retry-After": "-5"}, "", 0},
		{"no number", map[string]string{"Retry-After": "soon", "Retry-After-Ms": "NaN"}, "", 0},
		{"beyond all bounds", map[string]string{"Retry-After": "1e8"}, "", 365 * 24 * time.Hour},
		{"infinite", map[string]string{"Retry-After-Ms": "+Inf"}, "", 365 * 24 * time.Hour},
		{"gemini", nil, `{"error":{"message":"Please retry in 48.9s.","details":[{"retryDelay":"48s"}]}}`, 48 * time.Second},
		{"milliseconds of azure", map[string]string{"X-Ms-Retry-After-Ms": "1500"}, "", 1500 * time.Millisecond},
		{"duration", map[string]string{"Retry-After": "1m30s"}, "", 90 * time.Second},
		{"in words", nil, `{"error":{"message":"Please try again in 18.642s. Visit"}}`, 18642 * time.Millisecond},
		{"in long words", nil, `{"error":{"message":"Please retry after 20 seconds."}}`, 20 * time.Second},
		{"in milliseconds", nil, `{"error":{"message":"Please try again in 120ms"}}`, 120 * time.Millisecond},
		{"in minutes", nil, `{"error":{"message":"try again in 2 minutes"}}`, 2 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			header := http.Header{}
			for key, value := range tt.header {
				header.Set(key, value)
			}
			if got := ErrorFromResponse("a/b", 429, header, []byte(tt.body)).RetryAfter; got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	if e := ErrorFromResponse("a/b", 400, http.Header{"Retry-After": {"5"}}, nil); e.RetryAfter != 0 {
		t.Errorf("a bad request is to be made again after %v", e.RetryAfter)
	}
}

func TestNoKeysInMessages(t *testing.T) {
	for _, key := range []string{
		"sk-proj-abcDEF123456_-xyz", "sk-ant-api03-AAAABBBBCCCC", "gsk_1234567890abcdef", "AIzaSyA1234567890abcdefghijklmnopqrstu",
		"Bearer eyJhbGciOi.abc.def", "basic dXNlcjpwYXNz", "xai-0123456789abcdef",
		"?key=0123456789abcdef0123", "api-key: 0123456789abcdef", `"api_key":"0123456789abcdef"`, "access_token=ya29.a0AfH6SMBx",
	} {
		body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": "wrong key " + key + " given", "code": key}})
		e := ErrorFromResponse("a/b", 401, nil, body)
		secret := key[max(0, len(key)-10):]
		if strings.Contains(e.Error(), secret) || strings.Contains(e.Code, secret) || !strings.Contains(e.Message, "[key]") || !strings.HasSuffix(e.Message, " given") {
			t.Errorf("%s: got %q, code %q", key, e, e.Code)
		}
	}
	for _, text := range []string{"You can find your API key at https://platform.openai.com/account/api-keys.", "key=value", "the basic idea", "risk-averse"} {
		if got := redact(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestMessagesAreBounded(t *testing.T) {
	for _, message := range []string{strings.Repeat("ä", 500_000), strings.Repeat("\xff", 3000), strings.Repeat("sk-", 300_000)} {
		body, _ := json.Marshal(map[string]string{"message": message})
		for _, b := range [][]byte{body, []byte(message)} {
			if e := ErrorFromResponse("a/b", 500, nil, b); len(e.Message) > 2100 || !utf8.ValidString(e.Message) {
				t.Errorf("the message has %d bytes, valid: %v", len(e.Message), utf8.ValidString(e.Message))
			}
		}
	}
}

// The recorded error answers, in the folder that FLOW_WIRE_CORPUS names.
func TestRecordedErrors(t *testing.T) {
	cases, _ := filepath.Glob(filepath.Join(testkit.Find(t, "FLOW_WIRE_CORPUS", "../shared/wire"), "*", "*", "case.json"))
	checked := 0
	for _, path := range cases {
		checked += checkRecorded(t, path)
	}
	if checked == 0 {
		t.Error("no recorded error was found")
	}
	testkit.Ran(t, "%d recorded error answers", checked)
}

func checkRecorded(t *testing.T, path string) (checked int) {
	t.Helper()
	var c struct {
		Turns  []struct{ Status int }
		Expect []struct {
			Error *struct{ Type, Code, Message string }
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &c) != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for i, turn := range c.Turns {
		if turn.Status < 400 || i >= len(c.Expect) || c.Expect[i].Error == nil {
			continue
		}
		prefix := filepath.Join(filepath.Dir(path), []string{"01", "02", "03", "04"}[i]+".response.")
		body, err := os.ReadFile(prefix + "json")
		if err != nil {
			t.Error(err)
			continue
		}
		header := http.Header{}
		var plain map[string]string
		if text, err := os.ReadFile(prefix + "headers.json"); err == nil && json.Unmarshal(text, &plain) == nil {
			for key, value := range plain {
				header.Set(key, value)
			}
		}
		e, want := ErrorFromResponse("a/b", turn.Status, header, body), c.Expect[i].Error
		t.Logf("%s: %s, retryable %v after %v, code %q: %v", filepath.Dir(path), e.Kind, e.Retryable, e.RetryAfter, e.Code, e)
		if !strings.HasPrefix(e.Message, want.Message[:min(len(want.Message), 1000)]) {
			t.Errorf("got message %q\nwant %q", e.Message, want.Message)
		}
		waits := map[string]time.Duration{"anthropic": 38 * time.Second, "azure": time.Second, "gemini": 48 * time.Second, "openai": 18642 * time.Millisecond}
		if wait := waits[filepath.Base(filepath.Dir(filepath.Dir(path)))]; e.Kind == KindRateLimited && e.RetryAfter != wait {
			t.Errorf("%s: to be asked again after %v, want %v", path, e.RetryAfter, wait)
		}
		if (e.Kind == KindRateLimited) != (turn.Status == 429) || (e.Kind == KindOverloaded) != (turn.Status == 529) {
			t.Errorf("%d is %s", turn.Status, e.Kind)
		}
		checked++
	}
	return checked
}

func FuzzErrorFromResponse(f *testing.F) {
	for _, body := range []string{
		`{"error":{"message":"x","code":1e99,"details":[{"retryDelay":"1s"}]}}`, `{"error":"x"}`, `[{"error":{"code":"x"}}]`, `{"detail":[{"msg":"x"}]}`,
		`{"error":{"metadata":{"raw":"{\"error\":{\"metadata\":{\"raw\":\"x\"}}}"}}}`, `"x"`, `[[[]]]`, `<html>`, `try again in 5s`, `null`, ``, `sk-12345678901`,
	} {
		f.Add(429, "5", body)
		f.Add(200, "Wed, 21 Oct 2026 07:28:00 GMT", body)
		f.Add(400, "1e300", body)
	}
	f.Fuzz(func(t *testing.T, status int, after, body string) {
		header := http.Header{"Retry-After": {after}, "X-Ratelimit-Reset": {after}, "Retry-After-Ms": {after}}
		e := ErrorFromResponse("a/b", status, header, []byte(body))
		if e.Kind == "" || len(e.Error()) > 3000 || !utf8.ValidString(e.Error()) {
			t.Errorf("got %q", e)
		}
		if e.RetryAfter < 0 || e.RetryAfter > 365*24*time.Hour {
			t.Errorf("waits %v", e.RetryAfter)
		}
		if status >= 400 && e.Status != status {
			t.Errorf("status %d became %d", status, e.Status)
		}
		if e.Retryable && (e.Kind == KindAuth || e.Kind == KindConfiguration || e.Kind == KindContextLength || e.Kind == KindContentFilter) {
			t.Errorf("%s is retried", e.Kind)
		}
	})
}

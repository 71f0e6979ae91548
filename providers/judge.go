package providers

import (
	"net/http"
	"slices"
)

// A cause is a reason for which services refuse requests, with all that they say for it: a status of
// HTTP, a code, or, for services without a code and routers that pass on only the text, a phrase in the
// message, in lower case.
type cause struct {
	kind      Kind
	retryable bool
	statuses  []int
	words     []string
	phrases   []string
}

// causes returns the causes of which the first that fits counts. Permanent ones come first, because
// some have a status that is retried.
func causes() []cause {
	const siteOverloaded, flexCapacity, clientClosed = 529, 498, 499 // of Anthropic, of Groq, of Google: it has cancelled the request itself
	return []cause{
		{KindRateLimited, false, []int{http.StatusPaymentRequired},
			[]string{"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"},
			[]string{"credit balance is too low", "models-per-day"}}, // OpenRouter's limits are free-models-per-day and free-models-per-min
		{KindRateLimited, true, []int{http.StatusTooManyRequests}, []string{"rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"}, nil},
		{KindProvider, true, nil, []string{"tool_use_failed", "json_validate_failed"}, nil}, // Groq refuses what its own model said, which may do better when it is asked again
		{KindContextLength, false, []int{http.StatusRequestEntityTooLarge},
			[]string{"context_length_exceeded", "exceed_context_size_error", "request_too_large"},
			[]string{"maximum context length", "context_length_exceeded", "context window", "context size", "prompt is too long", "input is too long",
				"exceed context limit", "exceeds the maximum number of tokens", "exceeds the context length", "longer than the context length"}},
		{KindContentFilter, false, nil,
			[]string{"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation", "moderation_blocked"},
			[]string{"content management policy", "content policy", "content_filter", "safety system", "flagged by moderation"}},
		{KindAuth, false, []int{http.StatusUnauthorized, http.StatusForbidden},
			[]string{"invalid_api_key", "API_KEY_INVALID", "authentication_error", "permission_error", "UNAUTHENTICATED"},
			[]string{"api key not valid", "api key expired"}},
		{KindConfiguration, false, []int{http.StatusNotFound}, []string{"model_not_found", "not_found_error", "DeploymentNotFound"}, nil},
		{KindOverloaded, true, []int{http.StatusServiceUnavailable, siteOverloaded, flexCapacity}, []string{"overloaded_error", "UNAVAILABLE", "server_overloaded"}, nil},
		{KindProvider, true, []int{http.StatusRequestTimeout, http.StatusConflict, clientClosed}, nil, nil},
	}
}

// judge returns the kind of a failure, and whether the same request may succeed later. Words and
// phrases don't count if the status says that the service itself has failed.
func (f failure) judge() (kind Kind, retryable bool) {
	if f.daily {
		return KindRateLimited, false
	}
	failed := f.status >= http.StatusInternalServerError
	for _, c := range causes() {
		if slices.Contains(c.statuses, f.status) || !failed && (f.says(c.words...) || f.mentions(c.phrases...)) {
			return c.kind, c.retryable
		}
	}
	return KindProvider, failed || f.status == 0 && f.says("server_error", "api_error", "internal_error", "internal_server_error",
		"INTERNAL", "timeout_error", "DEADLINE_EXCEEDED")
}

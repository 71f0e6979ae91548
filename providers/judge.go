package providers

import "net/http"

// The codes that services have for the same failures. Phrases in messages are for services
// without a code, and for routers that pass on only the text.
var (
	quotaWords   = []string{"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"}
	contextWords = []string{"context_length_exceeded", "exceed_context_size_error", "request_too_large"}
	filterWords  = []string{"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation", "moderation_blocked"}
	keyWords     = []string{"invalid_api_key", "API_KEY_INVALID", "authentication_error", "permission_error", "UNAUTHENTICATED"}
	malformed    = []string{"tool_use_failed", "json_validate_failed"} // Groq refuses what its own model said
	modelWords   = []string{"model_not_found", "not_found_error", "DeploymentNotFound"}
)

// judge returns the kind of a failure, and whether the same request may succeed later.
// Permanent failures are checked first, because some have a status that is retried.
func (f failure) judge() (kind Kind, retryable bool) {
	refused := f.status == 0 || f.status >= 400 && f.status < 500 && f.status != http.StatusTooManyRequests
	switch {
	case f.quotaUsedUp(), refused && f.mentions("credit balance is too low"):
		return KindRateLimited, false
	case f.status == http.StatusTooManyRequests, f.says("rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"):
		return KindRateLimited, true
	case refused && f.says(malformed...): // the model may do better when it is asked again
		return KindProvider, true
	case refused && f.tooLong():
		return KindContextLength, false
	case refused && f.filtered():
		return KindContentFilter, false
	case f.status == http.StatusUnauthorized, f.status == http.StatusForbidden,
		refused && (f.says(keyWords...) || f.mentions("api key not valid", "api key expired")):
		return KindAuth, false
	case f.status == http.StatusNotFound, refused && f.says(modelWords...):
		return KindConfiguration, false
	}
	return f.judgeService()
}

// quotaUsedUp reports whether a retry within minutes gets the same refusal. OpenRouter names its
// limits in the message: free-models-per-day, free-models-per-min.
func (f failure) quotaUsedUp() bool {
	return f.daily || f.says(quotaWords...) || f.status == http.StatusPaymentRequired || f.mentions("models-per-day")
}

// judgeService is judge for failures of the service itself.
func (f failure) judgeService() (kind Kind, retryable bool) {
	const siteOverloaded, flexCapacity = 529, 498 // of Anthropic, of Groq
	switch f.status {
	case http.StatusServiceUnavailable, siteOverloaded, flexCapacity:
		return KindOverloaded, true
	case http.StatusRequestTimeout, http.StatusConflict:
		return KindProvider, true
	case 0:
		if f.says("overloaded_error", "UNAVAILABLE", "server_overloaded") {
			return KindOverloaded, true
		}
		return KindProvider, f.says("server_error", "api_error", "internal_error", "internal_server_error",
			"INTERNAL", "timeout_error", "DEADLINE_EXCEEDED")
	}
	const clientClosed = 499 // of Google: it has cancelled the request itself
	return KindProvider, f.status >= 500 || f.status == clientClosed
}

// tooLong reports whether the conversation was refused for its length.
func (f failure) tooLong() bool {
	return f.status == http.StatusRequestEntityTooLarge || f.says(contextWords...) ||
		f.mentions("maximum context length", "context_length_exceeded", "context window", "context size",
			"prompt is too long", "input is too long", "exceed context limit", "exceeds the maximum number of tokens",
			"exceeds the context length", "longer than the context length")
}

// filtered reports whether the request was refused for its content.
func (f failure) filtered() bool {
	return f.says(filterWords...) ||
		f.mentions("content management policy", "content policy", "content_filter", "safety system", "flagged by moderation")
}

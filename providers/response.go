package providers

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// ErrorFromResponse returns the error for a service's response that is no answer of a
// model. It reads the error body in all forms that known services use, and the headers
// that say when to retry. A status below 300 is for an error inside an answer that had
// begun, of which only the body counts. Header and body may be nil. The message is the
// service's own, shortened, without anything that looks like a key.
func ErrorFromResponse(model string, status int, header http.Header, body []byte) *Error {
	f := readFailure(body)
	f.status = status
	if status < http.StatusMultipleChoices {
		f.status = f.innerStatus()
	}
	kind, retryable := f.judge()
	switch header.Get("X-Should-Retry") {
	case "true":
		retryable = retryable || kind == KindProvider || kind == KindOverloaded
	case "false":
		retryable = false
	}
	e := &Error{Kind: kind, Model: model, Status: f.status, Code: redact(f.code()), Message: f.text(), Retryable: retryable}
	if e.Message == "" {
		e.Message = wordless(body)
	}
	if retryable || kind == KindRateLimited {
		e.RetryAfter = retryAfter(header, f)
	}
	return e
}

// A failure is a parsed error body.
type failure struct {
	status  int
	words   []string // the service's codes, types and reasons
	message string
	delay   string // of Gemini: in google.rpc.RetryInfo
	daily   bool   // of Gemini: a quota is used up until the next day
}

// readFailure finds the error in a body: {"error": {…}}, {"error": "…"}, the
// same in an array, the error at the top ({"message"}, {"detail"}), or text.
func readFailure(body []byte) failure {
	const most = 1 << 20
	body = body[:min(len(body), most)]
	var top any
	if json.Unmarshal(body, &top) != nil {
		return failure{message: plainText(string(body))}
	}
	if list, ok := top.([]any); ok && len(list) > 0 {
		top = list[0]
	}
	object, ok := top.(map[string]any)
	if !ok {
		text, _ := top.(string)
		return failure{message: text}
	}
	var f failure
	switch inner := object["error"].(type) {
	case map[string]any:
		f.read(inner)
	case string:
		f.message = inner
	}
	if f.message == "" {
		f.read(object)
	}
	return f
}

// read reads one object of a body.
func (f *failure) read(object map[string]any) {
	for _, key := range []string{"code", "type", "status"} {
		switch v := object[key].(type) {
		case string:
			f.words = append(f.words, v)
		case float64:
			f.words = append(f.words, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	f.message = firstText(object["message"], object["detail"], object["error"])
	f.readDetails(object["details"])
	if inner, ok := object["innererror"].(map[string]any); ok { // Azure
		f.words = append(f.words, firstText(inner["code"]))
	}
	if metadata, ok := object["metadata"].(map[string]any); ok { // OpenRouter
		f.readUpstream(firstText(metadata["raw"]))
	}
}

// readDetails reads the list of google.rpc details.
func (f *failure) readDetails(details any) {
	list, _ := details.([]any)
	for _, entry := range list {
		detail, _ := entry.(map[string]any)
		if reason := firstText(detail["reason"]); reason != "" {
			f.words = append(f.words, reason)
		}
		if delay := firstText(detail["retryDelay"]); delay != "" {
			f.delay = delay
		}
		f.readViolations(detail["violations"])
	}
}

// readViolations reads which of Google's quotas are used up.
func (f *failure) readViolations(violations any) {
	list, _ := violations.([]any)
	for _, entry := range list {
		violation, _ := entry.(map[string]any)
		f.daily = f.daily || strings.Contains(firstText(violation["quotaId"]), "PerDay") || firstText(violation["quotaValue"]) == "0"
	}
}

// readUpstream adds the error of the service behind a router: a text or an error body.
func (f *failure) readUpstream(raw string) {
	if raw == "" {
		return
	}
	upstream := raw
	if inner := readFailure([]byte(raw)); inner.message != "" {
		upstream = inner.message
		f.words = append(f.words, inner.words...)
	}
	f.message = strings.TrimPrefix(f.message+": "+upstream, ": ")
}

// firstText returns the first value that is, or holds, a text: validation
// errors come as a list of objects with a msg.
func firstText(values ...any) string {
	for _, value := range values {
		switch v := value.(type) {
		case string:
			if v != "" {
				return v
			}
		case []any:
			if text := firstText(v...); text != "" {
				return text
			}
		case map[string]any:
			if text := firstText(v["message"], v["msg"]); text != "" {
				return text
			}
		}
	}
	return ""
}

// plainText returns a body that is not JSON as the message, but not a web page: to a user a
// proxy's page says less than the status.
func plainText(body string) string {
	body = strings.TrimSpace(body)
	if strings.HasPrefix(body, "<") {
		return ""
	}
	return body
}

// wordless is the message of a failure with neither a message nor a status.
func wordless(body []byte) string {
	text := redact(string(body))
	switch {
	case text == "":
		return "the response is empty"
	case strings.HasPrefix(text, "<"):
		return "the response is an HTML page"
	}
	return "unexpected response: " + text
}

// code returns the first of the service's words that is not a number, or else the first
// number that is not the status.
func (f failure) code() string {
	number := ""
	for _, word := range f.words {
		n, err := strconv.Atoi(word)
		if err != nil && word != "" {
			return word
		}
		if number == "" && n != f.status {
			number = word
		}
	}
	return number
}

func (f failure) text() string {
	return cmp.Or(redact(f.message), strings.ToLower(http.StatusText(f.status)))
}

// innerStatus returns the HTTP status that a body has as its code; 0 for none.
func (f failure) innerStatus() int {
	for _, word := range f.words {
		if n, err := strconv.Atoi(word); err == nil && n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}

// says reports whether a code, a type or a reason is one of the given words.
func (f failure) says(words ...string) bool {
	return slices.ContainsFunc(f.words, func(word string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, word) })
	})
}

// mentions reports whether the message contains one of the phrases, which are in lower
// case.
func (f failure) mentions(phrases ...string) bool {
	message := strings.ToLower(f.message)
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(message, phrase) })
}

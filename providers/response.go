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
func readFailure(body []byte) (f failure) {
	const most = 1 << 20
	body = body[:min(len(body), most)]
	if !json.Valid(body) {
		return failure{message: plainText(string(body))}
	}
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	if json.Unmarshal(body, &f.message) == nil {
		return f
	}
	var top struct{ Error json.RawMessage }
	_ = json.Unmarshal(body, &top)
	if json.Unmarshal(top.Error, &f.message) != nil {
		f.read(top.Error)
	}
	if f.message == "" {
		f.read(body)
	}
	return f
}

// An errorBody is one object of a body. What a service writes in another form is left out.
type errorBody struct {
	Code, Type, Status     any // text or number
	Message, Detail, Error any // text, or what holds one
	Details                []struct {
		Reason, RetryDelay string
		Violations         []struct{ QuotaID, QuotaValue string }
	} // of google.rpc
	InnerError struct{ Code string } // of Azure
	Metadata   struct{ Raw string }  // of OpenRouter
}

// read reads one object of a body.
func (f *failure) read(object []byte) {
	var b errorBody
	_ = json.Unmarshal(object, &b)
	for _, word := range []any{b.Code, b.Type, b.Status} {
		switch v := word.(type) {
		case string:
			f.words = append(f.words, v)
		case float64:
			f.words = append(f.words, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	f.message = firstText(b.Message, b.Detail, b.Error)
	for _, detail := range b.Details {
		f.words = append(f.words, detail.Reason)
		f.delay = cmp.Or(detail.RetryDelay, f.delay)
		for _, quota := range detail.Violations {
			f.daily = f.daily || strings.Contains(quota.QuotaID, "PerDay") || quota.QuotaValue == "0"
		}
	}
	f.words = slices.DeleteFunc(append(f.words, b.InnerError.Code), func(word string) bool { return word == "" })
	f.readUpstream(b.Metadata.Raw)
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

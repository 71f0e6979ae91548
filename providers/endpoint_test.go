package providers

import (
	"fmt"
	"strings"
	"testing"
)

// TestEndpointHidesItsSecrets prints an endpoint in every way that fmt knows, and
// what holds one.
func TestEndpointHidesItsSecrets(t *testing.T) {
	e := Endpoint{
		Ref: "own/model", Provider: "own", Model: "model", APIKey: "secret-key",
		BaseURL: "https://user:secret-password@host/?key=secret-query", Headers: map[string]string{"X": "secret-header"},
		Body: []byte(`{"token":"secret-body"}`),
	}
	embedded := struct {
		Endpoint
		N int
	}{e, 1}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T %[1]v"} {
		for _, value := range []any{e, &e, embedded, &embedded, []Endpoint{e}, map[string]any{"e": e}} {
			if text := fmt.Sprintf(verb, value); strings.Contains(text, "secret") || strings.Contains(text, fmt.Sprintf("%x", "secret")) {
				t.Errorf("%s of %T: %s", verb, value, text)
			}
		}
	}
	if got := fmt.Sprint(e); got != "own/model" {
		t.Errorf("printed %q", got)
	}
	if got := fmt.Sprint(Endpoint{Provider: "own", Model: "model"}); got != "own/model" {
		t.Errorf("without a reference: printed %q", got)
	}
}

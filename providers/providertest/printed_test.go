package providertest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/a-seed-11b9befa/flow/providers"
)

// TestModelsHideTheirKeys prints each model, and what it points to, in every way that fmt knows.
func TestModelsHideTheirKeys(t *testing.T) {
	for name, f := range formats() {
		t.Run(name, func(t *testing.T) {
			model := f.New(providers.Endpoint{Ref: "own/model", APIKey: "secret-key", Headers: map[string]string{"X-Key": "secret-header"}})
			for _, value := range []any{model, reflect.ValueOf(model).Elem().Interface()} {
				for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
					if text := fmt.Sprintf(verb, value); strings.Contains(text, "secret") || strings.Contains(text, fmt.Sprintf("%x", "secret")) {
						t.Errorf("%s prints %s", verb, text)
					}
				}
			}
		})
	}
}

// Package providertest is the conformance suite that every provider passes, and
// a small strict server for each wire format to pass it against.
//
//	func TestConformance(t *testing.T) {
//		providertest.Run(t, providertest.Provider{
//			Dialect: func() providertest.Dialect { return providertest.Chat{} },
//			New: func(e providers.Endpoint) providers.Model {
//				return openaichat.New(openaichat.Options{Endpoint: e})
//			},
//		})
//	}
//
// A format that is not here yet brings its own [Dialect]. The server refuses what the real
// service is known to refuse; passing proves nothing about the rest.
package providertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
)

// A Provider is a provider under test.
type Provider struct {
	New     func(providers.Endpoint) providers.Model
	Dialect func() Dialect // a new one, which has sent nothing yet

	WholeArguments bool // the format has a call's arguments as an object
	NoDetails      bool // the format counts neither what was kept in a cache nor what was thought
	NoChoice       bool // the format can't say which tools are to be called: the others are left out
	NoCallIDs      bool // the dialect gives calls no ids
}

// The secrets that every model is made with, and that no error may contain.
const (
	secretKey    = "sk-secret-0123456789abcdef"
	secretHeader = "header-secret-value"
)

func endpoint(url string) providers.Endpoint {
	return providers.Endpoint{
		Ref: "test/model-1", Provider: "test", Model: "model-1", BaseURL: url,
		APIKey: secretKey, Headers: map[string]string{"X-Secret": secretHeader},
		FirstByteTimeout: 20 * time.Second, IdleTimeout: 20 * time.Second,
	}
}

// Run runs the suite.
func Run(t *testing.T, p Provider) {
	t.Run("conversation", func(t *testing.T) { runConversations(t, p) })
	t.Run("broken", func(t *testing.T) { runBroken(t, p) })
	t.Run("printed", func(t *testing.T) { printed(t, p) })
}

// printed checks that a printed model shows no secrets.
func printed(t *testing.T, p Provider) {
	model := p.New(endpoint("http://user:" + secretKey + "@127.0.0.1/?key=" + secretKey))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		for _, value := range []any{model, struct{ providers.Model }{model}, &struct{ model providers.Model }{model}, providers.Retry(model)} {
			if text := fmt.Sprintf(verb, value); strings.Contains(text, secretKey) || strings.Contains(text, secretHeader) {
				t.Errorf("%s shows a secret: %s", verb, text)
			}
		}
	}
}

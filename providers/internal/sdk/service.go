// Package sdk holds what the two formats of OpenAI's SDK have in common around
// it: how a service is reached, and how a request in the SDK's params goes out.
// What is sent and read is package wire's, as for every format: the SDK's own
// client reads what it finds in the environment, and its reader of streams can't
// tell one that was cut from one that ended.
//
//	service := sdk.Connect(endpoint, "chat/completions", false)
//	message, err := service.Stream(ctx, req, sdk.Body{Params: params, Lists: lists}, answer, reader)
package sdk

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// defaultBaseURL is OpenAI's own.
const defaultBaseURL = "https://api.openai.com/v1/"

// A Service is one that speaks a format of OpenAI's. It is safe for concurrent
// use.
type Service struct {
	Client  *wire.Client
	Native  bool // it is OpenAI's own, or Azure's, which follows it
	openAI  bool // it is one of the hosts that take nobody in without a key
	key     string
	address string
}

// Connect returns the service at an endpoint, whose base URL is defaultBaseURL
// where it names none. Requests go to a path below that; a query of the base URL
// goes with them. It connects to nothing yet. Native says that the service is one
// of OpenAI's own kind, whatever its host is called.
func Connect(at providers.Endpoint, path string, native bool) *Service {
	at.BaseURL = cmp.Or(at.BaseURL, defaultBaseURL)
	openAI := isNative(at.BaseURL)
	return &Service{
		Client: wire.Connect(at), Native: native || openAI, openAI: openAI,
		key: at.APIKey, address: wire.At(at.BaseURL, path),
	}
}

// Info tells what is known of the model. The service is trusted to obey a
// schema, with tools too, as somebody said, or else where it is native. Of any
// other it is expected where no tools are offered: nearly all that follow
// OpenAI do, and small models give a schema more easily than a call.
func (s *Service) Info(at providers.Endpoint, obeys *bool) providers.Info {
	info := providers.Info{Ref: at.Ref, Provider: at.Provider}
	switch {
	case obeys != nil:
		info.StructuredOutput = *obeys
	case s.Native:
		info.StructuredOutput = true
	default:
		info.StructuredAlone = true
	}
	return info
}

// Stream makes a request and reads its answer.
func (s *Service) Stream(ctx context.Context, req providers.Request, body Body, answer *wire.Answer, reader wire.Reader) (providers.Message, error) {
	res, err := s.send(ctx, req, body)
	if err != nil {
		return s.Client.Unanswered(), err
	}
	return s.Client.Receive(ctx, res, answer, reader)
}

// send returns the response with its body unread.
func (s *Service) send(ctx context.Context, req providers.Request, body Body) (*http.Response, error) {
	if err := s.Client.Check(req, s.openAI); err != nil {
		return nil, err
	}
	encoded, err := body.encode()
	if err != nil {
		return nil, s.Client.Misuse(err.Error())
	}
	header := http.Header{"Accept": {"text/event-stream"}}
	if s.key != "" {
		header.Set("Authorization", "Bearer "+s.key)
	}
	return s.Client.PostJSON(ctx, s.address, encoded, header)
}

func isNative(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") ||
		strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, ".cognitiveservices.azure.com") ||
		strings.HasSuffix(host, ".services.ai.azure.com")
}

// Package sdk holds what the two formats of OpenAI's SDK have in common around
// it: how a service is reached, and how a request is sent so that its stream can
// be read by package wire.
//
//	service := sdk.Connect(endpoint, false)
//	api := responses.NewResponseService(service.Options()...)
//	message, err := service.Stream(ctx, req, func(into option.RequestOption) error {
//		return api.NewStreaming(ctx, params, into).Err()
//	}, answer, reader)
package sdk

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3/option"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// defaultBaseURL is OpenAI's own.
const defaultBaseURL = "https://api.openai.com/v1/"

// A Service is one that speaks a format of OpenAI's. It is safe for concurrent
// use.
type Service struct {
	Client *wire.Client
	Native bool // it is OpenAI's own, or Azure's, which follows it
	at     providers.Endpoint
	query  url.Values // of the base URL
}

// Connect returns the service at an endpoint, whose base URL is defaultBaseURL
// where it names none. It connects to nothing yet. Native says that the service
// is one of OpenAI's own kind, whatever its host is called.
func Connect(at providers.Endpoint, native bool) *Service {
	at.BaseURL = cmp.Or(at.BaseURL, defaultBaseURL)
	s := &Service{Client: wire.Connect(at), Native: native || isNative(at.BaseURL), at: at}
	if base, query, found := strings.Cut(at.BaseURL, "?"); found {
		s.at.BaseURL = base
		s.query, _ = url.ParseQuery(query) // what is no query is not sent
	}
	return s
}

// stainless tell a service what machine it is asked from. It has no need to
// know.
var stainless = []string{
	"X-Stainless-Lang", "X-Stainless-Package-Version", "X-Stainless-OS", "X-Stainless-Arch",
	"X-Stainless-Runtime", "X-Stainless-Runtime-Version", "X-Stainless-Retry-Count",
}

// Options name everything that the SDK would else look for in the environment.
func (s *Service) Options() []option.RequestOption {
	list := []option.RequestOption{
		option.WithBaseURL(s.at.BaseURL),
		option.WithHTTPClient(s.Client),
		option.WithMaxRetries(0),
	}
	if s.at.APIKey != "" {
		list = append(list, option.WithAPIKey(s.at.APIKey))
	}
	for name, values := range s.query {
		list = append(list, option.WithQuery(name, values[len(values)-1]))
	}
	for _, name := range stainless {
		list = append(list, option.WithHeaderDel(name))
	}
	for name, value := range s.at.Headers {
		list = append(list, option.WithHeader(name, value))
	}
	return list
}

// Info tells what is known of the model. The service is trusted to obey a
// schema, with tools too, as somebody said, or else where it is native. Of any
// other it is expected where no tools are offered: nearly all that follow
// OpenAI do, and small models give a schema more easily than a call.
func (s *Service) Info(obeys *bool) providers.Info {
	info := providers.Info{Ref: s.at.Ref, Provider: s.at.Provider}
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

// Stream makes a request and reads its answer. Start makes the request, with the
// option that hands the response over: the SDK's own reader of streams is passed
// over, for it can't tell one that was cut from one that ended.
func (s *Service) Stream(ctx context.Context, req providers.Request, start func(into option.RequestOption) error,
	answer *wire.Answer, reader wire.Reader) (providers.Message, error) {
	res, err := s.send(ctx, req, start)
	if err != nil {
		return s.Client.Unanswered(), err
	}
	return s.Client.Receive(ctx, res, answer, reader)
}

// send returns the response with its body unread.
func (s *Service) send(ctx context.Context, req providers.Request, start func(into option.RequestOption) error) (*http.Response, error) {
	if err := s.Client.Check(req, isNative(s.at.BaseURL)); err != nil {
		return nil, err
	}
	var res *http.Response
	err := start(option.WithResponseInto(&res))
	var told *providers.Error
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil, errors.As(err, &told):
		return nil, s.Client.Broken(ctx, err)
	}
	// The client tells all its failures as a providers.Error: what is left
	// happened before anything was sent.
	return nil, s.Client.Misuse(err.Error())
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

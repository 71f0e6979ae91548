// Package sdk holds what the two formats of OpenAI's SDK have in common around
// it: how a service is reached, and how a request is sent so that its stream can
// be read by package wire.
//
//	service := sdk.Connect(sdk.Config{Ref: ref, BaseURL: base, APIKey: key})
//	api := responses.NewResponseService(service.Options()...)
//	res, err := service.Send(ctx, req, func(into option.RequestOption) error {
//		return api.NewStreaming(ctx, params, into).Err()
//	})
package sdk

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3/option"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/providers/internal/wire"
)

// Config says where a service is, and who asks.
type Config struct {
	Ref     string // of the model
	BaseURL string
	APIKey  string // none is sent when empty
	Headers map[string]string
	HTTP    *http.Client // see [wire.Config]
	Limits  wire.Limits
}

// A Service is one that speaks a format of OpenAI's. It is safe for concurrent
// use.
type Service struct {
	Client *wire.Client
	Native bool // the host is OpenAI's own, or Azure's, which follows it
	config Config
}

// Connect returns the service that c names. It connects to nothing yet.
func Connect(c Config) *Service {
	client := wire.NewClient(wire.Config{
		Ref: c.Ref, Secrets: wire.Secrets(c.APIKey, c.Headers), HTTP: c.HTTP, Limits: c.Limits,
	})
	return &Service{Client: client, Native: isNative(c.BaseURL), config: c}
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
		option.WithBaseURL(s.config.BaseURL),
		option.WithHTTPClient(s.Client),
		option.WithMaxRetries(0),
	}
	if s.config.APIKey != "" {
		list = append(list, option.WithAPIKey(s.config.APIKey))
	}
	for _, name := range stainless {
		list = append(list, option.WithHeaderDel(name))
	}
	for name, value := range s.config.Headers {
		list = append(list, option.WithHeader(name, value))
	}
	return list
}

// Obeys reports whether the service is trusted to obey a schema, with tools too:
// as somebody said, or else where it is native.
func (s *Service) Obeys(said *bool) bool {
	if said != nil {
		return *said
	}
	return s.Native
}

// Send returns the response with its body unread. Start makes the request, with
// the option that hands the response over. The SDK's own reader of streams is
// passed over: it can't tell one that was cut from one that ended.
func (s *Service) Send(ctx context.Context, req providers.Request, start func(into option.RequestOption) error) (*http.Response, error) {
	if err := s.check(req); err != nil {
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

// check finds what the service could only answer with a riddle.
func (s *Service) check(req providers.Request) error {
	offered := slices.ContainsFunc(req.Tools, func(tool providers.ToolSpec) bool { return tool.Name == req.Force })
	if req.Force != "" && !req.NoTools && !offered {
		return s.Client.Misuse("tool " + req.Force + " is to be called, but not offered")
	}
	if s.config.APIKey == "" && len(s.config.Headers) == 0 && s.Native {
		return s.Client.Misuse("no API key")
	}
	return nil
}

func isNative(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") ||
		strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, ".cognitiveservices.azure.com")
}

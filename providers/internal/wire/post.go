package wire

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// post sends body as JSON; see [Client.Do]. The header may be nil.
func (c *Client) post(ctx context.Context, url string, body any, header http.Header) (*http.Response, error) {
	encoded := JSON(body)
	if encoded == nil {
		return nil, c.Misuse("the parameters of a tool, or the schema of the output, are no JSON")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(encoded))
	if err != nil {
		return nil, c.Broken(ctx, err)
	}
	if header != nil {
		req.Header = header
	}
	req.Header.Set("Content-Type", "application/json")
	return c.Do(req)
}

// At returns the URL of a path below a base URL, whose query is kept.
func At(base, path string) string {
	base, query, found := strings.Cut(base, "?")
	at := strings.TrimRight(base, "/") + "/" + path
	if found {
		at += "?" + query
	}
	return at
}

// Check returns an error for mistakes that services report in obscure ways: a forced tool
// that is not offered, and a missing key for a service that needs one.
func (c *Client) Check(req providers.Request, needsKey bool) error {
	offered := slices.ContainsFunc(req.Tools, func(tool providers.ToolSpec) bool { return tool.Name == req.Force })
	if req.Force != "" && !req.NoTools && !offered {
		return c.Misuse(fmt.Sprintf("the request forces the tool %q, which it does not offer", req.Force))
	}
	if needsKey && c.at.APIKey == "" && c.at.Token == nil && len(c.at.Headers) == 0 {
		return c.Misuse("no API key")
	}
	return nil
}

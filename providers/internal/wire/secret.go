package wire

import (
	"slices"
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// minSecret is the shortest value that counts as a secret: masking shorter ones ("1",
// "true", "v2") would make messages unreadable.
const minSecret = 6

// mask replaces a secret in an error.
const mask = "***"

// secretsOf lists what no error may contain: the key, and the values of all headers.
func secretsOf(at providers.Endpoint) []string {
	values := []string{at.APIKey}
	for _, value := range at.Headers {
		values = append(values, value, strings.TrimPrefix(value, "Bearer "))
	}
	return slices.DeleteFunc(values, func(value string) bool { return len(value) < minSecret })
}

// masked returns e without the client's secrets, and with the model's reference. A wrapped
// error that contains a secret is dropped.
func (c *Client) masked(e *providers.Error) *providers.Error {
	clean := *e
	if clean.Model == "" {
		clean.Model = c.at.Ref
	}
	clean.Message = c.hide(clean.Message)
	clean.Code = c.hide(clean.Code)
	if clean.Err != nil {
		if text := clean.Err.Error(); c.hide(text) != text {
			clean.Err = nil
			if clean.Message == "" {
				clean.Message = c.hide(text)
			}
		}
	}
	return &clean
}

func (c *Client) hide(text string) string {
	for _, secret := range c.secrets {
		text = strings.ReplaceAll(text, secret, mask)
	}
	if token := c.issued.Load(); token != nil && len(*token) >= minSecret {
		text = strings.ReplaceAll(text, *token, mask)
	}
	return text
}

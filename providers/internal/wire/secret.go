package wire

import (
	"strings"

	"github.com/a-seed-11b9befa/flow/providers"
)

// minSecret is the length from which a value is taken for a secret. A shorter
// one ("1", "true", "v2") would blot out half of every message.
const minSecret = 6

// mask stands in an error for a secret that the service sent back.
const mask = "***"

func longSecrets(secrets []string) []string {
	var long []string
	for _, secret := range secrets {
		if len(secret) >= minSecret {
			long = append(long, secret)
		}
	}
	return long
}

// masked returns e without the client's secrets, and with its model's name. An
// error below it that holds one is dropped: nobody branches on its text.
func (c *Client) masked(e *providers.Error) *providers.Error {
	clean := *e
	if clean.Model == "" {
		clean.Model = c.ref
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

// Secrets lists what no error may hold: the key, and the values of all headers.
func Secrets(key string, headers map[string]string) []string {
	secrets := []string{key}
	for _, value := range headers {
		secrets = append(secrets, value, strings.TrimPrefix(value, "Bearer "))
	}
	return secrets
}

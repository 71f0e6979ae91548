package jsonschema

import (
	"net/url"
	"strings"
	"time"
)

// readFormat reads a format that servers use often; others are not checked. It is as strict as
// Go's library, which is enough to tell a model what was meant.
func readFormat(c *compiler, _ map[string]any, v any) check {
	var expected string
	var fits func(s string) bool
	name, isText := v.(string)
	if !isText || !c.options.Formats {
		return nil
	}
	switch name {
	case "date":
		expected, fits = "a day such as 2026-02-28 is expected", isTime(time.DateOnly)
	case "date-time":
		expected, fits = "a day and a time such as 2026-02-28T23:20:50Z are expected", isTime(time.RFC3339)
	case "email":
		expected, fits = "a mailbox such as ada@example.org is expected", isEmail
	case "uri":
		expected, fits = "an address with its scheme, such as https://example.org, is expected", isURI
	default:
		return nil
	}
	return func(v *validator, value any) {
		if s, isText := value.(string); isText && !fits(s) {
			v.fail("%s is not a valid %s: %s", v.show(value), name, expected)
		}
	}
}

func isTime(layout string) func(s string) bool {
	return func(s string) bool {
		_, err := time.Parse(layout, s)
		return err == nil
	}
}

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at > 0 && at < len(s)-1 && !strings.ContainsAny(s, " \t\r\n")
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && !strings.ContainsAny(s, " <>\"{}|\\^`")
}

package jsonschema

import (
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// A formatRule checks strings of a named format.
type formatRule struct {
	name     string
	expected string
	fits     func(s string) bool
}

// formatNamed returns a format that servers use; nil for an unknown one. It uses Go's
// library, which is strict enough to tell a model what was meant: the server validates the
// value again.
func formatNamed(name string) *formatRule {
	layout := func(layout string) func(string) bool {
		return func(s string) bool { _, err := time.Parse(layout, s); return err == nil }
	}
	for _, rule := range []formatRule{
		{"date", "a day such as 2026-02-28 is expected", layout(time.DateOnly)},
		{"time", "a time such as 23:20:50Z or 23:20:50+01:00 is expected", layout("15:04:05Z07:00")},
		{"date-time", "a day and a time such as 2026-02-28T23:20:50Z are expected", layout(time.RFC3339)},
		{"email", "a mailbox such as ada@example.org is expected", isEmail},
		{"ipv4", "four numbers from 0 to 255 with dots between them are expected", func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() }},
		{"ipv6", "groups of hex digits with colons between them are expected", func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" }},
		{"uuid", "8, 4, 4, 4 and 12 hex digits with hyphens between them are expected", isUUID},
		{"uri", "an address with its scheme, such as https://example.org, is expected", isURI},
	} {
		if rule.name == name {
			return &rule
		}
	}
	return nil
}

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at > 0 && at < len(s)-1 && !strings.ContainsAny(s, " \t\r\n")
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && !strings.ContainsAny(s, " <>\"{}|\\^`")
}

func isUUID(s string) bool {
	const pattern = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(s) != len(pattern) {
		return false
	}
	for i := range len(s) {
		if isHyphen := s[i] == '-'; isHyphen != (pattern[i] == '-') || !isHyphen && !strings.ContainsRune("0123456789abcdefABCDEF", rune(s[i])) {
			return false
		}
	}
	return true
}

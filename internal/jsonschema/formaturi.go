package jsonschema

import (
	"errors"
	"net/url"
	"strings"
)

// checkURI checks a URI, which may lack its scheme unless it is absolute.
func checkURI(s string, absolute bool) string {
	for _, c := range s {
		if c <= ' ' || c == 0x7f || strings.ContainsRune("<>\"{}|\\^`", c) || c > 0x7f {
			return "the character " + show(string(c)) + " must be written as % and hex digits"
		}
	}
	u, err := url.Parse(s)
	var misread *url.Error
	switch {
	case errors.As(err, &misread):
		return misread.Err.Error()
	case err != nil:
		return err.Error()
	case absolute && u.Scheme == "":
		return "it has no scheme, such as https:"
	case strings.Count(s, "#") > 1:
		return "it has two fragments"
	}
	return checkAuthority(s, u)
}

// checkAuthority checks that brackets and @ stand only where they may.
func checkAuthority(s string, u *url.URL) string {
	const stray = "brackets stand around an address only"
	before, rest, found := strings.Cut(s, "//")
	if !found || strings.ContainsAny(before, "/?#") {
		before, rest = s, ""
	}
	authority, after := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, after = rest[:i], rest[i:]
	}
	user, _, hasUser := strings.Cut(authority, "@")
	switch {
	case strings.Count(authority, "@") > 1:
		return "it has two @ before the host"
	case strings.ContainsAny(before+after, "[]") || hasUser && strings.ContainsAny(user, "[]"):
		return stray
	}
	if host := u.Hostname(); strings.Contains(host, ":") && !strings.HasPrefix(strings.ToLower(host), "v") {
		return checkIPv6(host)
	}
	return ""
}

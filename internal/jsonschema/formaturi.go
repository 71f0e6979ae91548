package jsonschema

import (
	"errors"
	"net/url"
	"strings"
)

// checkURI checks a URI, or without ascii an IRI, which may lack its scheme
// unless it is absolute.
func checkURI(s string, absolute, ascii bool) string {
	for _, c := range s {
		if c <= ' ' || c == 0x7f || strings.ContainsRune("<>\"{}|\\^`", c) || ascii && c > 0x7f {
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

// checkURITemplate checks a template of RFC 6570.
func checkURITemplate(s string) string {
	for rest := s; rest != ""; {
		i := strings.IndexAny(rest, "{}")
		literal := rest
		if i >= 0 {
			literal = rest[:i]
		}
		if strings.ContainsFunc(literal, func(c rune) bool { return c <= ' ' || c == 0x7f || strings.ContainsRune("\"<>\\^`|", c) }) {
			return "there is a character that must be written as % and hex digits"
		}
		if i < 0 {
			break
		}
		end := strings.IndexByte(rest[i:], '}')
		switch {
		case rest[i] == '}':
			return "a } closes nothing"
		case end < 0:
			return "a { is not closed"
		}
		if why := checkVariables(rest[i+1 : i+end]); why != "" {
			return why
		}
		rest = rest[i+end+1:]
	}
	return ""
}

// checkVariables checks what stands between braces: an operator and names, each
// with a length or an asterisk behind it.
func checkVariables(s string) string {
	if s != "" && strings.IndexByte("+#./;?&", s[0]) >= 0 {
		s = s[1:]
	}
	const longestLength = 4
	for name := range strings.SplitSeq(s, ",") {
		if bare, length, found := strings.Cut(name, ":"); found {
			if !allOf(length, isDigit) || length[0] == '0' || len(length) > longestLength {
				return "a length from 1 to 9999 is expected behind a colon"
			}
			name = bare
		} else {
			name = strings.TrimSuffix(name, "*")
		}
		named := func(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '.' || c == '%' }
		if !allOf(name, named) || name[0] == '.' || name[len(name)-1] == '.' || strings.Contains(name, "..") {
			return "names are expected between { and }"
		}
	}
	return ""
}

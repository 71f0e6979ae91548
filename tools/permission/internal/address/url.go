// Package address parses URLs strictly, and says which IP addresses are public.
package address

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// URL is a URL in normal form.
type URL struct {
	Scheme string
	Host   string // in lower case and ASCII; IPv6 without brackets
	IP     netip.Addr
	Port   string // "" is the scheme's own
	Path   string // escaped, begins with a slash
	query  string // with its question mark, or ""
}

// String returns the URL in normal form.
func (a URL) String() string {
	host := a.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if a.Port != "" {
		host += ":" + a.Port
	}
	return a.Scheme + "://" + host + a.Path + a.query
}

// Parse reads a URL. What two parsers might read differently is an error, which is the end
// of a sentence that begins with the URL.
func Parse(text string) (a URL, err error) {
	if what := pattern.StrangeRune(text, ""); what != "" {
		return a, errors.New("it holds " + what)
	}
	if strings.ContainsAny(text, " \\") || pattern.StrangeSpace(text) {
		return a, errors.New("it holds a blank or a backslash")
	}
	text, _, _ = strings.Cut(text, "#")
	text, query, hasQuery := strings.Cut(text, "?")
	scheme, rest, ok := strings.Cut(text, "://")
	a.Scheme = strings.ToLower(scheme)
	if !ok || a.Scheme != "http" && a.Scheme != "https" {
		return a, errors.New("it is no absolute http or https URL")
	}
	if hasQuery {
		a.query = "?" + query
	}
	authority, path, slash := strings.Cut(rest, "/")
	if strings.ContainsAny(authority, "@%") {
		return a, errors.New("its host holds a user's name or an escape")
	}
	u, err := url.Parse(a.Scheme + "://" + authority)
	if err != nil || strings.HasSuffix(authority, ":") {
		return a, errors.New("its host or its port is not valid")
	}
	if err := a.setPort(u.Port()); err != nil {
		return a, err
	}
	if err := a.setHost(u.Hostname(), strings.HasPrefix(authority, "[")); err != nil {
		return a, err
	}
	if slash {
		path = "/" + path
	}
	a.Path, err = normalPath(path)
	return a, err
}

func (a *URL) setPort(port string) error {
	if port == "" {
		return nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || port != strconv.FormatUint(n, 10) {
		return fmt.Errorf("its port %q is no number from 1 to 65535", port)
	}
	if own := map[string]string{"http": "80", "https": "443"}[a.Scheme]; port != own {
		a.Port = port
	}
	return nil
}

// setHost reads a name, or an address in its plain form.
func (a *URL) setHost(text string, brackets bool) (err error) {
	name := strings.TrimSuffix(text, ".")
	if brackets || endsInNumber.MatchString(name) {
		a.IP, err = netip.ParseAddr(text)
		if a.Host = strings.ToLower(text); err != nil || a.IP.Is6() != brackets || a.IP.Is4In6() || a.IP.Zone() != "" || a.IP.String() != a.Host {
			return errors.New("its address is not in the plain form: four decimal numbers, or the shortest form of IPv6")
		}
		return nil
	}
	if name == "" {
		return errors.New("it has no host")
	}
	if a.Host, err = idna.New(
		idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(false), idna.VerifyDNSLength(true),
	).ToASCII(name); err != nil || strings.Trim(a.Host, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || strings.Contains("."+a.Host+".", "..") {
		return errors.New("its host is no valid name")
	}
	if endsInNumber.MatchString(a.Host) { // it was written with other characters for digits and dots
		return errors.New("its address is not in the plain form")
	}
	if a.Host == "metadata.google.internal" {
		return errors.New("its host serves a cloud's metadata")
	}
	return nil
}

// endsInNumber matches a host that a parser may take for an IPv4 address in one of its many forms.
var endsInNumber = regexp.MustCompile(`(?i)(^|\.)(0x[0-9a-f]*|[0-9]+)$`)

// normalPath decodes escapes that are not needed, and resolves dot segments.
func normalPath(text string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c, escaped := text[i], false
		if c == '%' {
			decoded, err := url.PathUnescape(text[i:min(i+3, len(text))])
			if err != nil {
				return "", errors.New("its path holds a broken escape")
			}
			c, escaped = decoded[0], true
			i += 2
		}
		switch {
		case escaped && strings.IndexByte("/\\\x00", c) >= 0:
			return "", errors.New("its path holds an escaped slash, backslash or NUL")
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		case escaped || c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>^`{|}", c) >= 0:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	path, err := url.PathUnescape(b.String())
	normal := new(url.URL).ResolveReference(&url.URL{Path: path, RawPath: b.String()})
	return cmp.Or(normal.EscapedPath(), "/"), err
}

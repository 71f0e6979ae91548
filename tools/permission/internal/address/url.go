// Package address parses URLs strictly, and says which IP addresses are public.
package address

import (
	"errors"
	"fmt"
	"net/netip"
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
func Parse(text string) (URL, error) {
	if what := pattern.StrangeRune(text, ""); what != "" {
		return URL{}, errors.New("it holds " + what)
	}
	if strings.ContainsAny(text, " \\") || pattern.StrangeSpace(text) {
		return URL{}, errors.New("it holds a blank or a backslash")
	}
	scheme, rest, ok := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme != "http" && scheme != "https" {
		return URL{}, errors.New("it is no absolute http or https URL")
	}
	authority, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	a := URL{Scheme: scheme}
	if err := a.setAuthority(authority); err != nil {
		return URL{}, err
	}
	path, _, _ = strings.Cut(path, "#")
	path, query, hasQuery := strings.Cut(path, "?")
	if hasQuery {
		a.query = "?" + query
	}
	var err error
	a.Path, err = normalPath(path)
	return a, err
}

// setAuthority reads the text between // and the path.
func (a *URL) setAuthority(text string) error {
	if strings.ContainsAny(text, "@%") {
		return errors.New("its host holds a user's name or an escape")
	}
	host, port, err := splitPort(text)
	if err != nil {
		return err
	}
	if port != "" && port != defaultPort(a.Scheme) {
		a.Port = port
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		return a.setIPv6(strings.TrimSuffix(inner, "]"))
	}
	return a.setHost(host)
}

func defaultPort(scheme string) string {
	if scheme == "http" {
		return "80"
	}
	return "443"
}

// splitPort cuts a port off. A host in brackets keeps them.
func splitPort(text string) (host, port string, err error) {
	end := strings.IndexByte(text, ':')
	if strings.HasPrefix(text, "[") {
		end = strings.IndexByte(text, ']') + 1
		if end == 0 {
			return "", "", errors.New("its host has no closing bracket")
		}
	}
	if end < 0 || end == len(text) {
		return text, "", nil
	}
	host, port = text[:end], text[end:]
	n, err := strconv.ParseUint(strings.TrimPrefix(port, ":"), 10, 16)
	if err != nil || n == 0 || port != ":"+strconv.FormatUint(n, 10) {
		return "", "", fmt.Errorf("its port %q is no number from 1 to 65535", port)
	}
	return host, port[1:], nil
}

func (a *URL) setIPv6(text string) error {
	ip, err := netip.ParseAddr(text)
	if err != nil || !ip.Is6() || ip.Is4In6() || ip.Zone() != "" || ip.String() != strings.ToLower(text) {
		return errors.New("its IPv6 address is not in the plain, shortest form")
	}
	a.Host, a.IP = ip.String(), ip
	return nil
}

// setHost reads a name or an IPv4 address.
func (a *URL) setHost(text string) error {
	name := strings.TrimSuffix(text, ".")
	if endsInNumber(name) {
		return a.setIPv4(text)
	}
	if name == "" {
		return errors.New("it has no host")
	}
	name, err := hostName(name)
	if err != nil {
		return err
	}
	if endsInNumber(name) {
		// It was written with other characters for digits and dots.
		return errors.New("its address is not in the plain form")
	}
	if name == "metadata.google.internal" {
		return errors.New("its host serves a cloud's metadata")
	}
	a.Host = name
	return nil
}

func (a *URL) setIPv4(text string) error {
	ip, err := netip.ParseAddr(text)
	if err != nil || !ip.Is4() || ip.String() != text {
		return errors.New("its address is not four decimal numbers in their plain form")
	}
	a.Host, a.IP = text, ip
	return nil
}

// endsInNumber reports whether a parser may take a host for an IPv4 address in one of its
// many forms.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return false
	}
	if hex, ok := strings.CutPrefix(strings.ToLower(last), "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// hostName returns a name in lower case and ASCII.
func hostName(name string) (string, error) {
	ascii, err := idna.New(
		idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(false), idna.VerifyDNSLength(true),
	).ToASCII(name)
	if err != nil {
		return "", errors.New("its host is no valid name")
	}
	ascii = strings.ToLower(ascii)
	valid := !strings.HasPrefix(ascii, ".") && !strings.HasSuffix(ascii, ".") && !strings.Contains(ascii, "..")
	for i := range len(ascii) {
		c := ascii[i]
		valid = valid && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.')
	}
	if !valid {
		return "", errors.New("its host is no valid name")
	}
	return ascii, nil
}

// normalPath decodes escapes that are not needed, and resolves dot segments.
func normalPath(path string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c != '%' && mustEscape(c):
			fmt.Fprintf(&b, "%%%02X", c)
		case c != '%':
			b.WriteByte(c)
		default:
			if i+2 >= len(path) {
				return "", errors.New("its path holds a broken escape")
			}
			n, err := strconv.ParseUint(path[i+1:i+3], 16, 8)
			if err != nil {
				return "", errors.New("its path holds a broken escape")
			}
			decoded := byte(n)
			if decoded == '/' || decoded == '\\' || decoded == 0 {
				return "", errors.New("its path holds an escaped slash, backslash or NUL")
			}
			if isUnreserved(decoded) {
				b.WriteByte(decoded)
			} else {
				fmt.Fprintf(&b, "%%%02X", decoded)
			}
			i += 2
		}
	}
	return withoutDots(b.String()), nil
}

func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// mustEscape reports whether a character cannot stand in a path as it is.
func mustEscape(c byte) bool {
	return c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>^`{|}", c) >= 0
}

// withoutDots resolves . and .. segments as RFC 3986, 5.2.4 does.
func withoutDots(path string) string {
	var out []string
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch s {
		case ".":
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, s)
			continue
		}
		if last {
			out = append(out, "")
		}
	}
	return "/" + strings.Join(out, "/")
}

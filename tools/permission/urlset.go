package permission

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"github.com/a-seed-11b9befa/flow/tools/permission/internal/address"
	"github.com/a-seed-11b9befa/flow/tools/permission/internal/pattern"
)

// urlPattern is a compiled rule over URLs.
type urlPattern struct {
	Rule
	address.URL // with below, its host is the domain whose subdomains match
	below       bool
	path        *regexp.Regexp
}

// compileURL reads scheme://host[:port]/path or domain:host.
func compileURL(r Rule) (p urlPattern, err error) {
	p.Rule = r
	text := r.Pattern
	if host, ok := strings.CutPrefix(text, "domain:"); ok {
		if strings.ContainsAny(host, "/?#") {
			return p, fmt.Errorf("address pattern %q: domain: takes a host alone", r.Pattern)
		}
		text = "https://" + host + "/**"
	}
	if !strings.Contains(text, "://") {
		meant := "https://" + text
		if !strings.Contains(text, "/") {
			meant = "domain:" + text
		}
		return p, fmt.Errorf("address pattern %q: want scheme://host/path, or domain:host for all of a host (did you mean %q?)", r.Pattern, meant)
	}
	scheme, rest, _ := strings.Cut(text, "://")
	rest, p.below = strings.CutPrefix(rest, "*.")
	if strings.ContainsAny(rest, "?#") {
		return p, fmt.Errorf("address pattern %q: the query is not compared, and ? is no wildcard here", r.Pattern)
	}
	p.URL, err = address.Parse(scheme + "://" + rest)
	if err != nil {
		return p, fmt.Errorf("address pattern %q: %w", r.Pattern, err)
	}
	if p.below && p.IP.IsValid() {
		return p, fmt.Errorf("address pattern %q: an IP address has no subdomains", r.Pattern)
	}
	p.path = pattern.Path(p.Path) // which has no ?
	return p, nil
}

// fits reports whether the pattern matches a URL.
func (p urlPattern) fits(a address.URL) bool {
	host := p.Host == a.Host
	if p.below {
		host = !a.IP.IsValid() && strings.HasSuffix(a.Host, "."+p.Host)
	}
	return host && p.Scheme == a.Scheme && p.Port == a.Port && p.path.MatchString(a.Path)
}

// urlSet judges URLs by the webfetch rules of one domain.
type urlSet struct{ compiled[urlPattern] }

func newURLSet(set ruleset) (s urlSet, err error) {
	if s.compiled, err = compile("webfetch", set, compileURL); err != nil {
		err = fmt.Errorf("webfetch: %w", err)
	}
	return s, err
}

// judge decides about a URL in normal form.
func (s *urlSet) judge(a address.URL) Decision {
	if d := s.strictest(true, func(p urlPattern) bool { return p.fits(a) }); d != nil {
		return *d
	}
	if s.catchAll == nil {
		return undecided("no webfetch rule allows it")
	}
	d := s.otherwise()
	if d.Verdict != Deny && !coveredByCatchAll(a) {
		d.Verdict, d.Reason = Deny, "only https on its own port to a dotted name is covered by "+d.Rule+"; anything else needs a rule that spells it"
	}
	return d
}

func coveredByCatchAll(a address.URL) bool {
	return a.Scheme == "https" && a.Port == "" && !a.IP.IsValid() && a.Host != "localhost" && strings.Contains(a.Host, ".")
}

// decideFetch judges a webfetch call. The decision's Path is the URL in normal form. A name
// is not looked up: its addresses are judged when they are dialled, see [DialAllowed].
func (p *Policy) decideFetch(call Call) Decision {
	args, err := arguments(call.Input, "url")
	text, ok := args["url"]
	if err != nil || !ok {
		return refused("no url is given")
	}
	a, err := address.Parse(text)
	if err != nil {
		return refused(fmt.Sprintf("webfetch %q: %s", text, err))
	}
	d := p.each(func(d *domain) Decision { return d.fetch.judge(a).cap(d.fetch.cap) })
	if a.IP.IsValid() && address.IsForbidden(a.IP) {
		d = refused("the address is link-local or serves metadata")
	}
	d.Reason = fmt.Sprintf("webfetch %q: %s", text, d.Reason)
	d.Path = a.String()
	return d
}

// MaxRedirects is how many redirects of a page may be followed. Each has to be judged as a
// call of its own.
const MaxRedirects = 5

// DialAllowed reports whether an address may be dialled for an allowed URL with that host,
// in normal form. It has to be called with the address that is really dialled. A rule has
// spelled a host that is an address, and localhost, which may be loopback; any other name
// has to lead to the public internet.
func DialAllowed(host string, addr netip.Addr) bool {
	if address.IsForbidden(addr) {
		return false
	}
	if literal, err := netip.ParseAddr(host); err == nil {
		return literal == addr
	}
	return address.IsPublic(addr) || host == "localhost" && addr.IsLoopback()
}

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
	text    string
	verdict Verdict
	scheme  string
	host    string // with below, the domain whose subdomains match
	below   bool
	port    string
	path    *regexp.Regexp
}

// compileURL reads scheme://host[:port]/path or domain:host.
func compileURL(r Rule) (urlPattern, error) {
	text := r.Pattern
	if host, ok := strings.CutPrefix(text, "domain:"); ok {
		if strings.ContainsAny(host, "/?#") {
			return urlPattern{}, fmt.Errorf("address pattern %q: domain: takes a host alone", r.Pattern)
		}
		text = "https://" + host + "/**"
	}
	if !strings.Contains(text, "://") {
		meant := "https://" + text
		if !strings.Contains(text, "/") {
			meant = "domain:" + text
		}
		return urlPattern{}, fmt.Errorf("address pattern %q: want scheme://host/path, or domain:host for all of a host (did you mean %q?)", r.Pattern, meant)
	}
	p := urlPattern{text: r.Pattern, verdict: r.Verdict}
	scheme, rest, _ := strings.Cut(text, "://")
	rest, p.below = strings.CutPrefix(rest, "*.")
	if strings.ContainsAny(rest, "?#") {
		return p, fmt.Errorf("address pattern %q: the query is not compared, and ? is no wildcard here", r.Pattern)
	}
	a, err := address.Parse(scheme + "://" + rest)
	if err != nil {
		return p, fmt.Errorf("address pattern %q: %w", r.Pattern, err)
	}
	if p.below && a.IP.IsValid() {
		return p, fmt.Errorf("address pattern %q: an IP address has no subdomains", r.Pattern)
	}
	p.scheme, p.host, p.port, p.path = a.Scheme, a.Host, a.Port, pattern.Path(a.Path) // which has no ?
	return p, nil
}

// fits reports whether the pattern matches a URL.
func (p urlPattern) fits(a address.URL) bool {
	if p.scheme != a.Scheme || p.port != a.Port {
		return false
	}
	if p.below {
		if a.IP.IsValid() || !strings.HasSuffix(a.Host, "."+p.host) {
			return false
		}
	} else if p.host != a.Host {
		return false
	}
	return p.path.MatchString(a.Path)
}

func (p urlPattern) says() Verdict { return p.verdict }

// urlSet judges URLs by the webfetch rules of one domain.
type urlSet struct{ compiled[urlPattern] }

func newURLSet(set ruleset) (*urlSet, error) {
	s := &urlSet{compiled[urlPattern]{key: "webfetch", catchAll: set.catchAll}}
	for _, r := range set.rules {
		p, err := compileURL(r)
		if err != nil {
			return nil, fmt.Errorf("webfetch: %w", err)
		}
		s.patterns = append(s.patterns, p)
	}
	return s, nil
}

// judge decides about a URL in normal form.
func (s *urlSet) judge(a address.URL) finding {
	if p, ok := s.strictest(true, func(p urlPattern) bool { return p.fits(a) }); ok {
		return finding{p.verdict, false, s.name(p.text), p.verdict.by(s.name(p.text))}
	}
	if s.catchAll == nil {
		return finding{reason: "no webfetch rule allows it"}
	}
	rule := s.catchAllName()
	if s.catchAll.Verdict != Deny && !coveredByCatchAll(a) {
		return finding{Deny, false, rule, "only https on its own port to a dotted name is covered by " + rule + "; anything else needs a rule that spells it"}
	}
	return finding{s.catchAll.Verdict, false, rule, s.catchAll.Verdict.by(rule)}
}

func coveredByCatchAll(a address.URL) bool {
	return a.Scheme == "https" && a.Port == "" && !a.IP.IsValid() && a.Host != "localhost" && strings.Contains(a.Host, ".")
}

// decideFetch judges a webfetch call. The decision's Path is the URL in normal form. A name
// is not looked up: its addresses are judged when they are dialled, see [DialAllowed].
func (p *Policy) decideFetch(call Call) Decision {
	args, err := arguments(call.Input)
	if err != nil {
		return refused(err.Error()).decision()
	}
	text, ok, err := args.text("url")
	if err != nil || !ok {
		return refused("no url is given").decision()
	}
	a, err := address.Parse(text)
	if err != nil {
		return refused(fmt.Sprintf("webfetch %q: %s", text, err)).decision()
	}
	f := p.each(func(d *domain) finding {
		restriction, rule := d.gate("webfetch")
		return d.addresses(rule).judge(a).cap(restriction)
	})
	if a.IP.IsValid() && address.IsForbidden(a.IP) {
		f = refused("the address is link-local or serves metadata")
	}
	f.reason = fmt.Sprintf("webfetch %q: %s", text, f.reason)
	d := f.decision()
	d.Path = a.String()
	return d
}

// addresses returns the rules over addresses.
func (d *domain) addresses(rule *Rule) *urlSet {
	if d.fetch != nil {
		return d.fetch
	}
	return &urlSet{standIn[urlPattern]("webfetch", rule)}
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

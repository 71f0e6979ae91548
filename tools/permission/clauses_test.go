package permission

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// checkVerdict compares a decision with a word in which never is a verdict too.
func checkVerdict(t *testing.T, what string, got Decision, want string) {
	t.Helper()
	if got.Verdict.String() != strings.Replace(want, "never", "deny", 1) || got.Never != (want == "never") {
		t.Errorf("%s: got %v (never %t, %s), want %s", what, got.Verdict, got.Never, got.Reason, want)
	}
}

// dialled returns the decision about a page, or a denial if its host leads to an address that
// may not be dialled.
func dialled(t *testing.T, d Decision, resolve func(host string) []string) Decision {
	t.Helper()
	if d.Verdict == Deny {
		return d
	}
	page, err := url.Parse(d.Path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := netip.ParseAddr(page.Hostname()); err == nil {
		return d
	}
	for _, addr := range resolve(page.Hostname()) {
		if !DialAllowed(page.Hostname(), netip.MustParseAddr(addr)) {
			return refused("its host leads to " + addr)
		}
	}
	return d
}

// TestURLClauses goes through the rules about addresses, one by one.
func TestURLClauses(t *testing.T) {
	catchAll := Rules{"webfetch": only("*", Allow)}
	spelled := Rules{"webfetch": {
		{"https://a.example/docs/**", Allow}, {"https://a.example/docs/private/**", Deny}, {"https://*.b.example/*", Allow}, {"domain:c.example", Ask},
		{"http://d.example/**", Allow}, {"https://e.example:8443/**", Allow}, {"https://93.184.216.34/**", Allow}, {"http://localhost:3000/**", Allow},
		{"https://bücher.example/**", Allow}, {"https://f.example", Allow}, {"http://10.0.0.1/**", Allow}, {"http://169.254.169.254/**", Allow}, {"https://[2606:4700::1111]/**", Allow},
	}}
	dns := map[string]string{"in.b.example": "10.0.0.1", "up.b.example": "127.0.0.1", "map.b.example": "::ffff:8.8.8.8", "nat.b.example": "64:ff9b::a00:1", "localhost": "127.0.0.1", "zero.b.example": "0.0.0.0", "cg.b.example": "100.64.1.1"}
	resolve := func(host string) []string { return []string{cmp.Or(dns[host], "8.8.8.8")} }
	for _, c := range []struct {
		rules Rules
		cases map[string]string
	}{
		{catchAll, map[string]string{
			"https://a.example": "allow", "HTTPS://A.EXAMPLE/": "allow", "https://a.example:443/x": "allow", "https://a.example./": "allow", "https://a.example/?q=a b": "never",
			"https://a.example/%20": "allow", "https://a.example/a%2fb": "never", "https://a.example/a%5Cb": "never", "https://a.example/%00": "never", "https://a.example/%zz": "never",
			"https://a.example/%2": "never", "https://a.example/?x=%2f%00": "allow", "https://a.example/#%2f": "allow", "https://u@a.example/": "never", "https://u:p@a.example/": "never",
			"https://@a.example/": "never", "https://a.example\\x": "never", "https://a%2eexample/": "never", "https://a.example:0/": "never", "https://a.example:65536/": "never",
			"https://a.example:/": "never", "https://a.example:x/": "never", "https://a.example:044/": "never", "https://a.example:80/": "deny", "http://a.example/": "deny",
			"http://a.example:443/": "deny", "ftp://a.example/": "never", "file:///etc/passwd": "never", "javascript:x": "never", "//a.example/": "never", "/x": "never", "a.example": "never",
			"https://": "never", "https:///": "never", "https://?x": "never", "https://localhost/": "deny", "https://intranet/": "deny", "https://8.8.8.8/": "deny", "https://08.8.8.8/": "never",
			"https://8.8.8/": "never", "https://134744072/": "never", "https://0x8080808/": "never", "https://0x8.8.8.8/": "never", "https://8.8.8.8.": "never", "https://8.8.8.0x8/": "never",
			"https://[::1]/": "deny", "https://[::]/": "never", "https://[::ffff:8.8.8.8]/": "never", "https://[0:0::1]/": "never", "https://[fe80::1%25eth0]/": "never", "https://[::1/": "never",
			"https://[2606:4700:0:0::1111]/": "never", "https://metadata.google.internal/": "never", "https://METADATA.google.internal./": "never", "https://169.254.169.254/": "never",
			"https://100.100.100.200/": "never", "https://168.63.129.16/": "never", "https://[fd00:ec2::254]/": "never", "https://0.0.0.0/": "never", "https://a..example/": "never", "https://.a.example/": "never",
			"https://a.example/\u200b": "never", "https://a.example/\n": "never", "https://a\u00a0.example/": "never", "https://a.example/é": "allow", "https://ａ.example/": "allow",
			"https://xn--bcher-kva.example/": "allow", "https://１２７.0.0.1/": "never", "https://127。0。0。1/": "never", "https://a_b.example/": "allow",
			"https://a b.example/": "never", "https://in.b.example/": "never", "https://up.b.example/": "never", "https://map.b.example/": "never", "https://nat.b.example/": "never",
			"https://zero.b.example/": "never", "https://cg.b.example/": "never", "": "never", " https://a.example/": "never", "https:/a.example/": "never", "https:\\\\a.example/": "never",
		}},
		{spelled, map[string]string{
			"https://a.example/docs/": "allow", "https://a.example/docs/x/y": "allow", "https://a.example/docs": "deny", "https://a.example/docsx": "deny", "https://a.example/docs/../x": "deny",
			"https://a.example/docs/%2e%2e/x": "deny", "https://a.example/docs/.%2E/x": "deny", "https://a.example/x/../docs/y": "allow", "https://a.example/%64ocs/x": "allow",
			"https://a.example/docs/private/x": "deny", "https://a.example/docs/%70rivate/x": "deny", "https://a.example/docs/./private/x": "deny", "https://a.example/docs//x": "allow",
			"https://a.example/docs/x?y=/private/": "allow", "https://a.example/docs/x#/private/": "allow", "https://b.example/x": "deny", "https://x.b.example/x": "allow", "https://x.y.b.example/x": "allow",
			"https://xb.example/x": "deny", "https://x.b.example/x/y": "deny", "https://b.example.evil/x": "deny", "https://c.example/": "ask", "https://c.example/x/y?z": "ask", "https://x.c.example/": "deny",
			"http://c.example/": "deny", "http://d.example/x": "allow", "https://d.example/x": "deny", "http://d.example:80/x": "allow", "http://d.example:8080/x": "deny", "https://e.example:8443/x": "allow",
			"https://e.example/x": "deny", "https://93.184.216.34/x": "allow", "http://93.184.216.34/x": "deny", "http://localhost:3000/x": "allow", "http://localhost/x": "deny", "http://LOCALHOST.:3000/x": "allow",
			"https://bücher.example/": "allow", "https://xn--bcher-kva.example/": "allow", "https://BÜCHER.example/": "allow", "https://f.example/": "allow", "https://f.example": "allow", "https://f.example/x": "deny",
			"http://10.0.0.1/": "allow", "http://169.254.169.254/latest": "never", "https://[2606:4700::1111]/": "allow", "https://[2606:4700::1111]:443/": "allow", "https://[2606:4700::1112]/": "deny",
			"https://in.b.example/x": "never", "https://A.example/docs/x": "allow", "https://a.example/DOCS/x": "deny",
		}},
	} {
		p := build(t, newSandbox(t), Config{}, c.rules)
		for page, want := range c.cases {
			input, err := json.Marshal(map[string]string{"url": page})
			if err != nil {
				t.Fatal(err)
			}
			checkVerdict(t, page, dialled(t, p.Decide(Call{Tool: "webfetch", Input: input}), resolve), want)
		}
	}
}

// TestNameClauses goes through the rules about the names of tools.
func TestNameClauses(t *testing.T) {
	servers := []MCPTool{{"github", "get_issue"}, {"github", "delete_repo"}, {"github_enterprise", "get"}, {"Files", "read"}, {"read", "x"}, {"a", "b_c"}, {"a_b", "c"}, {"web", "fetch"}, {"x", "webfetch"}}
	for _, c := range []struct {
		rules Rules
		cases map[string]string
	}{
		{Rules{"github_*": only("*", Allow)}, map[string]string{
			"github_get_issue": "allow", "github_delete_repo": "allow", "github_enterprise_get": "deny", "GitHub_get_issue": "never", "github_": "never", "Files_read": "deny", "read_x": "never", "a_b_c": "never",
		}},
		{Rules{"github_enterprise_*": only("*", Allow)}, map[string]string{"github_enterprise_get": "allow", "github_get_issue": "deny"}},
		{Rules{"*_get*": only("*", Allow), "git*": only("*", Allow)}, map[string]string{"github_get_issue": "deny", "github_enterprise_get": "deny"}},
		{Rules{"github_get_issue": only("*", Allow)}, map[string]string{"github_get_issue": "allow", "github_delete_repo": "deny"}},
		{Rules{"github_get_?ssue": only("*", Allow)}, map[string]string{"github_get_issue": "allow", "github_delete_repo": "deny"}},
		{Rules{"*": only("*", Allow), "GITHUB_DELETE*": only("*", Deny), "*_get": only("*", Ask)}, map[string]string{
			"github_get_issue": "allow", "github_delete_repo": "deny", "github_enterprise_get": "ask", "Files_read": "allow", "web_fetch": "allow", "x_webfetch": "allow",
		}},
		{Rules{"github*": only("*", Deny), "github_get_issue": only("*", Allow)}, map[string]string{"github_get_issue": "deny", "github_enterprise_get": "deny"}},
		{Rules{"files_*": only("*", Allow)}, map[string]string{"Files_read": "deny"}},
		{Rules{"Files_*": only("*", Allow)}, map[string]string{"Files_read": "allow"}},
		{Rules{"files_*": only("*", Deny), "*": only("*", Allow)}, map[string]string{"Files_read": "deny", "web_fetch": "allow"}},
		{Rules{"*": only("*", Ask)}, map[string]string{"github_get_issue": "ask", "": "never", "github get": "never", "_x": "never", "-x": "never", "github_get_issue\u200b": "never", strings.Repeat("a", 129): "never"}},
		{Rules{"**": only("*", Allow)}, map[string]string{"github_get_issue": "allow"}},
		{Rules{"*": nil}, map[string]string{"github_get_issue": "deny"}},
	} {
		p := build(t, newSandbox(t), Config{MCP: servers}, c.rules)
		for name, want := range c.cases {
			checkVerdict(t, name, p.Decide(Call{Tool: name, Input: []byte(`{}`)}), want)
		}
	}
}

// TestPrecedence goes through the rules about which rule wins, and about layers
// and domains.
func TestPrecedence(t *testing.T) {
	m := newSandbox(t)
	layer := func(rules ...Rule) Rules { return Rules{"bash": rules} }
	domain := func(layers ...Rules) Domain { return Domain{Layers: layers} }
	for name, c := range map[string]struct {
		domains []Domain
		command string
		want    string
	}{
		"deny before allow":             {[]Domain{domain(layer(Rule{"git *", Allow}, Rule{"git log *", Deny}))}, "git log", "deny"},
		"deny before a narrower allow":  {[]Domain{domain(layer(Rule{"git *", Deny}, Rule{"git log *", Allow}))}, "git log", "deny"},
		"ask before allow":              {[]Domain{domain(layer(Rule{"git *", Allow}, Rule{"git log *", Ask}))}, "git log", "ask"},
		"deny before ask":               {[]Domain{domain(layer(Rule{"git *", Ask}, Rule{"git log *", Deny}))}, "git log", "deny"},
		"the catch-all is a fallback":   {[]Domain{domain(layer(Rule{"*", Deny}, Rule{"git *", Allow}))}, "git log", "allow"},
		"the catch-all asks":            {[]Domain{domain(layer(Rule{"*", Ask}, Rule{"git log", Allow}))}, "git status", "ask"},
		"** is a catch-all":             {[]Domain{domain(layer(Rule{"**", Allow}))}, "git status", "allow"},
		"two catch-alls":                {[]Domain{domain(layer(Rule{"*", Allow}, Rule{"**", Ask}))}, "git status", "ask"},
		"the same pattern twice":        {[]Domain{domain(layer(Rule{"git *", Allow}, Rule{"git *", Deny}))}, "git log", "deny"},
		"no rule":                       {[]Domain{domain(layer(Rule{"ls", Allow}))}, "git log", "deny"},
		"empty rules":                   {[]Domain{domain(layer())}, "true", "deny"},
		"union of layers":               {[]Domain{domain(layer(Rule{"ls *", Allow}), layer(Rule{"git *", Allow}))}, "ls; git log", "allow"},
		"a layer's deny":                {[]Domain{domain(layer(Rule{"git *", Deny}), layer(Rule{"git *", Allow}))}, "git log", "deny"},
		"the step's catch-all":          {[]Domain{domain(layer(Rule{"*", Deny}), layer(Rule{"*", Allow}))}, "git log", "allow"},
		"the step's catch-all narrows":  {[]Domain{domain(layer(Rule{"*", Allow}), layer(Rule{"*", Deny}))}, "git log", "deny"},
		"the workflow's catch-all":      {[]Domain{domain(layer(Rule{"*", Allow}), layer(Rule{"ls", Allow}))}, "git log", "allow"},
		"two domains":                   {[]Domain{domain(layer(Rule{"git *", Allow})), domain(layer(Rule{"*", Allow}))}, "git log", "allow"},
		"the caller has no rule for it": {[]Domain{domain(layer(Rule{"ls", Allow})), domain(layer(Rule{"*", Allow}))}, "git log", "deny"},
		"the caller has no bash":        {[]Domain{domain(Rules{"read": only("*", Allow)}), domain(layer(Rule{"*", Allow}))}, "git log", "deny"},
		"the caller asks":               {[]Domain{domain(layer(Rule{"*", Ask})), domain(layer(Rule{"*", Allow}))}, "git log", "ask"},
		"each part by its own domain":   {[]Domain{domain(layer(Rule{"git *", Allow}, Rule{"ls *", Ask})), domain(layer(Rule{"*", Allow}))}, "git log | ls", "ask"},
		"the strictest part":            {[]Domain{domain(layer(Rule{"git *", Allow}, Rule{"ls *", Ask}))}, "git log; ls; rm x", "deny"},
		"never over ask":                {[]Domain{domain(layer(Rule{"*", Ask}))}, "git log 'x", "never"},
	} {
		p, err := New(Config{Root: m.path("/ws"), Home: m.path("/home/u"), Domains: c.domains})
		if err != nil {
			t.Fatal(err)
		}
		checkVerdict(t, name, p.Decide(bashCall(c.command)), c.want)
	}
}

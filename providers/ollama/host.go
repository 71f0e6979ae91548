package ollama

import (
	"net"
	"net/netip"
	"strings"
)

// defaultBaseURL is the base URL of a server on this machine.
const defaultBaseURL = "http://127.0.0.1:11434"

// BaseURL returns the URL for a value of OLLAMA_HOST, in any of the forms that Ollama itself
// accepts: a host, host:port, :port, an IPv6 address with brackets or without, a URL with a
// path. The default scheme is http, and then the default port 11434. Addresses with which a
// server listens on all networks (0.0.0.0, ::) become those of this machine.
//
// The path of an API at the end (/v1, /api) is removed. A value that is no host is returned
// unchanged, so that requests fail.
func BaseURL(host string) string {
	host = strings.Trim(strings.TrimSpace(host), `"'`)
	scheme, rest, found := strings.Cut(host, "://")
	port := ""
	switch {
	case strings.Contains(host, "@"):
		return host
	case found:
	case host == "ollama.com":
		scheme, rest = "https", host
	default:
		scheme, rest, port = "http", host, "11434"
	}
	hostport, path, _ := strings.Cut(rest, "/")
	name, given, err := net.SplitHostPort(hostport)
	if err != nil {
		name, given = strings.Trim(hostport, "[]"), port
	}
	return scheme + "://" + joined(reachable(name), given) + trimAPI(path)
}

// reachable returns a host at which a server that listens on name can be reached.
func reachable(name string) string {
	addr, err := netip.ParseAddr(name)
	switch {
	case name == "", err == nil && addr.IsUnspecified() && addr.Is4():
		return "127.0.0.1"
	case err == nil && addr.IsUnspecified():
		return "::1"
	}
	return name
}

func joined(name, port string) string {
	switch {
	case port != "":
		return net.JoinHostPort(name, port)
	case strings.Contains(name, ":"):
		return "[" + name + "]"
	}
	return name
}

// trimAPI removes from a path what this package appends itself, and what other clients need.
func trimAPI(path string) string {
	path = strings.Trim(path, "/")
	for _, api := range []string{"api/chat", "api", "v1"} {
		if path == api {
			return ""
		}
		if before, ok := strings.CutSuffix(path, "/"+api); ok {
			path = before
			break
		}
	}
	if path == "" {
		return ""
	}
	return "/" + path
}

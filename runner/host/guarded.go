package host

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/a-seed-11b9befa/flow/providers"
	"github.com/a-seed-11b9befa/flow/tools/permission"
)

// guarded has a transport of a workflow from elsewhere dial no more than its addresses
// say: a name leads to the public internet, whatever its owner has it stand for when it
// is dialled. This machine and private networks have to be spelled, and so granted. A
// proxy is the caller's own: where names lead behind it, it says itself.
func guarded(t *http.Transport) *http.Transport {
	var proxies sync.Map // by host and port
	proxy := t.Proxy
	t.Proxy = func(r *http.Request) (*url.URL, error) {
		at, err := proxy(r)
		if at != nil {
			proxies.Store(at.Hostname(), true)
		}
		return at, err
	}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		const timeout, alive = 30 * time.Second, 30 * time.Second
		dialer := net.Dialer{Timeout: timeout, KeepAlive: alive}
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if _, own := proxies.Load(host); !own {
			dialer.Control = func(_, dialled string, _ syscall.RawConn) error {
				at, err := netip.ParseAddrPort(dialled)
				if err == nil && !permission.DialAllowed(strings.ToLower(host), at.Addr().Unmap()) {
					const why = "the host %q has the address %s, which is not public: a fetched recipe must name such an address itself"
					err = &providers.Error{Kind: providers.KindConfiguration, Message: fmt.Sprintf(why, host, at.Addr())}
				}
				return err
			}
		}
		return dialer.DialContext(ctx, network, address)
	}
	return t
}

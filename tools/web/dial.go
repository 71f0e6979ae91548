package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/a-seed-11b9befa/flow/tools/permission"
)

const (
	connectTime    = 10 * time.Second // for all the addresses of a name
	handshakeTime  = 10 * time.Second
	firstByteTime  = 20 * time.Second
	maxHeaderBytes = 256 << 10
	maxAddresses   = 4 // of a name, that are tried
)

// forbiddenAddress is an address of a host that may not be dialled.
type forbiddenAddress struct {
	host string
	addr netip.Addr
}

// Error returns the message.
func (e *forbiddenAddress) Error() string {
	if e.host == e.addr.String() {
		return fmt.Sprintf("the address %s may not be dialled", e.addr)
	}
	return fmt.Sprintf("the host %q leads to %s, which is not on the public internet", e.host, e.addr)
}

// lookUp looks up a host name with the system's resolver.
func lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// transport returns the transport for one host. It uses no proxy, and keeps no connections.
func (f fetch) transport(host string) *http.Transport {
	return &http.Transport{
		Proxy: nil,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return f.dial(ctx, network, address, host)
		},
		DisableKeepAlives:      true,
		TLSHandshakeTimeout:    handshakeTime,
		ResponseHeaderTimeout:  firstByteTime,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// dial connects to the host of a URL in normal form. All addresses of the host have to be
// allowed, and only these are dialled.
func (f fetch) dial(ctx context.Context, network, address, host string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs, err := f.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	var last error
	for i, addr := range addrs[:min(len(addrs), maxAddresses)] {
		dialer := net.Dialer{
			Timeout:   connectTime / time.Duration(min(len(addrs), maxAddresses)-i),
			KeepAlive: -1,
			Control:   func(_, dialled string, _ syscall.RawConn) error { return checkDialled(host, dialled) },
		}
		conn, err := dialer.DialContext(ctx, network, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		last = err
	}
	return nil, last
}

// addresses looks up the host once. If one address is forbidden, the name is not trusted,
// and an error is returned.
func (f fetch) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if literal, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{literal}, checkAddress(host, literal)
	}
	addrs, err := f.o.Resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, errors.New("the host has no address")
	}
	for i, addr := range addrs {
		addrs[i] = addr.Unmap()
		if err := checkAddress(host, addrs[i]); err != nil {
			return nil, err
		}
	}
	return addrs, nil
}

func checkAddress(host string, addr netip.Addr) error {
	if !permission.DialAllowed(host, addr) {
		return &forbiddenAddress{host, addr}
	}
	return nil
}

// checkDialled checks the address that the system is about to dial.
func checkDialled(host, dialled string) error {
	at, err := netip.ParseAddrPort(dialled)
	if err != nil {
		return err
	}
	return checkAddress(host, at.Addr())
}

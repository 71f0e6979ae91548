package address

import "net/netip"

// specialNetworks are the reserved ranges that package netip has no method for.
func specialNetworks() []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("100.64.0.0/10"),
		netip.MustParsePrefix("192.0.0.0/24"),
		netip.MustParsePrefix("198.18.0.0/15"),
		netip.MustParsePrefix("240.0.0.0/4"),
		netip.MustParsePrefix("64:ff9b:1::/48"),  // translators for private use
		netip.MustParsePrefix("::ffff:0:0:0/96"), // translated IPv4
		netip.MustParsePrefix("2001::/23"),       // protocols, tunnels among them
		netip.MustParsePrefix("2001:db8::/32"),   // documentation
		netip.MustParsePrefix("100::/64"),        // discarded
		netip.MustParsePrefix("fec0::/10"),       // the site-local ones of old
		netip.MustParsePrefix("5f00::/16"),       // segment routing
		netip.MustParsePrefix("3fff::/20"),       // documentation
	}
}

// IsPublic reports whether an address is on the public internet: not
// loopback, private, link-local, multicast, unspecified, shared or reserved, nor
// an IPv6 form that carries such an IPv4 address.
func IsPublic(addr netip.Addr) bool {
	if !addr.IsValid() || addr.Is4In6() || addr.Zone() != "" {
		return false
	}
	if addr.IsLoopback() || addr.IsPrivate() || addr.IsMulticast() || addr.IsUnspecified() || addr.IsLinkLocalUnicast() {
		return false
	}
	for _, special := range specialNetworks() {
		if special.Contains(addr) {
			return false
		}
	}
	if inner, ok := carried(addr); ok {
		return IsPublic(inner)
	}
	return !IsForbidden(addr)
}

// carried returns the IPv4 address in an IPv6 address that is translated to it (NAT64,
// 6to4, IPv4-compatible).
func carried(addr netip.Addr) (netip.Addr, bool) {
	b := addr.As16()
	switch {
	case addr.Is4():
		return addr, false
	case netip.MustParsePrefix("64:ff9b::/96").Contains(addr), netip.MustParsePrefix("::/96").Contains(addr):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case netip.MustParsePrefix("2002::/16").Contains(addr):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return addr, false
}

// IsForbidden reports whether no rule can allow an address: it is link-local, or serves
// the metadata of a cloud.
func IsForbidden(addr netip.Addr) bool {
	if !addr.IsValid() || addr.Is4In6() || addr.Zone() != "" || addr.IsUnspecified() ||
		addr.IsLinkLocalUnicast() || addr.IsLinkLocalMulticast() {
		return true
	}
	for _, metadata := range []string{"100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254", "fd00:42::42"} {
		if addr == netip.MustParseAddr(metadata) {
			return true
		}
	}
	return false
}

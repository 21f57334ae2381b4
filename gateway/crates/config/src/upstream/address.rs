//! Addresses that an upstream's name must not resolve to: behind them are services of the machine's
//! network that trust every caller, above all a cloud's metadata service, which hands out
//! credentials.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// The metadata services of Alibaba Cloud, Azure and Oracle Cloud. Those of most clouds are
/// link-local.
const METADATA_V4: [Ipv4Addr; 3] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];

/// The metadata services of AWS, Google Cloud and Oracle Cloud over IPv6.
const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe),
];

/// The first 96 bits of IPv6 addresses that a NAT64 gateway translates (RFC 6052, section 2.1).
const NAT64: [u16; 6] = [0x64, 0xff9b, 0, 0, 0, 0];

/// Returns whether an address is link-local (RFC 3927; RFC 4291, section 2.5.6) or that of a
/// cloud's metadata service.
pub fn is_link_local(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_link_local() || METADATA_V4.contains(&address),
        IpAddr::V6(address) => {
            let translated = address.segments()[..6] == NAT64;
            let [.., high, low] = address.segments();
            let inner = Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
            address.is_unicast_link_local()
                || METADATA_V6.contains(&address)
                || (translated && is_link_local(inner.into()))
        }
    }
}

/// Returns whether the host of a URL is such an address.
pub fn has_link_local_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => is_link_local(address.into()),
        Some(Host::Ipv6(address)) => is_link_local(address.into()),
        Some(Host::Domain(_)) | None => false,
    }
}

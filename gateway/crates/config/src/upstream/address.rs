//! Addresses that an upstream's name must not resolve to: behind them are services of the machine's network that trust
//! every caller, above all a cloud's metadata service, which hands out credentials.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Alibaba Cloud's metadata service.
const ALIBABA_METADATA: Ipv4Addr = Ipv4Addr::new(100, 100, 100, 200);

/// The metadata service of AWS over IPv6. Its other addresses, and those of most clouds, are link-local.
const AWS_METADATA: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// The first 96 bits of IPv6 addresses that a NAT64 gateway translates (RFC 6052, section 2.1).
const NAT64: [u16; 6] = [0x64, 0xff9b, 0, 0, 0, 0];

/// Returns whether an address is link-local (RFC 3927; RFC 4291, section 2.5.6) or that of a cloud's metadata service.
pub fn is_link_local(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_link_local() || address == ALIBABA_METADATA,
        IpAddr::V6(address) => {
            let translated = address.segments()[..6] == NAT64;
            let [.., high, low] = address.segments();
            let inner = Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
            address.is_unicast_link_local()
                || address == AWS_METADATA
                || (translated && is_link_local(inner.into()))
        }
    }
}

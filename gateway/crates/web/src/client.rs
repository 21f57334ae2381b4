//! The client of a request.

use std::net::{IpAddr, Ipv6Addr};

use http::Extensions;

/// A request extension: the IP address of the client. Behind a trusted proxy it is the one that the proxy reports.
#[derive(Debug, Clone, Copy)]
pub struct ClientAddress(pub IpAddr);

/// The key of the client that sent a request, if its address is known.
pub fn client_key(extensions: &Extensions) -> Option<ClientKey> {
    extensions
        .get()
        .map(|ClientAddress(address)| ClientKey::new(*address))
}

/// A request extension: the request comes from a trusted proxy.
#[derive(Debug, Clone, Copy)]
pub struct FromTrustedProxy;

/// The key by which limits count clients: an IPv4 address, or the /64 prefix of an IPv6 address. A single host can use
/// every address of its /64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientKey(IpAddr);

impl ClientKey {
    /// The key of an address.
    pub fn new(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(address.into()),
            IpAddr::V6(address) => {
                let prefix = address.to_bits() & (u128::MAX << 64);
                Self(Ipv6Addr::from_bits(prefix).into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ClientKey;

    fn client(address: &str) -> ClientKey {
        ClientKey::new(address.parse().expect("an address"))
    }

    #[test]
    fn ipv6_addresses_of_one_64_are_one_client() {
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff:0:0:1"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
        assert_ne!(client("192.0.2.1"), client("192.0.2.2"));
    }
}

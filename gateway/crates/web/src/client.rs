//! The client of a request.

use std::hash::{Hash, Hasher};
use std::net::IpAddr;
use std::sync::Arc;

/// The client of a request, as its connection knows it.
#[derive(Debug, Clone)]
pub struct Client {
    /// Its IP address. Behind a trusted proxy it is the address that the proxy reports.
    pub address: IpAddr,
    /// Whether a trusted proxy sends the request.
    pub is_proxied: bool,
    /// The certificate of the connection, in DER, which the listener verified.
    pub certificate: Option<Arc<[u8]>>,
}

impl Client {
    /// The key by which limits count it.
    pub fn key(&self) -> ClientKey {
        ClientKey::new(self.address)
    }
}

/// The key by which limits count clients: an IPv4 address, or the /64 prefix of an IPv6 address. A
/// single host can use every address of its /64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientKey(Network);

impl ClientKey {
    /// The key of an address.
    pub fn new(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => Network {
                prefix: address.to_bits().into(),
                is_ipv6: false,
                width: 0,
            },
            IpAddr::V6(address) => Network {
                prefix: (address.to_bits() >> 64) as u64,
                is_ipv6: true,
                width: 0,
            },
        })
    }

    /// The network that is the client itself.
    pub fn network(self) -> Network {
        self.0
    }

    /// The networks that the client is in, the widest first and the client itself last.
    pub fn networks(self) -> impl Iterator<Item = Network> {
        let widest = if self.0.is_ipv6 { WIDEST } else { 0 };
        (0..=widest).rev().map(move |width| self.0.widened(width))
    }
}

/// A network that limits count: a client, or the /56 or /48 of IPv6 clients. Providers assign
/// customers a whole /56 or /48 (RFC 6177).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Network {
    /// The IPv4 address, or the first 64 bits of the IPv6 address.
    prefix: u64,
    is_ipv6: bool,
    /// 0 for a client, 1 for a /56, 2 for a /48.
    width: u8,
}

/// Hashes only the prefix, because that is fast: at most four networks have the same one.
impl Hash for Network {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.prefix);
    }
}

/// The width of a /48.
const WIDEST: u8 = 2;

impl Network {
    /// The network of this width that contains this one.
    fn widened(self, width: u8) -> Self {
        Self {
            prefix: self.prefix & (u64::MAX << (8 * width)),
            width,
            ..self
        }
    }

    /// The client, if the network is one.
    pub fn client(self) -> Option<ClientKey> {
        (self.width == 0).then_some(ClientKey(self))
    }

    /// The next wider network; `None` for the widest.
    pub fn wider(self) -> Option<Self> {
        let has_wider = self.is_ipv6 && self.width < WIDEST;
        has_wider.then(|| self.widened(self.width + 1))
    }

    /// The network as bytes, different for each one.
    pub fn to_bytes(self) -> [u8; 10] {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&self.prefix.to_be_bytes());
        bytes[8] = u8::from(self.is_ipv6);
        bytes[9] = self.width;
        bytes
    }

    /// How many times the limit of one client the network has: 4 for a /56, 16 for a /48.
    pub fn limit_factor(self) -> u8 {
        4_u8.pow(self.width.into())
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

    #[test]
    fn ipv6_clients_share_wider_networks() {
        let networks = |address| client(address).networks().collect::<Vec<_>>();
        let [a, b, c] = ["2001:db8:0:101::1", "2001:db8:0:1ff::1", "2001:db8:0:200::1"].map(networks);
        assert_eq!((a[0], a[1]), (b[0], b[1]));
        assert_ne!(a[2], b[2]);
        assert_eq!((a[0], a[0].wider()), (c[0], None));
        assert_ne!(a[1], c[1]);
        assert_eq!([a[1].wider(), a[2].wider()], [Some(a[0]), Some(a[1])]);
        let factors = a.iter().map(|network| network.limit_factor());
        assert_eq!(factors.collect::<Vec<_>>(), [16, 4, 1]);
        assert_eq!(networks("192.0.2.1"), [client("192.0.2.1").network()]);
    }
}

//! Seats: how many connections there may be, in all and of each client.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use parking_lot::Mutex;

/// Whoever is counted as one: an IPv4 address, or the /64 of an IPv6 address, within which anybody has 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Client(IpAddr);

impl Client {
    /// The client at an address.
    pub(crate) fn at(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(address.into()),
            IpAddr::V6(address) => {
                let prefix = address.to_bits() & (u128::MAX << 64);
                Self(Ipv6Addr::from_bits(prefix).into())
            }
        }
    }
}

/// The seats that are taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seats(Arc<Mutex<Taken>>);

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    /// Only those who have one, so it is no larger than `all`.
    clients: HashMap<Client, usize>,
}

/// A seat; given back when dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    seats: Seats,
    client: Option<Client>,
}

impl Seats {
    /// Takes a seat, unless so many are taken.
    pub(crate) fn take(&self, limit: usize) -> Option<Seat> {
        let mut taken = self.0.lock();
        if taken.all >= limit {
            return None;
        }
        taken.all += 1;
        Some(Seat {
            seats: self.clone(),
            client: None,
        })
    }

    /// Whether this client has fewer seats than so many.
    pub(crate) fn has_room_for(&self, client: Client, limit: usize) -> bool {
        self.0
            .lock()
            .clients
            .get(&client)
            .is_none_or(|count| *count < limit)
    }
}

impl Seat {
    /// Says who sits there. `false` if this client has so many seats besides.
    #[must_use]
    pub(crate) fn belongs_to(&mut self, client: Client, limit: usize) -> bool {
        let mut taken = self.seats.0.lock();
        let count = taken.clients.entry(client).or_default();
        if *count >= limit {
            if *count == 0 {
                taken.clients.remove(&client);
            }
            return false;
        }
        *count += 1;
        self.client = Some(client);
        true
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.0.lock();
        taken.all -= 1;
        if let Some(client) = self.client
            && let Some(count) = taken.clients.get_mut(&client)
        {
            *count -= 1;
            if *count == 0 {
                taken.clients.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Client, Seats};

    fn client(address: &str) -> Client {
        Client::at(address.parse().expect("an address"))
    }

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff:0:0:1"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
        assert_ne!(client("192.0.2.1"), client("192.0.2.2"));
    }

    #[test]
    fn seats_are_few_and_given_back() {
        let seats = Seats::default();
        let first = seats.take(2);
        let second = seats.take(2);
        assert!(first.is_some() && second.is_some() && seats.take(2).is_none());
        drop(first);
        assert!(seats.take(2).is_some());
    }

    #[test]
    fn no_client_has_more_than_its_share() {
        let seats = Seats::default();
        let mut first = seats.take(9).expect("a seat");
        assert!(first.belongs_to(client("::1"), 1));
        let mut second = seats.take(9).expect("a seat");
        assert!(!second.belongs_to(client("::2"), 1));
        drop(second);
        let mut other = seats.take(9).expect("a seat");
        assert!(other.belongs_to(client("192.0.2.1"), 1));
        drop(first);
        let mut third = seats.take(9).expect("a seat");
        assert!(third.belongs_to(client("::2"), 1));
        assert_eq!(seats.0.lock().clients.len(), 2);
        drop((third, other));
        let taken = seats.0.lock();
        assert_eq!((taken.all, taken.clients.len()), (0, 0));
    }
}

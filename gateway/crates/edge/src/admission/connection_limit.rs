//! The concurrency limit for connections, in total and per client.

use std::collections::HashMap;
use std::sync::Arc;

use colonnade_web::client::ClientKey;
use parking_lot::Mutex;

/// Counts the connections of a listener.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionLimit(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    total: usize,
    /// Contains only clients with a connection, so it has at most `total` entries.
    clients: HashMap<ClientKey, usize>,
}

/// The permit of one connection. Dropping it releases it.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    limit: ConnectionLimit,
    client: Option<ClientKey>,
}

impl ConnectionLimit {
    /// Takes a permit, unless `max` are taken.
    pub(crate) fn try_acquire(&self, max: usize) -> Option<ConnectionPermit> {
        let mut counts = self.0.lock();
        if counts.total >= max {
            return None;
        }
        counts.total += 1;
        Some(ConnectionPermit {
            limit: self.clone(),
            client: None,
        })
    }

    /// Returns whether this client has fewer than `max` permits.
    pub(crate) fn allows_client(&self, client: ClientKey, max: usize) -> bool {
        let counts = self.0.lock();
        counts.clients.get(&client).is_none_or(|count| *count < max)
    }
}

impl ConnectionPermit {
    /// Assigns the permit to a client. Returns false, and assigns nothing, if the client has `max` other
    /// permits.
    #[must_use]
    pub(crate) fn try_assign(&mut self, client: ClientKey, max: usize) -> bool {
        let mut counts = self.limit.0.lock();
        let count = counts.clients.entry(client).or_default();
        if *count >= max {
            if *count == 0 {
                counts.clients.remove(&client);
            }
            return false;
        }
        *count += 1;
        self.client = Some(client);
        true
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut counts = self.limit.0.lock();
        counts.total -= 1;
        if let Some(client) = self.client
            && let Some(count) = counts.clients.get_mut(&client)
        {
            *count -= 1;
            if *count == 0 {
                counts.clients.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use colonnade_web::client::ClientKey;

    use super::ConnectionLimit;

    fn client(address: &str) -> ClientKey {
        ClientKey::new(address.parse().expect("an address"))
    }

    #[test]
    fn connection_limit_releases_dropped_permits() {
        let limit = ConnectionLimit::default();
        let first = limit.try_acquire(2);
        let second = limit.try_acquire(2);
        assert!(first.is_some() && second.is_some() && limit.try_acquire(2).is_none());
        drop(first);
        assert!(limit.try_acquire(2).is_some());
    }

    #[test]
    fn connection_limit_per_client_rejects_excess() {
        let limit = ConnectionLimit::default();
        let mut first = limit.try_acquire(9).expect("a permit");
        assert!(first.try_assign(client("::1"), 1));
        let mut second = limit.try_acquire(9).expect("a permit");
        assert!(!second.try_assign(client("::2"), 1));
        drop(second);
        let mut other = limit.try_acquire(9).expect("a permit");
        assert!(other.try_assign(client("192.0.2.1"), 1));
        drop(first);
        let mut third = limit.try_acquire(9).expect("a permit");
        assert!(third.try_assign(client("::2"), 1));
        assert_eq!(limit.0.lock().clients.len(), 2);
        drop((third, other));
        let counts = limit.0.lock();
        assert_eq!((counts.total, counts.clients.len()), (0, 0));
    }
}

//! The idle connections of a listener, ordered by the time at which they became idle.
//!
//! At `max_connections` the longest idle connection is evicted, so that a few clients cannot take every
//! permit with idle connections. Becoming idle and becoming active each cost one operation on a sorted map.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

/// The idle connections of a listener.
#[derive(Debug, Default)]
pub(crate) struct IdleConnections {
    queue: Mutex<Queue>,
    eviction_declined: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    next_id: u64,
    /// How to ask each connection to close.
    evictions: BTreeMap<u64, Arc<Notify>>,
}

impl IdleConnections {
    /// Adds a connection that became idle. `evict` asks it to close. Returns the ID of the entry.
    pub(crate) fn insert(&self, evict: Arc<Notify>) -> u64 {
        let mut queue = self.queue.lock();
        let id = queue.next_id;
        queue.next_id += 1;
        queue.evictions.insert(id, evict);
        id
    }

    /// Removes a connection that became active or was closed.
    pub(crate) fn remove(&self, id: u64) {
        self.queue.lock().evictions.remove(&id);
    }

    /// Asks the longest idle connection to close. Returns false if none is idle.
    pub(super) fn evict_longest_idle(&self) -> bool {
        // Consumes the late decline of an earlier eviction.
        pin!(self.eviction_declined.notified()).as_mut().enable();
        let longest = self.queue.lock().evictions.pop_first();
        longest.inspect(|(_, evict)| evict.notify_one()).is_some()
    }

    /// Reports that a connection stays open because it received a request just before its eviction.
    pub(crate) fn decline_eviction(&self) {
        self.eviction_declined.notify_one();
    }

    /// Waits until a connection declines its eviction.
    pub(super) async fn eviction_declined(&self) {
        self.eviction_declined.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::sync::Notify;
    use tokio::time::timeout;

    use super::IdleConnections;

    #[tokio::test]
    async fn idle_connections_evict_longest_idle_first() {
        let idle = IdleConnections::default();
        let evictions = [(); 3].map(|()| Arc::new(Notify::new()));
        let ids = evictions.each_ref().map(|evict| idle.insert(Arc::clone(evict)));
        idle.remove(ids[0]);
        idle.insert(Arc::clone(&evictions[0]));
        for evict in [&evictions[1], &evictions[2], &evictions[0]] {
            assert!(idle.evict_longest_idle());
            evict.notified().await;
        }
        assert!(!idle.evict_longest_idle());
    }

    #[tokio::test(start_paused = true)]
    async fn idle_connections_ignore_late_decline() {
        let idle = IdleConnections::default();
        let evictions = [(); 2].map(|()| Arc::new(Notify::new()));
        for evict in &evictions {
            idle.insert(Arc::clone(evict));
        }
        assert!(idle.evict_longest_idle());
        // Too late: nothing waits for it any more.
        idle.decline_eviction();
        assert!(idle.evict_longest_idle());
        let declined = || timeout(Duration::from_secs(1), idle.eviction_declined());
        assert!(declined().await.is_err());
        idle.decline_eviction();
        assert!(declined().await.is_ok());
    }
}

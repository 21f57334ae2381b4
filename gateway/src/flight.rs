//! Work that many ask for at once, done once.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::OnceCell;

/// What is being worked out at the moment, by its key.
pub(crate) struct Flights<K, V> {
    under_way: Mutex<HashMap<K, Arc<OnceCell<V>>>>,
}

impl<K, V> Default for Flights<K, V> {
    fn default() -> Self {
        Self {
            under_way: Mutex::default(),
        }
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Flights<K, V> {
    /// The outcome of `work`; whoever asks for the same key meanwhile gets the same outcome. Whoever leaves while it
    /// is under way leaves it to the next.
    pub(crate) async fn run(&self, key: &K, work: impl Future<Output = V>) -> V {
        let flight = Arc::clone(self.under_way.lock().entry(key.clone()).or_default());
        let _aboard = Aboard {
            flights: self,
            key,
            flight: &flight,
        };
        flight.get_or_init(|| work).await.clone()
    }
}

/// Somebody who waits for an outcome. Who has it, or is the last to leave without it, takes the key away.
struct Aboard<'a, K: Clone + Eq + Hash, V: Clone> {
    flights: &'a Flights<K, V>,
    key: &'a K,
    flight: &'a Arc<OnceCell<V>>,
}

impl<K: Clone + Eq + Hash, V: Clone> Drop for Aboard<'_, K, V> {
    fn drop(&mut self) {
        let mut under_way = self.flights.under_way.lock();
        let is_present = |there: &Arc<_>| Arc::ptr_eq(there, self.flight);
        // Theirs and that of the map; others get one only under this lock.
        let is_last = Arc::strong_count(self.flight) <= 2;
        if (self.flight.initialized() || is_last) && under_way.get(self.key).is_some_and(is_present) {
            under_way.remove(self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::Flights;

    #[tokio::test(start_paused = true)]
    async fn what_is_asked_for_at_once_is_done_once() {
        let flights = Arc::new(Flights::default());
        let runs = Arc::new(AtomicU32::new(0));
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..10 {
            let (flights, runs) = (Arc::clone(&flights), Arc::clone(&runs));
            tasks.spawn(async move {
                let work = async {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    runs.fetch_add(1, Ordering::SeqCst)
                };
                flights.run(&"key", work).await
            });
        }
        assert_eq!(tasks.join_all().await, [0; 10]);
        assert_eq!(flights.run(&"key", async { 7 }).await, 7);
        assert!(flights.under_way.lock().is_empty());
    }
    #[tokio::test(start_paused = true)]
    async fn what_is_given_up_leaves_nothing_behind_and_can_be_done_by_the_next() {
        let flights = Arc::new(Flights::<&str, u32>::default());
        let never = std::future::pending::<u32>();
        let given_up = tokio::time::timeout(Duration::from_secs(1), flights.run(&"key", never));
        let next = tokio::time::timeout(Duration::from_secs(2), async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            flights.run(&"key", async { 7 }).await
        });
        let (given_up, next) = tokio::join!(given_up, next);
        assert!(given_up.is_err());
        assert_eq!(next, Ok(7));
        let alone = flights.run(&"other", std::future::pending::<u32>());
        assert!(tokio::time::timeout(Duration::from_secs(1), alone).await.is_err());
        assert!(flights.under_way.lock().is_empty());
    }
}

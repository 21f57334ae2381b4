//! Work that many ask for at once, done once.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

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
        let flight = {
            let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(under_way.entry(key.clone()).or_default())
        };
        let outcome = flight.get_or_init(|| work).await.clone();
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if under_way
            .get(key)
            .is_some_and(|present| Arc::ptr_eq(present, &flight))
        {
            under_way.remove(key);
        }
        outcome
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
        assert!(flights.under_way.lock().unwrap().is_empty());
    }
}

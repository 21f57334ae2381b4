//! Request coalescing: concurrent requests for the same key share one computation (singleflight).

use std::future::Future;
use std::hash::Hash;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::HashMap;
use parking_lot::Mutex;
use tokio::sync::OnceCell;
use tokio::task::{JoinError, JoinHandle};

use crate::request_scope;

/// The computations in progress, by key.
pub struct RequestCoalescer<K, V> {
    in_progress: Mutex<HashMap<K, Arc<OnceCell<V>>>>,
}

impl<K, V> Default for RequestCoalescer<K, V> {
    fn default() -> Self {
        Self {
            in_progress: Mutex::default(),
        }
    }
}

impl<K: Clone + Eq + Hash, V: Clone> RequestCoalescer<K, V> {
    /// Runs `work`, or waits for the outcome of work in progress for the same key. If the future
    /// that runs the work is dropped, one of those that wait runs its own `work` instead.
    pub async fn run(&self, key: &K, work: impl Future<Output = V>) -> V {
        let cell = Arc::clone(self.in_progress.lock().entry(key.clone()).or_default());
        let _waiter = Waiter {
            coalescer: self,
            key,
            cell: &cell,
        };
        cell.get_or_init(|| work).await.clone()
    }
}

impl<K, V> RequestCoalescer<K, V>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// Like `run`, in a task of the current request: work that has begun finishes even if every
    /// caller is dropped, and later requests wait for its outcome.
    pub fn start(self: &Arc<Self>, key: K, work: impl Future<Output = V> + Send + 'static) -> Started<V> {
        let has_begun = Arc::new(AtomicBool::new(false));
        let (coalescer, is_running) = (Arc::clone(self), Arc::clone(&has_begun));
        let task = request_scope::spawn(async move {
            let work = async {
                is_running.store(true, Ordering::Relaxed);
                work.await
            };
            coalescer.run(&key, work).await
        });
        Started { task, has_begun }
    }
}

/// A task that runs work, or waits. If it is dropped, a task that waits ends.
pub struct Started<V> {
    task: JoinHandle<V>,
    has_begun: Arc<AtomicBool>,
}

impl<V> Started<V> {
    /// The outcome; `None` if the runtime shuts down first. If the work panics, so does the current
    /// task.
    pub async fn outcome(mut self) -> Option<V> {
        match (&mut self.task).await.map_err(JoinError::try_into_panic) {
            Ok(outcome) => Some(outcome),
            Err(Ok(panic)) => resume_unwind(panic),
            Err(Err(_)) => None,
        }
    }
}

impl<V> Drop for Started<V> {
    fn drop(&mut self) {
        if !self.has_begun.load(Ordering::Relaxed) {
            self.task.abort();
        }
    }
}

/// One request that waits for an outcome. Dropping it removes the key if the outcome is there or no
/// request waits for it any more.
struct Waiter<'a, K: Clone + Eq + Hash, V: Clone> {
    coalescer: &'a RequestCoalescer<K, V>,
    key: &'a K,
    cell: &'a Arc<OnceCell<V>>,
}

impl<K: Clone + Eq + Hash, V: Clone> Drop for Waiter<'_, K, V> {
    fn drop(&mut self) {
        let mut in_progress = self.coalescer.in_progress.lock();
        let is_own = |current: &Arc<_>| Arc::ptr_eq(current, self.cell);
        // The two references are this waiter's and the map's. Others are made only under this lock.
        let is_last = Arc::strong_count(self.cell) <= 2;
        if (self.cell.initialized() || is_last) && in_progress.get(self.key).is_some_and(is_own) {
            in_progress.remove(self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::RequestCoalescer;

    #[tokio::test(start_paused = true)]
    async fn concurrent_requests_for_one_key_run_work_once() {
        let coalescer = Arc::new(RequestCoalescer::default());
        let runs = Arc::new(AtomicU32::new(0));
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..10 {
            let (coalescer, runs) = (Arc::clone(&coalescer), Arc::clone(&runs));
            tasks.spawn(async move {
                let work = async {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    runs.fetch_add(1, Ordering::SeqCst)
                };
                coalescer.run(&"key", work).await
            });
        }
        assert_eq!(tasks.join_all().await, [0; 10]);
        assert_eq!(coalescer.run(&"key", async { 7 }).await, 7);
        assert!(coalescer.in_progress.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn canceled_work_is_run_by_next_waiter() {
        let coalescer = Arc::new(RequestCoalescer::<&str, u32>::default());
        let never = std::future::pending::<u32>();
        let canceled = tokio::time::timeout(Duration::from_secs(1), coalescer.run(&"key", never));
        let next = tokio::time::timeout(Duration::from_secs(2), async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            coalescer.run(&"key", async { 7 }).await
        });
        let (canceled, next) = tokio::join!(canceled, next);
        assert!(canceled.is_err());
        assert_eq!(next, Ok(7));
        let alone = coalescer.run(&"other", std::future::pending::<u32>());
        assert!(tokio::time::timeout(Duration::from_secs(1), alone).await.is_err());
        assert!(coalescer.in_progress.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn started_work_outlives_its_request() {
        let coalescer = Arc::new(RequestCoalescer::default());
        let work = |outcome: u32| async move {
            tokio::time::sleep(Duration::from_secs(10)).await;
            outcome
        };
        for outcome in 1..5 {
            let left = coalescer.start("key", work(outcome)).outcome();
            let left = tokio::time::timeout(Duration::from_secs(1), left);
            assert!(left.await.is_err());
        }
        assert_eq!(coalescer.start("key", work(5)).outcome().await, Some(1));
        assert_eq!(coalescer.start("key", work(6)).outcome().await, Some(6));
        assert!(coalescer.in_progress.lock().is_empty());
    }
}

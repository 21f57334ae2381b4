//! The limit of concurrent calls to a backend. Unlike a semaphore's, it can be lowered while permits are held.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the permits that are held.
#[derive(Debug, Default)]
pub struct ConcurrencyLimit(Arc<AtomicUsize>);

/// A permit, released on drop.
#[derive(Debug)]
pub struct CallPermit(Arc<AtomicUsize>);

impl ConcurrencyLimit {
    /// Takes a permit if fewer than `max` are held.
    pub fn try_acquire(&self, max: usize) -> Option<CallPermit> {
        // The counter synchronizes no other data.
        let order = Ordering::Relaxed;
        let acquired = self
            .0
            .fetch_update(order, order, |count| (count < max).then_some(count + 1));
        acquired.ok().map(|_| CallPermit(Arc::clone(&self.0)))
    }
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::ConcurrencyLimit;

    #[test]
    fn concurrency_limit_follows_changed_maximum() {
        let limit = ConcurrencyLimit::default();
        let first = limit.try_acquire(1).expect("a permit");
        assert!(limit.try_acquire(1).is_none());
        let second = limit.try_acquire(2).expect("a permit");
        drop(first);
        // The maximum was lowered to the number of permits that are held.
        assert!(limit.try_acquire(1).is_none());
        drop(second);
        assert!(limit.try_acquire(1).is_some());
    }
}

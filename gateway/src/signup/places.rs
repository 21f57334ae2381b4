//! How many sign-ups may wait for the backend at a time.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts those that wait.
#[derive(Debug, Default)]
pub(super) struct Places(AtomicUsize);

/// One of them, until it is dropped.
#[derive(Debug)]
pub(super) struct Place<'a>(&'a AtomicUsize);

impl Places {
    /// A place, if fewer than `most` are taken.
    pub(super) fn take(&self, most: usize) -> Option<Place<'_>> {
        // Nothing else is to be seen with it.
        let order = Ordering::Relaxed;
        let taken = self
            .0
            .fetch_update(order, order, |taken| (taken < most).then_some(taken + 1));
        taken.ok().map(|_| Place(&self.0))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn there_are_as_many_as_are_allowed_at_the_time() {
        let places = Places::default();
        let one = places.take(1).expect("a place");
        assert!(places.take(1).is_none());
        let two = places.take(2).expect("a place");
        drop(one);
        // Fewer are allowed by now than are taken.
        assert!(places.take(1).is_none());
        drop(two);
        assert!(places.take(1).is_some());
    }
}

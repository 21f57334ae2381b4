//! The connections of a listener on which nothing is asked and nothing answered, in the order in which they fell idle.
//!
//! Where all places are taken, the one that has been idle longest makes room: else a few dozen addresses could hold every
//! place by asking nothing. Falling idle and being woken cost a step in a sorted map each, however many there are.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

/// The idle connections of a listener.
#[derive(Debug, Default)]
pub(super) struct Idle {
    queue: Mutex<Queue>,
    declined: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    next: u64,
    /// How each is told to leave.
    waiting: BTreeMap<u64, Arc<Notify>>,
}

impl Idle {
    /// A connection falls idle. `leave` is how it is told to leave; what comes back is where it stands.
    pub(super) fn enter(&self, leave: Arc<Notify>) -> u64 {
        let mut queue = self.queue.lock();
        let place = queue.next;
        queue.next += 1;
        queue.waiting.insert(place, leave);
        place
    }

    /// A connection is idle no more, or has ended.
    pub(super) fn remove(&self, place: u64) {
        self.queue.lock().waiting.remove(&place);
    }

    /// Tells the connection that has been idle longest to leave. `false` if none is idle.
    pub(super) fn dismiss(&self) -> bool {
        // Whoever was told before, waited for in vain, and stays: that says nothing of the next one.
        pin!(self.declined.notified()).as_mut().enable();
        let longest = self.queue.lock().waiting.pop_first();
        longest.inspect(|(_, leave)| leave.notify_one()).is_some()
    }

    /// A connection that was told to leave was asked something just before, and stays.
    pub(super) fn decline(&self) {
        self.declined.notify_one();
    }

    /// Waits until one that was told to leave stays.
    pub(super) async fn declined(&self) {
        self.declined.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::sync::Notify;
    use tokio::time::timeout;

    use super::Idle;

    #[tokio::test]
    async fn who_has_been_idle_longest_is_told_to_leave() {
        let idle = Idle::default();
        let all = [(); 3].map(|()| Arc::new(Notify::new()));
        let places = all.each_ref().map(|leave| idle.enter(Arc::clone(leave)));
        idle.remove(places[0]);
        idle.enter(Arc::clone(&all[0]));
        for leave in [&all[1], &all[2], &all[0]] {
            assert!(idle.dismiss());
            leave.notified().await;
        }
        assert!(!idle.dismiss());
    }

    #[tokio::test(start_paused = true)]
    async fn who_stays_too_late_is_not_taken_for_the_next_one_who_was_told_to_leave() {
        let idle = Idle::default();
        let all = [(); 2].map(|()| Arc::new(Notify::new()));
        for leave in &all {
            idle.enter(Arc::clone(leave));
        }
        assert!(idle.dismiss());
        // Nobody waits for it by now.
        idle.decline();
        assert!(idle.dismiss());
        let declined = || timeout(Duration::from_secs(1), idle.declined());
        assert!(declined().await.is_err());
        idle.decline();
        assert!(declined().await.is_ok());
    }
}

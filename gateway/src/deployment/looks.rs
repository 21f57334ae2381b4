//! Looking at the store because somebody asks, and not more often than it can bear, however many ask.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

/// The least time from the beginning of one look to that of the next.
const PAUSE: Duration = Duration::from_millis(50);

/// The looks so far.
#[derive(Default)]
pub(super) struct Looks {
    begun: AtomicU64,
    /// Held by whoever looks; the others wait, and most of them find that it was done for them.
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    /// When the last one began.
    began: Option<Instant>,
    /// The last one that came to its end: one is given up when the request goes away that it was for.
    ended: u64,
}

impl Looks {
    /// Comes back once a look has ended that began after this was called, by this `look` or by another's.
    pub(super) async fn after_now(&self, look: impl AsyncFnOnce()) {
        let before = self.begun.load(Ordering::SeqCst);
        let mut last = self.last.lock().await;
        if last.ended > before {
            return;
        }
        if let Some(began) = last.began {
            sleep_until(began + PAUSE).await;
        }
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        last.began = Some(Instant::now());
        look().await;
        last.ended = number;
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU32;

    use tokio::task::JoinSet;
    use tokio::time::timeout;

    use super::*;

    /// What is looked at: what is there, and how often it was looked at.
    #[derive(Default)]
    struct Sight {
        there: AtomicU32,
        seen: AtomicU32,
        looks: AtomicU32,
    }

    impl Sight {
        async fn ask(&self, looks: &Looks) -> u32 {
            looks
                .after_now(async || {
                    self.looks.fetch_add(1, Ordering::SeqCst);
                    let there = self.there.load(Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    self.seen.store(there, Ordering::SeqCst);
                })
                .await;
            self.seen.load(Ordering::SeqCst)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn many_who_ask_share_a_look() {
        let (looks, sight) = (Arc::new(Looks::default()), Arc::new(Sight::default()));
        let mut asking = JoinSet::new();
        for _ in 0..1000 {
            let (looks, sight) = (Arc::clone(&looks), Arc::clone(&sight));
            asking.spawn(async move { sight.ask(&looks).await });
        }
        asking.join_all().await;
        assert!(sight.looks.load(Ordering::SeqCst) <= 2);
    }

    #[tokio::test(start_paused = true)]
    async fn one_who_asks_again_and_again_waits_in_between() {
        let (looks, sight) = (Looks::default(), Sight::default());
        let start = Instant::now();
        for _ in 0..21 {
            sight.ask(&looks).await;
        }
        assert_eq!(start.elapsed(), PAUSE * 20);
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_during_a_look_waits_for_the_next() {
        let (looks, sight) = (Looks::default(), Sight::default());
        let later = async {
            // The other look has seen what there is, and has not ended.
            sight.there.store(1, Ordering::SeqCst);
            sight.ask(&looks).await
        };
        let (_, later) = tokio::join!(biased; sight.ask(&looks), later);
        assert_eq!((later, sight.looks.load(Ordering::SeqCst)), (1, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_look_that_was_given_up_counts_for_nobody_but_makes_the_next_wait() {
        let (looks, sight) = (Looks::default(), Sight::default());
        let start = Instant::now();
        sight.ask(&looks).await;
        sight.there.store(1, Ordering::SeqCst);
        // It begins after the pause, and is given up in the middle of the next one, with the other asking since before.
        let given_up = timeout(PAUSE * 3 / 2, looks.after_now(async || pending().await));
        let (given_up, seen) = tokio::join!(biased; given_up, sight.ask(&looks));
        assert!(given_up.is_err());
        assert_eq!((seen, start.elapsed()), (1, PAUSE * 2));
    }
}

//! Measures how long a client makes too little progress: the minimum data rate.

use std::time::Duration;

use colonnade_clock::poll;
use tokio::time::Instant;

/// Counts the time spent waiting for the client, not the time the gateway itself needs, except
/// within one poll. Starts over once enough bytes were moved, so sending a byte now and then gains
/// a client nothing.
#[derive(Debug, Default)]
pub(crate) struct StallTimer {
    waited: Duration,
    since: Option<Instant>,
    moved: u64,
}

impl StallTimer {
    /// The gateway begins to wait for the client, or continues to.
    pub(crate) fn wait(&mut self) {
        self.since.get_or_insert_with(poll::now);
    }

    /// The wait ends with this many bytes. The timer starts over after `min_bytes`.
    pub(crate) fn moved(&mut self, bytes: usize, min_bytes: u64) {
        if let Some(since) = self.since.take() {
            self.waited += poll::now().duration_since(since);
        }
        self.moved = self.moved.saturating_add(bytes as u64);
        if self.moved >= min_bytes {
            *self = Self::default();
        }
    }

    /// Returns whether the gateway waits for the client.
    pub(crate) fn is_waiting(&self) -> bool {
        self.since.is_some()
    }

    /// Returns when the client will have been waited for longer than `timeout`, if it is being
    /// waited for.
    pub(crate) fn deadline(&self, timeout: Duration) -> Option<Instant> {
        Some(self.since? + timeout.saturating_sub(self.waited))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, advance};

    use super::StallTimer;

    const SECOND: Duration = Duration::from_secs(1);
    const TIMEOUT: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn stall_timer_counts_only_waiting_time() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut timer = StallTimer::default();
        assert_eq!(timer.deadline(TIMEOUT), None);
        timer.wait();
        advance(SECOND).await;
        timer.wait();
        assert_eq!(timer.deadline(TIMEOUT), Some(at(10)));
        advance(3 * SECOND).await;
        timer.moved(1, 100);
        assert_eq!(timer.deadline(TIMEOUT), None);
        advance(96 * SECOND).await;
        timer.wait();
        assert_eq!(timer.deadline(TIMEOUT), Some(at(106)));
    }

    #[tokio::test(start_paused = true)]
    async fn stall_timer_restarts_only_after_min_bytes() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut timer = StallTimer::default();
        for _ in 0..5 {
            timer.wait();
            advance(SECOND).await;
            timer.moved(10, 60);
        }
        timer.wait();
        assert_eq!(timer.deadline(TIMEOUT), Some(at(10)));
        advance(SECOND).await;
        timer.moved(10, 60);
        timer.wait();
        assert_eq!(timer.deadline(TIMEOUT), Some(at(16)));
    }
}

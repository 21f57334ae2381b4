//! How long a client has been waited for since it last made progress.

use std::time::Duration;

use tokio::time::Instant;

/// Counts the time that is spent waiting for a client, not that in which the gateway itself is busy, and forgets it
/// with every so many bytes. So who moves a byte now and then is no better off than who moves none.
#[derive(Debug, Default)]
pub(super) struct Pace {
    waited: Duration,
    since: Option<Instant>,
    moved: u64,
}

impl Pace {
    /// From now on the client is waited for.
    pub(super) fn wait(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    /// So many bytes were moved; with `enough` of them the client has made progress.
    pub(super) fn moved(&mut self, bytes: usize, enough: u64, now: Instant) {
        if let Some(since) = self.since.take() {
            self.waited += now.saturating_duration_since(since);
        }
        self.moved = self.moved.saturating_add(bytes as u64);
        if self.moved >= enough {
            *self = Self::default();
        }
    }

    /// Whether the client is waited for.
    pub(super) fn is_waiting(&self) -> bool {
        self.since.is_some()
    }

    /// When the client will have been waited for too long, if it is waited for at all.
    pub(super) fn deadline(&self, allowed: Duration) -> Option<Instant> {
        Some(self.since? + allowed.saturating_sub(self.waited))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::Pace;

    const ALLOWED: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn only_time_spent_waiting_counts() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut pace = Pace::default();
        assert_eq!(pace.deadline(ALLOWED), None);
        pace.wait(at(0));
        pace.wait(at(1));
        assert_eq!(pace.deadline(ALLOWED), Some(at(10)));
        pace.moved(1, 100, at(4));
        assert_eq!(pace.deadline(ALLOWED), None);
        pace.wait(at(100));
        assert_eq!(pace.deadline(ALLOWED), Some(at(106)));
    }

    #[tokio::test(start_paused = true)]
    async fn enough_bytes_make_up_for_it_and_fewer_do_not() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut pace = Pace::default();
        for second in 0..5 {
            pace.wait(at(second));
            pace.moved(10, 60, at(second + 1));
        }
        pace.wait(at(5));
        assert_eq!(pace.deadline(ALLOWED), Some(at(10)));
        pace.moved(10, 60, at(6));
        pace.wait(at(6));
        assert_eq!(pace.deadline(ALLOWED), Some(at(16)));
    }
}

//! Counts calls and failures over a sliding window.

use std::time::Duration;

use tokio::time::Instant;

/// The number of parts of the window. The oldest one is forgotten at a time, so that the window is up to a tenth shorter.
const PARTS: usize = 10;

/// The counts of a window.
#[derive(Debug)]
pub(crate) struct FailureWindow {
    parts: [Counts; PARTS],
    current: usize,
    /// When the current part began.
    began: Instant,
    total: Counts,
}

/// Calls, and how many of them failed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) calls: u64,
    pub(crate) failures: u64,
}

impl FailureWindow {
    /// An empty window.
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            parts: [Counts::default(); PARTS],
            current: 0,
            began: now,
            total: Counts::default(),
        }
    }

    /// Counts a call. Returns the counts of the last `length`.
    pub(crate) fn add(&mut self, now: Instant, length: Duration, is_failure: bool) -> Counts {
        self.advance(now, length / 10);
        for counts in [&mut self.parts[self.current], &mut self.total] {
            counts.calls += 1;
            counts.failures += u64::from(is_failure);
        }
        self.total
    }

    /// Forgets the parts that are too old.
    fn advance(&mut self, now: Instant, part: Duration) {
        for _ in 0..PARTS {
            if now.saturating_duration_since(self.began) < part {
                return;
            }
            self.began += part;
            self.current = (self.current + 1) % PARTS;
            let oldest = std::mem::take(&mut self.parts[self.current]);
            self.total.calls -= oldest.calls;
            self.total.failures -= oldest.failures;
        }
        // All of them.
        self.began = now;
    }
}

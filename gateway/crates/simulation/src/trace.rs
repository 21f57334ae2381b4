//! What happened in a run, in order.

use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use parking_lot::Mutex;
use tokio::time::Instant;

/// The events of a run.
#[derive(Debug)]
pub(crate) struct Trace {
    start: Instant,
    lines: Mutex<Vec<String>>,
}

impl Trace {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            lines: Mutex::default(),
        }
    }

    /// Adds an event.
    pub(crate) fn add(&self, who: &dyn fmt::Display, what: fmt::Arguments<'_>) {
        let time = self.start.elapsed().as_millis();
        let line = format!("{:>7}.{:03} {who:<8} {what}", time / 1000, time % 1000);
        self.lines.lock().push(line);
    }

    /// Equal for equal runs.
    pub(crate) fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.lines.lock().hash(&mut hasher);
        hasher.finish()
    }

    /// The last events.
    pub(crate) fn last(&self, count: usize) -> String {
        let lines = self.lines.lock();
        lines[lines.len().saturating_sub(count)..].join("\n")
    }
}

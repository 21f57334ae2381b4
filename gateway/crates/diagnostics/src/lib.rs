//! Diagnostics of sections: the error log, the section log, the traffic and the metrics.
//!
//! Each gateway process keeps them in memory. They are bounded, and the oldest entries are dropped
//! first.

mod error_class;
mod error_log;
mod section_log;
mod section_metrics;
mod traffic;

pub use error_class::ErrorClass;
pub use error_log::{ErrorEntry, ErrorLog, ErrorSource, ObservedError};
pub use section_log::{LogEntry, LogEntryKind, NewLogEntry, SectionLog, TrialAction};
pub use section_metrics::{SectionMetrics, SectionRequest};
pub use traffic::{MAX_MINUTES, Traffic, TrafficPoint, TrafficSeries, current_minute};

use jiff::Timestamp;

/// The error log, the section log, the traffic and the metrics of sections of one gateway process.
#[derive(Debug)]
pub struct Diagnostics {
    /// When they start.
    pub since: Timestamp,
    /// Errors of renders and browsers.
    pub errors: ErrorLog,
    /// Publishes, trial renders and changes.
    pub log: SectionLog,
    /// Requests for pages, by minute.
    pub traffic: Traffic,
    /// The metrics of each section.
    pub metrics: SectionMetrics,
}

impl Diagnostics {
    /// Starts empty, with these metrics.
    pub fn new(metrics: SectionMetrics) -> Self {
        let since = colonnade_clock::now();
        Self {
            since,
            errors: ErrorLog::default(),
            log: SectionLog::starting_at(since),
            traffic: Traffic::default(),
            metrics,
        }
    }
}

impl Default for Diagnostics {
    fn default() -> Self {
        Self::new(SectionMetrics::default())
    }
}

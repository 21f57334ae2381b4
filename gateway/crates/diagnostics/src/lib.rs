//! Diagnostics of sections: the error log, the section log and the traffic.
//!
//! Each gateway process keeps them in memory. They are bounded, and the oldest entries are dropped
//! first.

mod error_class;
mod error_log;
mod section_log;
mod traffic;

pub use error_class::ErrorClass;
pub use error_log::{ErrorEntry, ErrorLog, ErrorSource, ObservedError};
pub use section_log::{LogEntry, LogEntryKind, NewLogEntry, SectionLog, TrialAction};
pub use traffic::{MAX_MINUTES, Traffic, TrafficPoint, TrafficSeries, current_minute};

use jiff::Timestamp;

/// The error log, the section log and the traffic of one gateway process.
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
}

impl Default for Diagnostics {
    fn default() -> Self {
        let since = colonnade_clock::now();
        Self {
            since,
            errors: ErrorLog::default(),
            log: SectionLog::starting_at(since),
            traffic: Traffic::default(),
        }
    }
}

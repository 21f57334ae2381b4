//! Diagnostics for section teams: the error log and the section log.
//!
//! Each gateway process keeps them in memory. Both logs are bounded, and the oldest entries are dropped first.

mod error_class;
mod error_log;
mod section_log;

pub use error_class::ErrorClass;
pub use error_log::{ErrorEntry, ErrorLog, ErrorSource, ObservedError};
pub use section_log::{LogEntry, LogEntryKind, NewLogEntry, SectionLog, TrialAction};

use jiff::Timestamp;

/// The error log and the section log of one gateway process.
#[derive(Debug)]
pub struct Diagnostics {
    /// The start of both logs.
    pub since: Timestamp,
    /// Errors of renders and browsers.
    pub errors: ErrorLog,
    /// Publishes, trial renders and changes.
    pub log: SectionLog,
}

impl Default for Diagnostics {
    fn default() -> Self {
        let since = colonnade_clock::now();
        Self {
            since,
            errors: ErrorLog::default(),
            log: SectionLog::starting_at(since),
        }
    }
}

//! What section teams see of production: recent errors of their releases, and the section log.
//!
//! Each gateway process keeps them in memory. Both logs are bounded, and the oldest entries are dropped first.

mod error_class;
mod error_log;
mod section_log;

pub use error_class::ErrorClass;
pub use error_log::{ErrorEntry, ErrorLog, ErrorSource, ObservedError};
pub use section_log::{LogEntry, LogEntryKind, NewLogEntry, SectionLog};

use jiff::Timestamp;

/// The error log and the section log of one gateway process.
#[derive(Debug)]
pub struct Diagnostics {
    /// When they began to be recorded.
    pub since: Timestamp,
    /// Errors that visitors' requests and browsers met.
    pub errors: ErrorLog,
    /// What happened to releases.
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

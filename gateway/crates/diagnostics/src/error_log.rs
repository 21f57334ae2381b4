//! The error log: counts of visitors' errors by release, page, cause, class and position.
//!
//! An entry has no message, path or address, because these may contain personal data. A position is
//! a file of the release and two numbers.

use std::collections::VecDeque;

use jiff::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;
use utoipa::ToSchema;

use colonnade_model::release::{PointReference, ReleaseId};
use colonnade_model::schema::{Name, Version};

use crate::ErrorClass;

/// The maximum number of entries of each source. Anyone can send a browser's report, so reports
/// must not evict errors that the gateway observed.
const MAX_ENTRIES: usize = 500;

/// The maximum number of positions of errors that are equal otherwise. Errors elsewhere count
/// without a position, so that forged reports with many positions evict few other entries.
const MAX_POSITIONS: usize = 10;

/// Who observed an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ErrorSource {
    /// The gateway, while it rendered a page for a visitor.
    Gateway,
    /// A browser, in a client error report.
    Browser,
}

/// An observed error. Equal errors share an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedError {
    /// The release that failed.
    pub release: ReleaseId,
    /// The pattern of the page; `None` for an extension, the not-found page, or a report that names no
    /// page.
    pub page: Option<String>,
    /// The point of an extension.
    pub extension_point: Option<PointReference>,
    /// Who observed it.
    pub source: ErrorSource,
    /// What failed.
    pub cause: &'static str,
    /// The error's class, if an error was thrown.
    pub class: Option<ErrorClass>,
    /// Where it was thrown, if that is known: in the section's server module, such as `section:1:234`,
    /// or in a file for browsers, such as `client/state.js:2:345`.
    pub position: Option<String>,
}

/// Equal errors of one release.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorEntry {
    /// The section, or `shell`.
    #[schema(value_type = Name)]
    pub section: String,
    /// The version of its release.
    #[schema(value_type = Version)]
    pub version: String,
    /// The pattern of the page; null for an extension, the not-found page, or a report that names no
    /// page.
    #[schema(required)]
    pub page: Option<String>,
    /// The point of an extension, such as `directory/city-aside@1`; null if it was none.
    #[schema(required, value_type = Option<String>)]
    pub extension_point: Option<PointReference>,
    /// Who observed the errors.
    pub source: ErrorSource,
    /// What failed: `load` or `render` in a browser, otherwise the outcome of a render.
    #[schema(value_type = String)]
    pub cause: &'static str,
    /// The class of the error; null if no error was thrown, such as for a limit.
    #[schema(required)]
    pub class: Option<ErrorClass>,
    /// The line and column where the error was thrown, from 1: in the section's server module, such as
    /// `section:1:234`, or in a file of the release for browsers, such as `client/state.js:2:345`. Null if
    /// the position is unknown.
    #[schema(required, pattern = "^(section|client/[A-Za-z0-9_.~@+/-]+):[0-9]+:[0-9]+$")]
    pub position: Option<String>,
    /// How often the error was observed.
    #[schema(minimum = 1)]
    pub count: u64,
    /// When the error was first observed.
    #[schema(value_type = String, format = DateTime)]
    pub first_seen: Timestamp,
    /// When the error was last observed.
    #[schema(value_type = String, format = DateTime)]
    pub last_seen: Timestamp,
}

/// The observed errors. If the log is full, the least recently observed entry is dropped.
#[derive(Debug, Default)]
pub struct ErrorLog {
    gateway: Entries,
    browser: Entries,
}

/// The entries of one source, the most recently seen last.
#[derive(Debug, Default)]
struct Entries(Mutex<VecDeque<(ObservedError, Tally)>>);

#[derive(Debug, Clone, Copy)]
struct Tally {
    count: u64,
    first_seen: Timestamp,
    last_seen: Timestamp,
}

impl ObservedError {
    /// What is equal in errors that differ at most in their positions.
    fn kind(&self) -> impl PartialEq + '_ {
        (
            &self.release,
            &self.page,
            &self.extension_point,
            self.source,
            self.cause,
            &self.class,
        )
    }
}

impl ErrorLog {
    /// Counts an error.
    pub fn record(&self, error: ObservedError) {
        let entries = match error.source {
            ErrorSource::Gateway => &self.gateway,
            ErrorSource::Browser => &self.browser,
        };
        entries.record(error);
    }

    /// The entries of a section, the most recently seen first.
    pub fn of_section(&self, section: &str) -> Vec<ErrorEntry> {
        let mut entries = self.gateway.of_section(section);
        entries.append(&mut self.browser.of_section(section));
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.last_seen));
        entries
    }
}

impl Entries {
    fn record(&self, mut error: ObservedError) {
        let now = colonnade_clock::now();
        let mut entries = self.0.lock();
        let is_elsewhere = |known: &ObservedError| {
            known.position.is_some() && known.position != error.position && known.kind() == error.kind()
        };
        if entries.iter().filter(|(known, _)| is_elsewhere(known)).count() >= MAX_POSITIONS {
            error.position = None;
        }
        let found = entries.iter().position(|(known, _)| *known == error);
        let earlier = found.and_then(|index| entries.remove(index));
        if entries.len() == MAX_ENTRIES {
            entries.pop_front();
        }
        let (count, first_seen) = earlier.map_or((0, now), |(_, tally)| (tally.count, tally.first_seen));
        let tally = Tally {
            count: count + 1,
            first_seen,
            last_seen: now,
        };
        entries.push_back((error, tally));
    }

    fn of_section(&self, section: &str) -> Vec<ErrorEntry> {
        let entries = self.0.lock();
        let of_section = entries
            .iter()
            .rev()
            .filter(|(error, _)| error.release.name == section);
        of_section
            .map(|(error, tally)| entry(error.clone(), *tally))
            .collect()
    }
}

fn entry(error: ObservedError, tally: Tally) -> ErrorEntry {
    let ReleaseId { name, version } = error.release;
    ErrorEntry {
        section: name,
        version,
        page: error.page,
        extension_point: error.extension_point,
        source: error.source,
        cause: error.cause,
        class: error.class,
        position: error.position,
        count: tally.count,
        first_seen: tally.first_seen,
        last_seen: tally.last_seen,
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorLog, ErrorSource, MAX_ENTRIES, MAX_POSITIONS, ObservedError};
    use crate::ErrorClass;
    use colonnade_model::release::ReleaseId;

    fn error(version: usize, source: ErrorSource) -> ObservedError {
        ObservedError {
            release: ReleaseId {
                name: "hello".to_owned(),
                version: format!("1.0.{version}"),
            },
            page: Some("/hello".to_owned()),
            extension_point: None,
            source,
            cause: "render",
            class: ErrorClass::parse("TypeError"),
            position: None,
        }
    }

    #[test]
    fn full_log_drops_least_recently_seen_of_same_source() {
        let log = ErrorLog::default();
        log.record(error(0, ErrorSource::Gateway));
        for version in 0..MAX_ENTRIES {
            log.record(error(version, ErrorSource::Browser));
        }
        // 1.0.0 is observed again, so 1.0.1 is the least recently observed entry.
        log.record(error(0, ErrorSource::Browser));
        log.record(error(MAX_ENTRIES, ErrorSource::Browser));
        let entries = log.of_section("hello");
        assert_eq!(entries.len(), MAX_ENTRIES + 1);
        let counts = |version: &str| -> Vec<u64> {
            let of_version = entries.iter().filter(|entry| entry.version == version);
            of_version.map(|entry| entry.count).collect()
        };
        assert_eq!(counts("1.0.1"), [0; 0]);
        let mut first = counts("1.0.0");
        first.sort_unstable();
        assert_eq!(first, [1, 2]);
    }

    #[test]
    fn errors_at_too_many_positions_count_without_one() {
        let log = ErrorLog::default();
        let at = |line: usize| ObservedError {
            position: Some(format!("client/page.js:{line}:1")),
            ..error(0, ErrorSource::Browser)
        };
        for line in 0..MAX_POSITIONS + 5 {
            log.record(at(line));
        }
        log.record(at(0));
        // Another release has positions of its own.
        log.record(ObservedError {
            release: error(1, ErrorSource::Browser).release,
            ..at(MAX_POSITIONS)
        });
        let entries = log.of_section("hello");
        assert_eq!(entries.len(), MAX_POSITIONS + 2);
        let count_at = |position: Option<&str>| {
            let found = entries.iter().find(|entry| entry.position.as_deref() == position);
            found.map(|entry| entry.count)
        };
        assert_eq!(
            [None, Some("client/page.js:0:1"), Some("client/page.js:10:1")].map(count_at),
            [Some(5), Some(2), Some(1)]
        );
    }
}

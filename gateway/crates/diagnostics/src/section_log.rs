//! The section log: recent publishes, trial renders and changes of each section.
//!
//! A reader resumes after the ID of the last entry that it read. The first ID is the start time in
//! milliseconds, so IDs also increase after a restart.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::watch;
use utoipa::ToSchema;

use colonnade_model::deployment::Change;
use colonnade_model::release::ReleaseId;
use colonnade_model::schema::ReleaseName;

/// The maximum number of entries.
const MAX_ENTRIES: usize = 1000;

/// The maximum size of the problems of all entries together, in bytes.
const MAX_PROBLEM_BYTES: usize = 4 * 1024 * 1024;

/// The maximum number of problems of one entry. A problem has at most a few thousand characters.
const MAX_PROBLEMS: usize = 20;

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LogEntryKind {
    /// A release was published.
    Published,
    /// The gateway rejected a release.
    PublishRejected,
    /// The trial render of a release started.
    TrialStarted,
    /// No page failed, except pages that also fail in the live deployment.
    TrialPassed,
    /// At least one page of the release failed.
    TrialFailed,
    /// The live deployment, a rollout or a preview changed.
    Changed,
}

/// The action of the admin API that a trial render is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrialAction {
    /// A publish, which a failed trial render does not reject.
    Publish,
    /// A deploy or the start of a rollout.
    Deploy,
    /// A preview.
    Preview,
}

/// An entry to add.
#[derive(Debug)]
pub struct NewLogEntry {
    /// The sections of the entry.
    pub sections: Vec<String>,
    /// The kind of the entry.
    pub kind: LogEntryKind,
    /// The release; `None` for a change.
    pub release: Option<ReleaseId>,
    /// The action that a trial render is part of.
    pub action: Option<TrialAction>,
    /// The name of the token; `None` for a trial render.
    pub by: Option<String>,
    /// The errors.
    pub problems: Vec<String>,
    /// The change.
    pub change: Option<Change>,
}

/// An entry of the section log.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LogEntry {
    /// Increases with every entry.
    #[schema(minimum = 1)]
    pub id: u64,
    /// The time of the entry.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// The kind of the entry.
    pub kind: LogEntryKind,
    /// The release. Absent for a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ReleaseName, required = false)]
    pub release: Option<String>,
    /// The action that a trial render is part of. Absent for other entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub action: Option<TrialAction>,
    /// The name of the token that published the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub by: Option<String>,
    /// The errors of a rejected release or a failed trial render, with the positions of thrown
    /// errors. Only for tokens that permit `publish`, `deploy` or `preview` on the section.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub problems: Vec<String>,
    /// The change, as in the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub change: Option<Change>,
}

/// The entries of all sections. If the log is full, the oldest entries are dropped.
#[derive(Debug)]
pub struct SectionLog {
    recorded: Mutex<Recorded>,
    last_id: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Recorded {
    /// Each entry with its sections.
    entries: VecDeque<(Vec<String>, Arc<LogEntry>)>,
    problem_bytes: usize,
}

impl SectionLog {
    pub(crate) fn starting_at(start: Timestamp) -> Self {
        let first = u64::try_from(start.as_millisecond()).unwrap_or_default();
        Self {
            recorded: Mutex::default(),
            last_id: watch::Sender::new(first),
        }
    }

    /// Adds an entry.
    pub fn record(&self, entry: NewLogEntry) {
        let NewLogEntry {
            sections,
            kind,
            release,
            action,
            by,
            mut problems,
            change,
        } = entry;
        if problems.len() > MAX_PROBLEMS {
            let omitted = problems.len() - MAX_PROBLEMS;
            problems.truncate(MAX_PROBLEMS);
            problems.push(format!("and {omitted} more"));
        }
        let mut recorded = self.recorded.lock();
        let entry = LogEntry {
            id: *self.last_id.borrow() + 1,
            at: colonnade_clock::now(),
            kind,
            release: release.map(|release| release.to_string()),
            action,
            by,
            problems,
            change,
        };
        let id = entry.id;
        recorded.push(sections, entry);
        self.last_id.send_replace(id);
    }

    /// The ID of the newest entry, and a signal when it changes.
    pub fn last_id(&self) -> watch::Receiver<u64> {
        self.last_id.subscribe()
    }

    /// The entries of a section with an ID greater than `after`, oldest first. If `after` is
    /// greater than all IDs, such as the ID of an earlier process whose clock was ahead, it counts
    /// as 0.
    pub fn of_section(&self, section: &str, after: u64) -> Vec<Arc<LogEntry>> {
        let recorded = self.recorded.lock();
        let after = if after > *self.last_id.borrow() { 0 } else { after };
        let entries = recorded.entries.iter();
        let later = entries
            .filter(|(sections, entry)| entry.id > after && sections.iter().any(|name| name == section));
        later.map(|(_, entry)| Arc::clone(entry)).collect()
    }

    /// Like [`Self::of_section`], but waits until there is at least one entry.
    pub async fn next_of_section(&self, section: &str, after: u64) -> Vec<Arc<LogEntry>> {
        let mut last_id = self.last_id();
        loop {
            let entries = self.of_section(section, after);
            if !entries.is_empty() || last_id.changed().await.is_err() {
                return entries;
            }
        }
    }
}

impl Recorded {
    fn push(&mut self, sections: Vec<String>, entry: LogEntry) {
        self.problem_bytes += entry.problem_bytes();
        self.entries.push_back((sections, Arc::new(entry)));
        while self.entries.len() > MAX_ENTRIES || self.problem_bytes > MAX_PROBLEM_BYTES {
            let Some((_, oldest)) = self.entries.pop_front() else {
                return;
            };
            self.problem_bytes -= oldest.problem_bytes();
        }
    }
}

impl LogEntry {
    fn problem_bytes(&self) -> usize {
        self.problems.iter().map(String::len).sum()
    }
}

impl NewLogEntry {
    /// An entry about a release, without an author or problems.
    pub fn of_release(kind: LogEntryKind, release: ReleaseId) -> Self {
        Self {
            sections: vec![release.name.clone()],
            kind,
            release: Some(release),
            action: None,
            by: None,
            problems: Vec::new(),
            change: None,
        }
    }

    /// An entry about a change of these sections.
    pub fn of_change(change: Change, sections: Vec<String>) -> Self {
        Self {
            sections,
            kind: LogEntryKind::Changed,
            release: None,
            action: None,
            by: None,
            problems: Vec::new(),
            change: Some(change),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LogEntryKind, MAX_ENTRIES, MAX_PROBLEM_BYTES, MAX_PROBLEMS, NewLogEntry, SectionLog};
    use colonnade_model::release::ReleaseId;
    use jiff::Timestamp;

    fn record(log: &SectionLog, section: &str, problems: Vec<String>) {
        let release = ReleaseId {
            name: section.to_owned(),
            version: "1.0.0".to_owned(),
        };
        log.record(NewLogEntry {
            problems,
            ..NewLogEntry::of_release(LogEntryKind::TrialFailed, release)
        });
    }

    fn ids(log: &SectionLog, after: u64) -> Vec<u64> {
        log.of_section("hello", after)
            .iter()
            .map(|entry| entry.id)
            .collect()
    }

    fn log() -> SectionLog {
        SectionLog::starting_at(Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn reader_resumes_after_entry_of_its_section() {
        let log = log();
        for section in ["hello", "other", "hello"] {
            record(&log, section, Vec::new());
        }
        assert_eq!(ids(&log, 0), [1, 3]);
        assert_eq!(ids(&log, 1), [3]);
        assert_eq!(ids(&log, 3), [0; 0]);
        // Of an earlier process.
        assert_eq!(ids(&log, 4), [1, 3]);
    }

    #[test]
    fn full_log_drops_oldest_entries() {
        let log = log();
        for _ in 0..=MAX_ENTRIES {
            record(&log, "hello", Vec::new());
        }
        assert_eq!(ids(&log, 0).first(), Some(&2));
        let half = "x".repeat(MAX_PROBLEM_BYTES / 2);
        for _ in 0..3 {
            record(&log, "hello", vec![half.clone()]);
        }
        assert_eq!(ids(&log, 0).len(), 2);
    }

    #[test]
    fn long_list_of_problems_is_truncated() {
        let log = log();
        record(&log, "hello", vec![String::new(); MAX_PROBLEMS + 5]);
        let entries = log.of_section("hello", 0);
        assert_eq!(entries[0].problems.len(), MAX_PROBLEMS + 1);
        assert_eq!(entries[0].problems.last().map(String::as_str), Some("and 5 more"));
    }

    #[tokio::test]
    async fn waiting_reader_gets_only_entries_of_its_section() {
        let log = log();
        let (entries, ()) = tokio::join!(log.next_of_section("hello", 0), async {
            record(&log, "other", Vec::new());
            tokio::task::yield_now().await;
            record(&log, "hello", Vec::new());
        });
        assert_eq!(entries.iter().map(|entry| entry.id).collect::<Vec<_>>(), [2]);
    }
}

//! What rollbacks of sections restore.

use std::collections::BTreeMap;

/// The releases that rollbacks of sections restore, as far as they were searched: a search can read
/// many changes.
#[derive(Debug, Default)]
pub(super) struct RollbackTargets {
    /// The timeline of the snapshot for which they were found.
    pub(super) timeline: Option<String>,
    /// The revision of that snapshot.
    pub(super) revision: u64,
    /// By section; `None` if there is no such release.
    pub(super) versions: BTreeMap<String, Option<String>>,
}

//! Crash recovery: completes what crashed processes left unfinished.
//!
//! Every operation that such a process acknowledged is durable already.

use super::StoreError;
use super::durable::{sync, sync_parent};
use super::paths::{Paths, entry_names};

impl Paths {
    /// Makes visible renames durable, and removes old scratch files.
    pub(super) fn recover(&self) -> Result<(), StoreError> {
        // A crashed process may have renamed files without syncing their folder. Later changes build on them.
        for name in entry_names(&self.releases)? {
            sync(&self.releases.join(name))?;
        }
        for folder in [&self.releases, &self.deployments, &self.history] {
            sync(folder)?;
        }
        sync_parent(&self.live)?;
        self.scratch.remove_old()
    }
}

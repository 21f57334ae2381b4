//! Crash recovery: completes what crashed processes left unfinished.
//!
//! Every operation that such a process acknowledged is durable already.

use std::collections::BTreeSet;

use colonnade_model::deployment::Deployment;
use colonnade_model::release::ReleaseId;

use super::StoreError;
use super::durable::{sync, sync_parent};
use super::paths::{Paths, entry_names};
use super::read::read_json;

impl Paths {
    /// Makes visible renames durable, removes old scratch files and empties the quarantine.
    pub(super) fn recover(&self) -> Result<(), StoreError> {
        // A crashed process may have renamed files without syncing their folder. Later changes build on them.
        for name in entry_names(&self.releases)? {
            sync(&self.releases.join(name))?;
        }
        for folder in [&self.releases, &self.deployments, &self.history] {
            sync(folder)?;
        }
        sync_parent(&self.live)?;
        self.scratch.remove_old()?;
        self.empty_quarantine()
    }

    /// Restores the quarantined releases that a deployment names, and deletes the others.
    fn empty_quarantine(&self) -> Result<(), StoreError> {
        let quarantined = self.scratch.quarantined()?;
        if quarantined.is_empty() {
            return Ok(());
        }
        // Read the deployments after the quarantine, as garbage collection does: a deployment created later finds
        // the releases it names missing.
        let Ok(named) = self.named_releases() else {
            // A deployment is unreadable, so the releases in use are unknown: keep all of them.
            tracing::warn!(event = "release_recovery_skipped", releases = quarantined.len());
            return Ok(());
        };
        for id in quarantined {
            match self.release_folder(&id) {
                Some(folder) if named.contains(&id) => drop(self.scratch.restore(&id, &folder)?),
                _ => self.scratch.delete_quarantined(&id)?,
            }
        }
        Ok(())
    }

    /// The releases that deployments name.
    fn named_releases(&self) -> Result<BTreeSet<ReleaseId>, StoreError> {
        let mut named = BTreeSet::new();
        for number in self.deployments()? {
            let deployment: Option<Deployment> = read_json(&self.deployment(number))?;
            named.extend(deployment.iter().flat_map(Deployment::release_ids));
        }
        Ok(named)
    }
}

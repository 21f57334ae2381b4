//! Finishing what processes that died have begun. Everything they had answered is in effect already.

use std::collections::BTreeSet;

use super::durable::{sync, sync_parent};
use super::folder::{Paths, names, read_json};
use super::{ReleaseId, StoreError};
use crate::deployment::Deployment;

impl Paths {
    /// Makes the store as if no process had died at work on it.
    pub(super) fn recover(&self) -> Result<(), StoreError> {
        // What they had renamed but not yet made durable is there to see, and will be built upon.
        for name in names(&self.releases)? {
            sync(&self.releases.join(name))?;
        }
        for folder in [&self.releases, &self.deployments, &self.history] {
            sync(folder)?;
        }
        sync_parent(&self.live)?;
        self.scratch.remove_old()?;
        self.settle_aside()
    }

    /// Puts back the releases that lie aside and are needed, and discards the others.
    fn settle_aside(&self) -> Result<(), StoreError> {
        let aside = self.scratch.lying_aside()?;
        if aside.is_empty() {
            return Ok(());
        }
        // Only now, as in a collection: whoever makes a deployment after this finds the releases it names gone.
        let Ok(named) = self.named() else {
            // As long as it is not known which are needed, all of them stay where they are.
            tracing::warn!(event = "releases_aside", releases = aside.len());
            return Ok(());
        };
        for id in aside {
            match self.release_folder(&id) {
                Some(folder) if named.contains(&id) => drop(self.scratch.put_back(&id, &folder)?),
                _ => self.scratch.discard(&id)?,
            }
        }
        Ok(())
    }

    /// The releases that deployments name.
    fn named(&self) -> Result<BTreeSet<ReleaseId>, StoreError> {
        let mut named = BTreeSet::new();
        for number in self.deployments()? {
            let deployment: Option<Deployment> = read_json(&self.deployment(number))?;
            named.extend(deployment.iter().flat_map(Deployment::ids));
        }
        Ok(named)
    }
}

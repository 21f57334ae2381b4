//! Everything a request needs to know about deployments, as of one moment.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Deployment;
use super::served::{ServeError, Served};
use super::set::Set;
use crate::store::{ReleaseId, Store, StoreError};

/// An immutable view of the store. A request reads one and sees it unchanged to its end.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    live: Option<Arc<Set>>,
    sets: BTreeMap<u64, Arc<Set>>,
    /// By name, then by version.
    releases: HashMap<String, HashMap<String, Arc<Served>>>,
}

/// A deployment cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("deployment {0} is not in the store")]
    NoDeployment(u64),
    #[error("{0} is not in the store")]
    NoRelease(ReleaseId),
    #[error(transparent)]
    Release(#[from] ServeError),
    #[error("the set does not fit together: {}", .0.join("; "))]
    Set(Vec<String>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Snapshot {
    /// The deployment that is live.
    pub(crate) fn live(&self) -> Option<&Arc<Set>> {
        self.live.as_ref()
    }

    /// A kept deployment by its number.
    pub(crate) fn set(&self, number: u64) -> Option<&Arc<Set>> {
        self.sets.get(&number)
    }

    /// A release that some kept deployment names.
    pub(crate) fn release(&self, name: &str, version: &str) -> Option<&Arc<Served>> {
        self.releases.get(name)?.get(version)
    }

    /// Reads the store, taking over whatever this view has already: deployments and releases never change.
    pub(crate) async fn renewed(&self, store: &dyn Store) -> Result<Self, LoadError> {
        let live = store.live().await?;
        let mut next = Self {
            live: None,
            sets: BTreeMap::new(),
            releases: self.releases.clone(),
        };
        for number in store.deployments().await? {
            if let Some(set) = self.sets.get(&number) {
                next.sets.insert(number, Arc::clone(set));
                continue;
            }
            match next.load(store, number).await {
                Ok(set) => next.add(Arc::new(set)),
                Err(error) if live == Some(number) => return Err(error),
                Err(error) => {
                    tracing::warn!(event = "deployment_skipped", deployment = number, error = %error);
                }
            }
        }
        if let Some(number) = live {
            let set = next.sets.get(&number).ok_or(LoadError::NoDeployment(number))?;
            next.live = Some(Arc::clone(set));
        }
        Ok(next)
    }

    /// A release from this view or, failing that, from the store.
    pub(crate) async fn find(&self, store: &dyn Store, id: &ReleaseId) -> Result<Arc<Served>, LoadError> {
        if let Some(release) = self.release(&id.name, &id.version) {
            return Ok(Arc::clone(release));
        }
        let stored = store.release(id).await?;
        let stored = stored.ok_or_else(|| LoadError::NoRelease(id.clone()))?;
        Ok(Arc::new(Served::new(id, stored)?))
    }

    async fn load(&self, store: &dyn Store, number: u64) -> Result<Set, LoadError> {
        let deployment: Option<Deployment> = store.deployment(number).await?;
        let deployment = deployment.ok_or(LoadError::NoDeployment(number))?;
        let mut releases = Vec::new();
        for (name, version) in &deployment.releases {
            let id = ReleaseId {
                name: name.clone(),
                version: version.clone(),
            };
            releases.push(self.find(store, &id).await?);
        }
        Set::assemble(deployment, releases).map_err(LoadError::Set)
    }

    fn add(&mut self, set: Arc<Set>) {
        for release in &set.releases {
            let versions = self.releases.entry(release.id.name.clone()).or_default();
            versions.insert(release.id.version.clone(), Arc::clone(release));
        }
        self.sets.insert(set.number(), set);
    }
}

//! Everything a request needs to know about deployments, as of one moment.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::Deployment;
use super::rollout::Running;
use super::served::{ServeError, Served};
use super::set::Set;
use super::state::State;
use crate::preview::Keys;
use crate::store::{ReleaseId, Store, StoreError};

/// An immutable view of the store. A request reads one and sees it unchanged to its end.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    state: Option<State>,
    live: Option<Arc<Set>>,
    rollout: Option<Running>,
    sets: BTreeMap<u64, Arc<Set>>,
    preview_keys: Keys,
    /// By name, then by version.
    releases: HashMap<String, HashMap<String, Known>>,
}

/// A release that some kept deployment names.
#[derive(Debug, Clone)]
struct Known {
    release: Arc<Served>,
    /// Whether everybody may have it: not if only previews show it.
    is_public: bool,
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
    /// Something was live, so somebody took the file away, or the whole folder.
    #[error("what is live does not stand in the store any more")]
    Emptied,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Snapshot {
    /// The deployment that is live.
    pub(crate) fn live(&self) -> Option<&Arc<Set>> {
        self.live.as_ref()
    }

    /// The rollout that runs.
    pub(crate) fn rollout(&self) -> Option<&Running> {
        self.rollout.as_ref()
    }

    /// What visitors see who have no preview: what is live, and the candidate.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Arc<Set>> {
        let candidate = self.rollout.as_ref().map(|rollout| &rollout.candidate);
        self.live.iter().chain(candidate)
    }

    /// What the store says is live.
    pub(crate) fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// The place of this view in the history; 0 before the first change.
    pub(crate) fn revision(&self) -> u64 {
        self.state.as_ref().map_or(0, State::revision)
    }

    /// The keys that previews are signed with.
    pub(crate) fn preview_keys(&self) -> &Keys {
        &self.preview_keys
    }

    /// A kept deployment by its number.
    pub(crate) fn set(&self, number: u64) -> Option<&Arc<Set>> {
        self.sets.get(&number)
    }

    /// Whether the store had no deployment of this number yet when this was its view.
    pub(crate) fn is_before(&self, number: u64) -> bool {
        self.sets
            .last_key_value()
            .is_none_or(|(&newest, _)| newest < number)
    }

    /// A release that some kept deployment names, and whether everybody may have it: not if only previews show it.
    pub(crate) fn release(&self, name: &str, version: &str) -> Option<(&Arc<Served>, bool)> {
        let Known { release, is_public } = self.releases.get(name)?.get(version)?;
        Some((release, *is_public))
    }

    /// Reads the store, taking over whatever this view has already: deployments and releases never change.
    pub(crate) async fn renewed(&self, store: &dyn Store) -> Result<Self, LoadError> {
        let state = store.state().await?;
        if state.is_none() && self.state.is_some() {
            return Err(LoadError::Emptied);
        }
        let needed: Vec<u64> = state
            .iter()
            .flat_map(|state| {
                [
                    Some(state.live),
                    state.rollout.as_ref().map(|rollout| rollout.deployment),
                ]
            })
            .flatten()
            .collect();
        let mut next = Self {
            preview_keys: store.preview_keys().await?,
            releases: self.releases.clone(),
            ..Self::default()
        };
        for number in store.deployments().await? {
            if let Some(set) = self.sets.get(&number) {
                next.sets.insert(number, Arc::clone(set));
                continue;
            }
            match next.load(store, number).await {
                Ok(set) => next.add(Arc::new(set)),
                Err(error) if needed.contains(&number) => return Err(error),
                Err(error) => {
                    tracing::warn!(event = "deployment_skipped", deployment = number, error = %error);
                }
            }
        }
        if let Some(state) = state {
            next.live = Some(next.needed(state.live)?);
            if let Some(rollout) = &state.rollout {
                next.rollout = Some(Running {
                    record: rollout.clone(),
                    candidate: next.needed(rollout.deployment)?,
                });
            }
            next.state = Some(state);
        }
        next.forget_releases();
        next.tell_public();
        Ok(next)
    }

    fn needed(&self, number: u64) -> Result<Arc<Set>, LoadError> {
        let set = self.sets.get(&number);
        set.cloned().ok_or(LoadError::NoDeployment(number))
    }

    /// Forgets the releases that no deployment names any more.
    fn forget_releases(&mut self) {
        let named: HashSet<&ReleaseId> = self
            .sets
            .values()
            .flat_map(|set| set.releases.iter().map(|release| &release.id))
            .collect();
        for versions in self.releases.values_mut() {
            versions.retain(|_, known| named.contains(&known.release.id));
        }
    }

    /// Tells the releases that only previews show from the others.
    fn tell_public(&mut self) {
        let sets = self.sets.values().filter(|set| !set.deployment.preview);
        let public: HashSet<ReleaseId> = sets.flat_map(|set| set.deployment.ids()).collect();
        for known in self.releases.values_mut().flat_map(HashMap::values_mut) {
            known.is_public = public.contains(&known.release.id);
        }
    }

    /// A release from this view or, failing that, from the store.
    pub(crate) async fn find(&self, store: &dyn Store, id: &ReleaseId) -> Result<Arc<Served>, LoadError> {
        if let Some((release, _)) = self.release(&id.name, &id.version) {
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
        for id in deployment.ids() {
            releases.push(self.find(store, &id).await?);
        }
        Set::assemble(deployment, releases).map_err(LoadError::Set)
    }

    fn add(&mut self, set: Arc<Set>) {
        for release in &set.releases {
            let versions = self.releases.entry(release.id.name.clone()).or_default();
            let known = Known {
                release: Arc::clone(release),
                is_public: false,
            };
            versions.insert(release.id.version.clone(), known);
        }
        self.sets.insert(set.number(), set);
    }
}

//! An immutable view of the store, which a request uses from start to end.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use foldhash::HashMap;

use super::rollout::RunningRollout;
use colonnade_model::deployment::Deployment;
use colonnade_model::deployment::LiveState;
use colonnade_model::release::{ReleaseId, SHELL};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};
use colonnade_store::loaded::{LoadReleaseError, LoadedDeployment, LoadedRelease, UnavailableRelease};
use colonnade_store::{Store, StoreError};
use futures_util::{StreamExt as _, stream};

/// The deployments and releases of the store at one revision.
#[derive(Debug, Default)]
pub struct Snapshot {
    state: Option<LiveState>,
    /// The deployments that visitors see, by combination of the running rollouts; empty before the first deploy.
    visible: Vec<Arc<LoadedDeployment>>,
    deployments: BTreeMap<u64, Arc<LoadedDeployment>>,
    preview_keys: RotatingKeys,
    /// By name, then by version.
    releases: Releases,
    /// The numbers of all stored deployments, also of those that cannot be loaded, ascending.
    stored: Vec<u64>,
    /// Whether it lacks what visitors do not see, previews and earlier deployments: it was read from a local copy, or the store
    /// went away meanwhile.
    is_partial: bool,
}

type Releases = HashMap<String, HashMap<String, KnownRelease>>;

/// A release of a stored deployment.
#[derive(Debug, Clone)]
struct KnownRelease {
    release: Arc<LoadedRelease>,
    /// Whether every visitor may load it. False if only previews use it.
    is_public: bool,
}

/// A deployment cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The deployment is not in the store.
    #[error("deployment {0} is not in the store")]
    DeploymentNotFound(u64),
    /// The release is not in the store.
    #[error("{0} is not in the store")]
    ReleaseNotFound(ReleaseId),
    /// The release is damaged.
    #[error(transparent)]
    Release(#[from] LoadReleaseError),
    /// The releases conflict with each other.
    #[error("the releases conflict: {}", .0.join("; "))]
    Conflict(Vec<String>),
    /// Visitors see the deployment, and it is missing or damaged.
    #[error(
        "deployment {number} is live or a candidate, but cannot be loaded: {error}; restore its files from a backup, or run \
         `gateway serve --recover`"
    )]
    Visible {
        /// The deployment.
        number: u64,
        /// Why it cannot be loaded.
        error: Box<LoadError>,
    },
    /// The live state, or the whole folder, was deleted.
    #[error("live.json is missing from the store; restore it from a backup")]
    LiveStateMissing,
    /// The store was restored from a backup, or replaced by an older copy.
    #[error("the store was restored while this gateway runs; restart the gateway")]
    OtherTimeline,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl LoadError {
    /// Whether the store may be intact and only cannot be used now.
    pub(super) fn is_away(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_away())
    }

    /// This error about a deployment that visitors see. Says how to go on if trying again does not help.
    fn of_visible(self, number: u64) -> Self {
        match self {
            Self::Store(error) if !error.is_loss() => Self::Store(error),
            error => Self::Visible {
                number,
                error: Box::new(error),
            },
        }
    }
}

/// The number of deployments or releases that are read at a time: in a bucket, most of a read is waiting.
pub(super) const CONCURRENT_READS: usize = 16;

/// The results of reads, of which some are done at a time.
pub(crate) async fn concurrently<F: Future>(reads: impl Iterator<Item = F>) -> Vec<F::Output> {
    // Collected, because the borrow checker cannot name the lifetimes of a lazy iterator.
    let reads: Vec<F> = reads.collect();
    stream::iter(reads).buffered(CONCURRENT_READS).collect().await
}

fn add_release(releases: &mut Releases, release: &Arc<LoadedRelease>) {
    let versions = releases.entry(release.id.name.clone()).or_default();
    let known = KnownRelease {
        release: Arc::clone(release),
        is_public: false,
    };
    versions.insert(release.id.version.clone(), known);
}

/// Whether a live state is an earlier one, or came after it. A store that has lost its newest changes can have others since.
async fn follows(store: &Store, before: &LiveState, now: &LiveState) -> Result<bool, StoreError> {
    if now.timeline != before.timeline || now.revision() <= before.revision() {
        return Ok(now.timeline == before.timeline && now.change == before.change);
    }
    match store.history_entry(before.revision()).await {
        Ok(entry) => Ok(entry.is_none_or(|entry| entry == before.change)),
        Err(error) if error.is_damage() => Ok(true),
        Err(error) => Err(error),
    }
}

impl Snapshot {
    /// The live deployment.
    pub fn live(&self) -> Option<&Arc<LoadedDeployment>> {
        self.visible.first()
    }

    /// The running rollouts.
    pub fn rollouts(&self) -> impl Iterator<Item = RunningRollout<'_>> {
        let records = self.state.iter().flat_map(|state| state.visible.rollouts());
        records.enumerate().filter_map(|(index, record)| {
            Some(RunningRollout {
                index,
                record,
                live: self.live()?,
                candidate: self.visible.get(1 << index)?,
            })
        })
    }

    /// The deployments that visitors without a preview see, by combination of the running rollouts (see
    /// [`VisibleDeployments`](colonnade_model::deployment::VisibleDeployments)).
    pub fn visible(&self) -> &[Arc<LoadedDeployment>] {
        &self.visible
    }

    /// The releases of sections that visitors should see, but that are missing or damaged.
    pub fn unavailable(&self) -> impl Iterator<Item = &UnavailableRelease> {
        let all = self.visible.iter().flat_map(|loaded| &loaded.unavailable);
        let by_id: BTreeMap<&ReleaseId, _> = all.map(|each| (&each.id, each)).collect();
        by_id.into_values()
    }

    /// Whether a release that visitors should see is missing or damaged.
    pub fn is_unavailable(&self, name: &str, version: &str) -> bool {
        self.unavailable()
            .any(|each| each.id.name == name && each.id.version == version)
    }

    /// The live state, as stored.
    pub fn state(&self) -> Option<&LiveState> {
        self.state.as_ref()
    }

    /// The revision of the live state; 0 before the first change.
    pub fn revision(&self) -> u64 {
        self.state.as_ref().map_or(0, LiveState::revision)
    }

    /// The signing keys of previews.
    pub fn preview_keys(&self) -> &RotatingKeys {
        &self.preview_keys
    }

    /// A stored deployment by its number.
    pub fn deployment(&self, number: u64) -> Option<&Arc<LoadedDeployment>> {
        self.deployments.get(&number)
    }

    /// The highest number of a stored deployment; 0 before the first.
    pub fn newest(&self) -> u64 {
        self.deployments.last_key_value().map_or(0, |(number, _)| *number)
    }

    /// The highest number of a deployment that visitors see. A change in progress creates higher ones, and takes effect only while
    /// they see the same deployments.
    pub(super) fn newest_visible(&self) -> u64 {
        let numbers = self.visible.iter().map(|loaded| loaded.number());
        numbers.max().unwrap_or(0)
    }

    /// The number of the next deployment. The newest is never removed, so numbers only rise.
    pub(super) fn next_number(&self) -> u64 {
        self.stored.last().map_or(1, |last| last + 1)
    }

    /// A release of a stored deployment, and whether every visitor may load it: not if only previews use it.
    pub fn release(&self, name: &str, version: &str) -> Option<(&Arc<LoadedRelease>, bool)> {
        let KnownRelease { release, is_public } = self.releases.get(name)?.get(version)?;
        Some((release, *is_public))
    }

    /// Whether these deployments were stored when it was read.
    pub(super) fn has_all_of(&self, stored: &[u64]) -> bool {
        self.stored == stored
    }

    /// Whether it has this live state, and lacks nothing: an unavailable release may have been repaired, and the store may be
    /// back.
    pub(super) fn shows(&self, state: Option<&LiveState>) -> bool {
        self.state.as_ref() == state && !self.is_partial && self.unavailable().next().is_none()
    }

    /// Reads what belongs to a live state, and reuses what this snapshot has loaded: deployments and releases never change.
    /// The live state must have been read before, because the rest is stored first.
    pub(super) async fn refreshed(&self, store: &Store, state: Option<LiveState>) -> Result<Self, LoadError> {
        if state.is_none() && self.state.is_some() {
            return Err(LoadError::LiveStateMissing);
        }
        let is_partial = store.is_offline();
        let needed = state
            .as_ref()
            .map_or(&[][..], |state| state.visible.deployments());
        let (follows, preview_keys, numbers, mut records) = tokio::try_join!(
            async {
                Ok::<_, StoreError>(match (&self.state, &state) {
                    (Some(before), Some(now)) => follows(store, before, now).await?,
                    _ => true,
                })
            },
            store.keys(KeyPurpose::Previews),
            store.deployments(),
            async { Ok::<_, StoreError>(self.read_new(store, needed).await) },
        )?;
        if !follows {
            // What this process has loaded and cached belongs to the lost timeline.
            return Err(LoadError::OtherTimeline);
        }
        let mut next = Self {
            preview_keys,
            releases: self.releases.clone(),
            stored: numbers.clone(),
            is_partial,
            ..Self::default()
        };
        let others: Vec<u64> = numbers
            .iter()
            .copied()
            .filter(|number| !needed.contains(number))
            .collect();
        records.extend(self.read_new(store, &others).await);
        next.add_releases_of(&records, store).await;
        for number in numbers {
            let known = self.deployments.get(&number);
            if let Some(loaded) = known.filter(|loaded| loaded.unavailable.is_empty()) {
                next.deployments.insert(number, Arc::clone(loaded));
                continue;
            }
            // While the store is away, what visitors see now is better than a part of something newer, and other gateways are
            // better than one that starts with a part. If the store is away from the start, the local copy is all there is.
            let leaves_out = |error: &LoadError| {
                let may_be_away = self.state.is_none() && is_partial;
                needed.contains(&number) && (may_be_away || !error.is_away())
            };
            match next
                .load(store, number, records.remove(&number), leaves_out)
                .await
            {
                // Releases only become available, so equal numbers mean equal releases.
                Ok(loaded) => match known {
                    Some(known) if known.unavailable.len() == loaded.unavailable.len() => {
                        next.add(Arc::clone(known));
                    }
                    _ => next.add(Arc::new(loaded)),
                },
                Err(error) if needed.contains(&number) => return Err(error.of_visible(number)),
                Err(error) => {
                    // Each poll tries again, and logs it once.
                    let is_known = self.is_partial && error.is_away();
                    next.is_partial |= error.is_away();
                    if !is_known {
                        tracing::warn!(event = "deployment_skipped", deployment = number, error = %error);
                    }
                }
            }
        }
        if let Some(state) = state {
            let visible = state.visible.deployments().iter();
            next.visible = visible
                .map(|number| next.needed(*number))
                .collect::<Result<_, _>>()?;
            next.state = Some(state);
        }
        next.drop_unused_releases();
        next.mark_public_releases();
        Ok(next)
    }

    /// This snapshot after a change that created these deployments, without reading the store; `None` if visitors see another
    /// one that is not loaded.
    pub(super) fn changed(&self, state: &LiveState, created: Vec<LoadedDeployment>) -> Option<Self> {
        let mut next = Self {
            state: Some(state.clone()),
            visible: Vec::new(),
            deployments: self.deployments.clone(),
            preview_keys: self.preview_keys.clone(),
            releases: self.releases.clone(),
            stored: self.stored.clone(),
            is_partial: self.is_partial,
        };
        for loaded in created {
            next.stored.push(loaded.number());
            next.add(Arc::new(loaded));
        }
        let visible = state.visible.deployments().iter();
        next.visible = visible
            .map(|number| next.deployments.get(number).cloned())
            .collect::<Option<_>>()?;
        next.mark_public_releases();
        Some(next)
    }

    /// Reads those of the deployments that this snapshot does not have. What cannot be read is left out: loading the
    /// deployment says why.
    async fn read_new(&self, store: &Store, numbers: &[u64]) -> HashMap<u64, Deployment> {
        let new = numbers
            .iter()
            .filter(|number| !self.deployments.contains_key(number));
        let reads = new.map(|number| async move { Some((*number, store.deployment(*number).await.ok()??)) });
        concurrently(reads).await.into_iter().flatten().collect()
    }

    /// Reads the releases of deployments that this snapshot does not have. What cannot be read is left out, too.
    async fn add_releases_of(&mut self, records: &HashMap<u64, Deployment>, store: &Store) {
        let ids: BTreeSet<ReleaseId> = records.values().flat_map(Deployment::release_ids).collect();
        let known = &*self;
        let reads = ids.into_iter().map(|id| async move {
            match known.release(&id.name, &id.version) {
                Some(_) => None,
                None => known.find_release(store, &id).await.ok(),
            }
        });
        for release in concurrently(reads).await.into_iter().flatten() {
            add_release(&mut self.releases, &release);
        }
    }

    fn needed(&self, number: u64) -> Result<Arc<LoadedDeployment>, LoadError> {
        let loaded = self.deployments.get(&number);
        loaded
            .cloned()
            .ok_or_else(|| LoadError::DeploymentNotFound(number).of_visible(number))
    }

    /// Drops the releases that no deployment uses.
    fn drop_unused_releases(&mut self) {
        let named: HashSet<&ReleaseId> = self
            .deployments
            .values()
            .flat_map(|loaded| loaded.releases.iter().map(|release| &release.id))
            .collect();
        for versions in self.releases.values_mut() {
            versions.retain(|_, known| named.contains(&known.release.id));
        }
    }

    /// Marks the releases that a deployment other than a preview uses.
    fn mark_public_releases(&mut self) {
        let deployments = self
            .deployments
            .values()
            .filter(|loaded| !loaded.deployment.preview);
        let public: HashSet<(&String, &String)> = deployments
            .flat_map(|loaded| &loaded.deployment.releases)
            .collect();
        for known in self.releases.values_mut().flat_map(HashMap::values_mut) {
            let ReleaseId { name, version } = &known.release.id;
            known.is_public = public.contains(&(name, version));
        }
    }

    /// A release from this snapshot or, if it is not there, from the store.
    pub async fn find_release(&self, store: &Store, id: &ReleaseId) -> Result<Arc<LoadedRelease>, LoadError> {
        if let Some((release, _)) = self.release(&id.name, &id.version) {
            return Ok(Arc::clone(release));
        }
        let stored = store.release(id).await?;
        let stored = stored.ok_or_else(|| LoadError::ReleaseNotFound(id.clone()))?;
        Ok(Arc::new(LoadedRelease::new(id, stored)?))
    }

    /// Loads a deployment without the sections whose releases cannot be loaded because of an error that `leaves_out` accepts.
    async fn load(
        &self,
        store: &Store,
        number: u64,
        read: Option<Deployment>,
        leaves_out: impl Fn(&LoadError) -> bool,
    ) -> Result<LoadedDeployment, LoadError> {
        let deployment = match read {
            Some(deployment) => Some(deployment),
            None => store.deployment(number).await?,
        };
        let deployment = deployment.ok_or(LoadError::DeploymentNotFound(number))?;
        let mut releases = Vec::new();
        let mut unavailable = Vec::new();
        for id in deployment.release_ids() {
            match self.find_release(store, &id).await {
                Ok(release) => releases.push(release),
                Err(error) if id.name != SHELL && leaves_out(&error) => {
                    let error = error.to_string();
                    unavailable.push(UnavailableRelease { id, error });
                }
                Err(error) => return Err(error),
            }
        }
        let mut loaded = LoadedDeployment::assemble(deployment, releases).map_err(LoadError::Conflict)?;
        loaded.unavailable = unavailable;
        Ok(loaded)
    }

    fn add(&mut self, loaded: Arc<LoadedDeployment>) {
        for release in &loaded.releases {
            add_release(&mut self.releases, release);
        }
        self.deployments.insert(loaded.number(), loaded);
    }
}

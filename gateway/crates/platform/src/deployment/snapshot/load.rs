//! Reading the store, and following a change without reading it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use foldhash::HashMap;

use colonnade_model::deployment::{Deployment, LiveState};
use colonnade_model::release::{ReleaseId, SHELL};
use colonnade_model::rotating_keys::KeyPurpose;
use colonnade_store::loaded::{LoadedCandidate, LoadedDeployment, LoadedRelease, UnavailableRelease};
use colonnade_store::{Store, StoreError};

use crate::deployment::LoadError;
use crate::deployment::snapshot::{KnownRelease, Snapshot, concurrently};

/// Whether `now` is `before` or one of its successors. False after a restore from a backup: the
/// history then diverges.
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
    /// Reads what belongs to a live state, and reuses what this snapshot has loaded: deployments
    /// and releases never change. The live state must have been read before, because the rest is
    /// stored first.
    pub(crate) async fn refreshed(&self, store: &Store, state: Option<LiveState>) -> Result<Self, LoadError> {
        if state.is_none() && self.state.is_some() {
            return Err(LoadError::LiveStateMissing);
        }
        let is_partial = store.is_offline();
        let (follows, preview_keys, stored) = tokio::try_join!(
            async {
                Ok::<_, StoreError>(match (&self.state, &state) {
                    (Some(before), Some(now)) => follows(store, before, now).await?,
                    _ => true,
                })
            },
            store.keys(KeyPurpose::Previews),
            store.deployments(),
        )?;
        if !follows {
            // What this process has loaded and cached belongs to the lost timeline.
            return Err(LoadError::OtherTimeline);
        }
        let rules = self.rules_with(state.as_ref());
        let mut next = Self {
            preview_keys,
            releases: self.releases.clone(),
            is_partial,
            sets: self.sets_with(state.as_ref(), &rules),
            rules,
            ..Self::default()
        };
        let visible: Vec<u64> = state.iter().flat_map(|state| state.visible.numbers()).collect();
        self.read_records(store, &mut next, &stored, &visible).await?;
        next.stored = stored;
        next.state = state;
        if let Some(state) = next.state.clone() {
            next.live = Some(self.load_live(store, &mut next, state.live()).await?);
            for rollout in state.visible.rollouts() {
                let candidate = self.load_candidate(store, &mut next, rollout.candidate).await?;
                next.candidates.push(candidate);
            }
        }
        next.drop_unused_releases();
        next.mark_public_releases();
        Ok(next)
    }

    /// Reads the stored deployments and their releases. Leaves out those that cannot be loaded and
    /// that visitors do not get now.
    async fn read_records(
        &self,
        store: &Store,
        next: &mut Self,
        stored: &[u64],
        visible: &[u64],
    ) -> Result<(), LoadError> {
        let new = stored.iter().filter(|number| !self.records.contains_key(number));
        let new: BTreeSet<u64> = new.chain(visible).copied().collect();
        let reads = new.into_iter().map(|number| async move {
            if let Some(known) = self.records.get(&number) {
                return (number, Ok(Arc::clone(known)));
            }
            let read = store.deployment(number).await.map_err(LoadError::from);
            let read = read.and_then(|read| read.ok_or(LoadError::DeploymentNotFound(number)));
            (number, read.map(Arc::new))
        });
        let reads = concurrently(reads).await;
        let records = reads.iter().filter_map(|(_, read)| read.as_ref().ok());
        let ids: BTreeSet<ReleaseId> = records.flat_map(|record| record.release_ids()).collect();
        let failed = next.read_releases(store, ids).await;
        let known = stored
            .iter()
            .filter_map(|number| Some((*number, self.records.get(number)?)));
        next.records
            .extend(known.map(|(number, record)| (number, Arc::clone(record))));
        for (number, read) in reads {
            let is_visible = visible.contains(&number);
            let lost = |record: &Deployment| record.release_ids().find_map(|id| failed.get(&id));
            match read {
                Err(error) if is_visible => return Err(error.of_visible(number)),
                Ok(record) if is_visible => drop(next.records.insert(number, record)),
                Ok(record) => match lost(&record) {
                    None => drop(next.records.insert(number, record)),
                    Some(error) => self.skip(next, number, error),
                },
                Err(error) => self.skip(next, number, &error),
            }
        }
        Ok(())
    }

    /// Leaves out a stored deployment that visitors do not get now.
    fn skip(&self, next: &mut Self, number: u64, error: &LoadError) {
        // Retried by every poll; logged once.
        let is_known = self.is_partial && error.is_away();
        next.is_partial |= error.is_away();
        if !is_known {
            tracing::warn!(event = "deployment_skipped", deployment = number, error = %error);
        }
    }

    /// Reads those of the releases that it does not have. Returns the errors of those that cannot
    /// be loaded.
    async fn read_releases(
        &mut self,
        store: &Store,
        ids: BTreeSet<ReleaseId>,
    ) -> BTreeMap<ReleaseId, LoadError> {
        let snapshot = &*self;
        let new = ids
            .into_iter()
            .filter(|id| snapshot.release(&id.name, &id.version).is_none());
        let reads = new.map(|id| async move {
            let read = snapshot.find_release(store, &id).await;
            (id, read)
        });
        let mut failed = BTreeMap::new();
        for (id, read) in concurrently(reads).await {
            match read {
                Ok(release) => self.add_release(&release),
                Err(error) => drop(failed.insert(id, error)),
            }
        }
        failed
    }

    /// The live deployment, without the sections whose releases cannot be loaded.
    async fn load_live(
        &self,
        store: &Store,
        next: &mut Self,
        number: u64,
    ) -> Result<Arc<LoadedDeployment>, LoadError> {
        let known = self.live().filter(|live| live.deployment.number == number);
        let known = known.map(|live| next.ruled(live));
        if let Some(known) = known.as_ref().filter(|live| live.unavailable.is_empty()) {
            return Ok(Arc::clone(known));
        }
        let record = next.record(number).cloned();
        let record = record.ok_or_else(|| LoadError::DeploymentNotFound(number).of_visible(number))?;
        let ids = record.release_ids().collect();
        let (releases, unavailable) = self.load_releases(store, next, ids, number).await?;
        // Releases only become available, so equal numbers mean equal releases.
        if let Some(known) = known.filter(|known| known.unavailable.len() == unavailable.len()) {
            return Ok(known);
        }
        let assemble = |releases, unavailable| {
            LoadedDeployment::assemble(Arc::clone(&record), releases, unavailable, next.rules())
        };
        let loaded = assemble(releases.clone(), unavailable.clone()).or_else(|_| {
            // A repaired release may conflict with what was deployed while nothing was known of it.
            let (kept, lost) = self.without_conflicts(&record, releases);
            assemble(kept, unavailable.into_iter().chain(lost).collect())
        });
        let loaded = loaded.map_err(|problems| LoadError::Conflict(problems).of_visible(number))?;
        Ok(Arc::new(loaded))
    }

    /// Releases that fit each other, and the others as unavailable. Those that this snapshot has are
    /// preferred.
    fn without_conflicts(
        &self,
        record: &Arc<Deployment>,
        mut releases: Vec<Arc<LoadedRelease>>,
    ) -> (Vec<Arc<LoadedRelease>>, Vec<UnavailableRelease>) {
        releases.sort_by_key(|release| (release.id.name != SHELL, self.known(&release.id).is_none()));
        let (mut kept, mut lost) = (Vec::new(), Vec::new());
        for release in releases {
            kept.push(Arc::clone(&release));
            let assembled =
                LoadedDeployment::assemble(Arc::clone(record), kept.clone(), Vec::new(), self.rules());
            if let Err(problems) = assembled {
                kept.pop();
                lost.push(UnavailableRelease {
                    id: release.id.clone(),
                    error: problems.join("; "),
                    known: None,
                });
            }
        }
        kept.sort_by(|one, other| one.id.cmp(&other.id));
        (kept, lost)
    }

    /// The candidate of a running rollout, without the sections whose releases cannot be loaded.
    async fn load_candidate(
        &self,
        store: &Store,
        next: &mut Self,
        number: u64,
    ) -> Result<Arc<LoadedCandidate>, LoadError> {
        let mut known = self.candidates.iter();
        let known = known.find(|known| known.deployment.number == number);
        if let Some(known) = known.filter(|known| known.unavailable.is_empty()) {
            return Ok(Arc::clone(known));
        }
        let record = next.record(number).cloned();
        let record = record.ok_or_else(|| LoadError::DeploymentNotFound(number).of_visible(number))?;
        let ids = record.changed_ids();
        let (releases, unavailable) = self.load_releases(store, next, ids.collect(), number).await?;
        Ok(Arc::new(LoadedCandidate::new(record, releases, unavailable)))
    }

    /// Releases that visitors of a deployment get, and those that cannot be loaded.
    async fn load_releases(
        &self,
        store: &Store,
        next: &mut Self,
        ids: Vec<ReleaseId>,
        number: u64,
    ) -> Result<(Vec<Arc<LoadedRelease>>, Vec<UnavailableRelease>), LoadError> {
        // If the store becomes unreachable, keep the current snapshot. At startup, fail, so that
        // other gateways take the traffic, unless a local copy exists.
        let may_be_away = self.state.is_none() && next.is_partial;
        let (mut releases, mut unavailable) = (Vec::new(), Vec::new());
        for id in ids {
            match next.find_release(store, &id).await {
                Ok(release) => {
                    next.add_release(&release);
                    releases.push(release);
                }
                Err(error) if id.name != SHELL && (may_be_away || !error.is_away()) => {
                    let error = error.to_string();
                    unavailable.push(next.unavailable_release(id, error));
                }
                Err(error) => return Err(error.of_visible(number)),
            }
        }
        Ok((releases, unavailable))
    }

    /// This snapshot after a change that created this deployment, without reading the store; `None`
    /// if visitors get another one that is not loaded.
    pub(crate) fn changed(&self, state: &LiveState, created: Option<LoadedDeployment>) -> Option<Self> {
        let rules = self.rules_with(Some(state));
        let mut next = Self {
            state: Some(state.clone()),
            live: None,
            candidates: Vec::new(),
            records: self.records.clone(),
            preview_keys: self.preview_keys.clone(),
            releases: self.releases.clone(),
            stored: self.stored.clone(),
            is_partial: self.is_partial,
            sets: self.sets_with(Some(state), &rules),
            rules,
        };
        let created = created.map(Arc::new);
        if let Some(loaded) = &created {
            let number = loaded.deployment.number;
            next.stored.push(number);
            next.records.insert(number, Arc::clone(&loaded.deployment));
            loaded
                .releases
                .iter()
                .for_each(|release| next.add_release(release));
        }
        let live = created
            .as_ref()
            .filter(|created| created.deployment.number == state.live());
        next.live = match live {
            Some(created) => Some(Arc::clone(created)),
            None => Some(next.ruled(&self.base(state.live())?)),
        };
        for rollout in state.visible.rollouts() {
            let known = self.candidates.iter();
            let mut known = known.filter(|known| known.deployment.number == rollout.candidate);
            let candidate = match known.next() {
                Some(known) => Arc::clone(known),
                None => next.candidate(rollout.candidate)?,
            };
            next.candidates.push(candidate);
        }
        next.mark_public_releases();
        Some(next)
    }

    /// Drops the releases that no deployment uses.
    fn drop_unused_releases(&mut self) {
        let named: HashSet<(&String, &String)> = self
            .records
            .values()
            .flat_map(|record| &record.releases)
            .collect();
        for versions in self.releases.values_mut() {
            versions.retain(|_, known| named.contains(&(&known.release.id.name, &known.release.id.version)));
        }
    }

    /// Marks the releases that a deployment other than a preview uses.
    fn mark_public_releases(&mut self) {
        let records = self.records.values().filter(|record| !record.preview);
        let public: HashSet<(&String, &String)> = records.flat_map(|record| &record.releases).collect();
        for known in self.releases.values_mut().flat_map(HashMap::values_mut) {
            let ReleaseId { name, version } = &known.release.id;
            known.is_public = public.contains(&(name, version));
        }
    }

    /// A release from this snapshot or, if it is not there, from the store.
    pub async fn find_release(&self, store: &Store, id: &ReleaseId) -> Result<Arc<LoadedRelease>, LoadError> {
        if let Some(release) = self.known(id) {
            return Ok(release);
        }
        let stored = store.release(id).await?;
        let stored = stored.ok_or_else(|| LoadError::ReleaseNotFound(id.clone()))?;
        Ok(Arc::new(LoadedRelease::new(id, stored)?))
    }

    fn add_release(&mut self, release: &Arc<LoadedRelease>) {
        let versions = self.releases.entry(release.id.name.clone()).or_default();
        let known = KnownRelease {
            release: Arc::clone(release),
            is_public: false,
        };
        versions.insert(release.id.version.clone(), known);
    }
}

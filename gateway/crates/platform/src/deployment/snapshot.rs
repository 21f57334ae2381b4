//! An immutable view of the store, which a request uses from start to end.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use foldhash::HashMap;

use super::error::LoadError;
use colonnade_model::deployment::{
    Deployment, LiveState, ReleaseChange, ReleaseSummary, Rollout, SetName, release_changes,
};
use colonnade_model::extension_rules::{ExtensionRules, PointRules};
use colonnade_model::pattern::RequestPath;
use colonnade_model::release::{ReleaseId, SHELL};
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};
use colonnade_store::loaded::{LoadedCandidate, LoadedDeployment, LoadedRelease, UnavailableRelease};
use colonnade_store::{Store, StoreError};
use colonnade_web::byte_cache::ByteCache;
use futures_util::{StreamExt as _, stream};

/// The most bytes of composed sets that are kept.
const SETS_BYTES: usize = 16 << 20;

/// The estimated bytes of a release in a set with routes of its own.
const ROUTED_RELEASE_BYTES: usize = 2048;

/// The estimated bytes of a release in a set that shares the routes of its live deployment.
const SHARED_RELEASE_BYTES: usize = 64;

/// The deployments and releases of the store at one revision.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    state: Option<LiveState>,
    /// The live deployment; `None` before the first deploy.
    live: Option<Arc<LoadedDeployment>>,
    /// The candidates of the running rollouts, in their order.
    candidates: Vec<Arc<LoadedCandidate>>,
    /// The stored deployments whose releases are loaded, by number.
    records: BTreeMap<u64, Arc<Deployment>>,
    preview_keys: RotatingKeys,
    /// What operators decide about extensions. All its sets follow them.
    pub(super) rules: Arc<ExtensionRules>,
    /// By name, then by version.
    releases: Releases,
    /// The numbers of all stored deployments, also of those that cannot be loaded, ascending.
    stored: Vec<u64>,
    /// Whether it lacks what visitors do not get now, previews and earlier deployments: it was read
    /// from a local copy, or the store became unreachable meanwhile.
    is_partial: bool,
    sets: Arc<Sets>,
}

/// The sets that were composed, except that of the live deployment alone.
#[derive(Debug)]
struct Sets(ByteCache<SetName, LoadedDeployment>);

type Releases = HashMap<String, HashMap<String, KnownRelease>>;

/// A release of a stored deployment.
#[derive(Debug, Clone)]
struct KnownRelease {
    release: Arc<LoadedRelease>,
    /// Whether every visitor may load it. False if only previews use it.
    is_public: bool,
}

/// A running rollout.
#[derive(Debug)]
pub struct RunningRollout<'a> {
    /// The index of the rollout in the live state.
    pub(super) index: usize,
    /// The stored record.
    pub record: &'a Rollout,
    /// The live deployment.
    pub live: &'a Arc<LoadedDeployment>,
    /// What the rollout changes.
    pub candidate: &'a Arc<LoadedCandidate>,
}

impl RunningRollout<'_> {
    /// The releases that visitors with the candidate get.
    pub fn releases(&self) -> BTreeMap<String, String> {
        self.candidate
            .deployment
            .applied_to(&self.live.deployment.releases)
    }

    /// The release changes of the rollout, by section.
    pub fn changes(&self) -> BTreeMap<String, ReleaseChange> {
        release_changes(&self.live.deployment.releases, &self.releases())
    }
}

impl Default for Sets {
    fn default() -> Self {
        Self(ByteCache::new(SETS_BYTES))
    }
}

/// The number of deployments or releases that are read at a time: in a bucket, most of a read is
/// waiting.
pub(super) const CONCURRENT_READS: usize = 16;

/// Runs the reads, up to [`CONCURRENT_READS`] at once.
pub(crate) async fn concurrently<F: Future>(reads: impl Iterator<Item = F>) -> Vec<F::Output> {
    // Collected, because the borrow checker cannot name the lifetimes of a lazy iterator.
    let reads: Vec<F> = reads.collect();
    stream::iter(reads).buffered(CONCURRENT_READS).collect().await
}

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
    /// The live deployment.
    pub fn live(&self) -> Option<&Arc<LoadedDeployment>> {
        self.live.as_ref()
    }

    /// The running rollouts.
    pub fn rollouts(&self) -> impl Iterator<Item = RunningRollout<'_>> {
        let records = self.state.iter().flat_map(|state| state.visible.rollouts());
        let rollouts = records.zip(&self.candidates).enumerate();
        rollouts.filter_map(|(index, (record, candidate))| {
            Some(RunningRollout {
                index,
                record,
                live: self.live()?,
                candidate,
            })
        })
    }

    /// The candidates that change how an extension of a section is rendered: they change the section
    /// or the shell.
    pub fn candidates_of<'a>(&'a self, section: &'a str) -> impl Iterator<Item = u64> + 'a {
        let changes = |running: &RunningRollout<'_>| {
            let candidate = running.candidate;
            candidate.changes(section) || candidate.changes(SHELL)
        };
        self.rollouts()
            .filter(changes)
            .map(|running| running.record.candidate)
    }

    /// The releases of the live deployment and of the candidates.
    pub fn visible_releases(&self) -> impl Iterator<Item = &Arc<LoadedRelease>> {
        let live = self.live.iter().flat_map(|live| &live.releases);
        live.chain(self.candidates.iter().flat_map(|candidate| &candidate.releases))
    }

    /// The releases of sections that visitors should get, but that are missing or damaged.
    pub fn unavailable(&self) -> impl Iterator<Item = &UnavailableRelease> {
        let live = self.live.iter().flat_map(|live| &live.unavailable);
        live.chain(
            self.candidates
                .iter()
                .flat_map(|candidate| &candidate.unavailable),
        )
    }

    /// Whether a release that visitors should get is missing or damaged.
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

    /// The record of a stored deployment.
    pub fn record(&self, number: u64) -> Option<&Arc<Deployment>> {
        self.records.get(&number)
    }

    /// The highest number of a stored deployment; 0 before the first.
    pub fn newest(&self) -> u64 {
        self.records.last_key_value().map_or(0, |(number, _)| *number)
    }

    /// The highest number of a deployment that visitors get. A change in progress creates higher
    /// ones, and takes effect only while they get the same deployments.
    pub(super) fn newest_visible(&self) -> u64 {
        let numbers = self.state.iter().flat_map(|state| state.visible.numbers());
        numbers.max().unwrap_or(0)
    }

    /// How many deployments are stored.
    pub fn stored_count(&self) -> usize {
        self.stored.len()
    }

    /// Whether another gateway may offer a set that this snapshot does not: it has changed the live
    /// deployment since.
    pub fn may_offer_elsewhere(&self, set: &SetName) -> bool {
        let Some(state) = self.state() else {
            return true;
        };
        let is_newer = set.live() > state.live();
        let is_candidate = state.visible.numbers().any(|number| number == set.live());
        !state.visible.has_offered(set) && (is_newer || is_candidate || set.newest() > self.newest())
    }

    /// The number of the next deployment. The newest is never removed, so numbers only rise.
    pub(super) fn next_number(&self) -> u64 {
        self.stored.last().map_or(1, |last| last + 1)
    }

    /// A release of a stored deployment, and whether every visitor may load it: not if only
    /// previews use it.
    pub fn release(&self, name: &str, version: &str) -> Option<(&Arc<LoadedRelease>, bool)> {
        let KnownRelease { release, is_public } = self.releases.get(name)?.get(version)?;
        Some((release, *is_public))
    }

    /// The live deployment alone, and with each candidate.
    pub fn visible_sets(&self) -> Vec<Arc<LoadedDeployment>> {
        let candidates = self.rollouts().filter_map(|running| {
            let name = SetName::with(running.live.deployment.number, [running.record.candidate]);
            self.set(&name)
        });
        self.live().cloned().into_iter().chain(candidates).collect()
    }

    /// The set with this name, if its deployments are stored, whether or not visitors get it.
    pub fn set(&self, name: &SetName) -> Option<Arc<LoadedDeployment>> {
        if name.candidates().is_empty() {
            return self.base(name.live());
        }
        let candidates = name.candidates().iter().map(|number| self.candidate(*number));
        self.compose(name, candidates.collect::<Option<_>>()?)
    }

    /// What visitors of a set get at a path: the set without the candidates that decide nothing
    /// there. Its name, its documents and its page data are the same for all these visitors. `None`
    /// is the path of no page.
    pub fn set_at(&self, name: &SetName, path: Option<&RequestPath>) -> Option<Arc<LoadedDeployment>> {
        let base = self.base(name.live())?;
        if name.candidates().is_empty() {
            return Some(base);
        }
        let candidates = name.candidates().iter().map(|number| self.candidate(*number));
        let candidates: Vec<_> = candidates.collect::<Option<_>>()?;
        let deciding = base.deciding(&candidates, path);
        if deciding.is_empty() {
            return Some(base);
        }
        let numbers = deciding.iter().map(|candidate| candidate.deployment.number);
        self.compose(&SetName::with(name.live(), numbers), deciding)
    }

    fn compose(
        &self,
        name: &SetName,
        candidates: Vec<Arc<LoadedCandidate>>,
    ) -> Option<Arc<LoadedDeployment>> {
        if let Some(set) = self.sets.0.get(name) {
            return Some(set);
        }
        let base = self.base(name.live())?;
        let set = Arc::new(base.with(candidates));
        // The set of an earlier deployment may be all that keeps its routes in memory.
        let is_live = self.live().is_some_and(|live| Arc::ptr_eq(live, &base));
        let bytes = if is_live {
            SHARED_RELEASE_BYTES
        } else {
            ROUTED_RELEASE_BYTES
        };
        self.keep(&set, bytes);
        Some(set)
    }

    /// The set of a stored deployment without candidates.
    fn base(&self, number: u64) -> Option<Arc<LoadedDeployment>> {
        if let Some(live) = self.live().filter(|live| live.deployment.number == number) {
            return Some(Arc::clone(live));
        }
        // What is deleted is not served from the cache, either.
        let record = self.record(number)?;
        let name = SetName::of_live(number);
        if let Some(set) = self.sets.0.get(&name) {
            return Some(set);
        }
        let releases = record.release_ids().map(|id| self.known(&id));
        let set = LoadedDeployment::assemble(
            Arc::clone(record),
            releases.collect::<Option<_>>()?,
            Vec::new(),
            self.rules(),
        );
        let set = Arc::new(set.ok()?);
        self.keep(&set, ROUTED_RELEASE_BYTES);
        Some(set)
    }

    fn rules(&self) -> Arc<ExtensionRules> {
        Arc::clone(&self.rules)
    }

    /// A set with the rules of this snapshot.
    fn ruled(&self, set: &Arc<LoadedDeployment>) -> Arc<LoadedDeployment> {
        if Arc::ptr_eq(&set.rules, &self.rules) {
            Arc::clone(set)
        } else {
            Arc::new(set.with_rules(self.rules()))
        }
    }

    /// This snapshot with these rules for extensions, from the configuration; `None` if it has them.
    pub(super) fn with_points(&self, points: BTreeMap<String, PointRules>) -> Option<Self> {
        let rules = self.rules.with_points(points);
        if Arc::ptr_eq(&rules, &self.rules) {
            return None;
        }
        Some(Self {
            live: self
                .live()
                .map(|live| Arc::new(live.with_rules(Arc::clone(&rules)))),
            sets: Arc::default(),
            rules,
            ..self.clone()
        })
    }

    /// The rules for extensions that follow from a live state.
    fn rules_with(&self, state: Option<&LiveState>) -> Arc<ExtensionRules> {
        self.rules.with_off(state.map(LiveState::off).unwrap_or_default())
    }

    /// The composed sets that stay with a live state: those of another live deployment would keep its
    /// routes in memory, and those with other rules show other extensions.
    fn sets_with(&self, state: Option<&LiveState>, rules: &Arc<ExtensionRules>) -> Arc<Sets> {
        let live = self.state.as_ref().map(LiveState::live);
        if live == state.map(LiveState::live) && Arc::ptr_eq(rules, &self.rules) {
            Arc::clone(&self.sets)
        } else {
            Arc::default()
        }
    }

    /// Keeps a composed set. What is unavailable can become available.
    fn keep(&self, set: &Arc<LoadedDeployment>, release_bytes: usize) {
        if set.unavailable.is_empty() {
            let bytes = set.releases.len() * release_bytes;
            self.sets.0.put(set.set.clone(), Arc::clone(set), bytes);
        }
    }

    /// The changes of a candidate, whether or not its rollout is running.
    fn candidate(&self, number: u64) -> Option<Arc<LoadedCandidate>> {
        let mut running = self.candidates.iter();
        if let Some(running) = running.find(|running| running.deployment.number == number) {
            return Some(Arc::clone(running));
        }
        let record = self.record(number)?;
        let changed = record.changed_ids();
        let releases = changed.map(|id| self.known(&id)).collect::<Option<_>>()?;
        Some(Arc::new(LoadedCandidate::new(
            Arc::clone(record),
            releases,
            Vec::new(),
        )))
    }

    fn known(&self, id: &ReleaseId) -> Option<Arc<LoadedRelease>> {
        self.release(&id.name, &id.version)
            .map(|(release, _)| Arc::clone(release))
    }

    /// Whether these deployments were stored when it was read.
    pub(super) fn has_all_of(&self, stored: &[u64]) -> bool {
        self.stored == stored
    }

    /// Whether it has this live state, and lacks nothing: an unavailable release may have been
    /// repaired, and the store may be reachable again.
    pub(super) fn shows(&self, state: Option<&LiveState>) -> bool {
        self.state.as_ref() == state && !self.is_partial && self.unavailable().next().is_none()
    }

    /// Reads what belongs to a live state, and reuses what this snapshot has loaded: deployments
    /// and releases never change. The live state must have been read before, because the rest is
    /// stored first.
    pub(super) async fn refreshed(&self, store: &Store, state: Option<LiveState>) -> Result<Self, LoadError> {
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

    /// A release that cannot be loaded, with what the live state knows of it.
    pub(super) fn unavailable_release(&self, id: ReleaseId, error: String) -> UnavailableRelease {
        let summary = self
            .state()
            .and_then(|state| state.summaries.get(&id.to_string()));
        let known = summary.and_then(|summary| LoadedRelease::from_summary(&id, summary));
        UnavailableRelease {
            id,
            error,
            known: known.map(Arc::new),
        }
    }

    /// What is known of the section releases that visitors get in a live state. `created` is a new
    /// deployment of it.
    pub(super) fn summaries(
        &self,
        state: &LiveState,
        created: Option<&LoadedDeployment>,
    ) -> BTreeMap<String, ReleaseSummary> {
        let record = |number| {
            let created = created.filter(|created| created.deployment.number == number);
            let record = created
                .map(|created| &created.deployment)
                .or_else(|| self.record(number))?;
            Some(&**record)
        };
        let live = record(state.live()).into_iter().flat_map(Deployment::release_ids);
        let candidates = state.visible.rollouts().iter();
        let candidates = candidates.filter_map(|rollout| record(rollout.candidate));
        let changed = candidates.flat_map(Deployment::changed_ids);
        let before = self.state().map(|state| &state.summaries);
        let summaries = live.chain(changed).filter_map(|id| {
            let mut loaded = created.into_iter().flat_map(|created| &created.releases);
            let loaded = loaded.find(|release| release.id == id).cloned();
            let name = id.to_string();
            let summary = match loaded.or_else(|| self.known(&id)) {
                Some(release) => release.summary()?,
                None => before?.get(&name)?.clone(),
            };
            Some((name, summary))
        });
        summaries.collect()
    }

    /// This snapshot after a change that created this deployment, without reading the store; `None`
    /// if visitors get another one that is not loaded.
    pub(super) fn changed(&self, state: &LiveState, created: Option<LoadedDeployment>) -> Option<Self> {
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

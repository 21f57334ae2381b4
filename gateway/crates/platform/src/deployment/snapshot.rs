//! An immutable view of the store, which a request uses from start to end.

mod load;
mod sets;

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashMap;

use colonnade_model::deployment::{
    Deployment, LiveState, ReleaseChange, ReleaseSummary, Rollout, SetName, release_changes,
};
use colonnade_model::extension_rules::ExtensionRules;
use colonnade_model::release::{ReleaseId, ReleaseSource, SHELL};
use colonnade_model::rotating_keys::RotatingKeys;
use colonnade_store::loaded::{LoadedCandidate, LoadedDeployment, LoadedRelease, UnavailableRelease};
use colonnade_web::byte_cache::ByteCache;
use futures_util::{StreamExt as _, stream};

/// The most bytes of composed sets that are kept.
const SETS_BYTES: usize = 16 << 20;

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
    pub(crate) fn stored_count(&self) -> usize {
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

    /// The sources of those of these releases, each with its name and its version, that are retained
    /// and have one, by `name@version`.
    pub fn sources<'a>(
        &self,
        releases: impl Iterator<Item = (&'a String, &'a String)>,
    ) -> BTreeMap<String, ReleaseSource> {
        let source = |(name, version): (&String, &String)| {
            let (release, _) = self.release(name, version)?;
            Some((release.id.to_string(), release.source.clone()?))
        };
        releases.filter_map(source).collect()
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
}

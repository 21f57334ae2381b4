//! The sets that visitors get, composed of the stored deployments.

use std::collections::BTreeMap;
use std::sync::Arc;

use colonnade_model::deployment::{LiveState, SetName};
use colonnade_model::extension_rules::{ExtensionRules, PointRules};
use colonnade_model::pattern::RequestPath;
use colonnade_store::loaded::{LoadedCandidate, LoadedDeployment};

use crate::deployment::snapshot::{Sets, Snapshot};

/// The estimated bytes of a release in a set with routes of its own.
const ROUTED_RELEASE_BYTES: usize = 2048;

/// The estimated bytes of a release in a set that shares the routes of its live deployment.
const SHARED_RELEASE_BYTES: usize = 64;

impl Snapshot {
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
    pub(super) fn base(&self, number: u64) -> Option<Arc<LoadedDeployment>> {
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

    pub(super) fn rules(&self) -> Arc<ExtensionRules> {
        Arc::clone(&self.rules)
    }

    /// A set with the rules of this snapshot.
    pub(super) fn ruled(&self, set: &Arc<LoadedDeployment>) -> Arc<LoadedDeployment> {
        if Arc::ptr_eq(&set.rules, &self.rules) {
            Arc::clone(set)
        } else {
            Arc::new(set.with_rules(self.rules()))
        }
    }

    /// This snapshot with these rules for extensions, from the configuration; `None` if it has them.
    pub(crate) fn with_points(&self, points: BTreeMap<String, PointRules>) -> Option<Self> {
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
    pub(crate) fn rules_with(&self, state: Option<&LiveState>) -> Arc<ExtensionRules> {
        self.rules.with_off(state.map(LiveState::off).unwrap_or_default())
    }

    /// The composed sets that stay with a live state: those of another live deployment would keep its
    /// routes in memory, and those with other rules show other extensions.
    pub(super) fn sets_with(&self, state: Option<&LiveState>, rules: &Arc<ExtensionRules>) -> Arc<Sets> {
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
    pub(super) fn candidate(&self, number: u64) -> Option<Arc<LoadedCandidate>> {
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
}

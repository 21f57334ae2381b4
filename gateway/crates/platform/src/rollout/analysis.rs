//! Canary analysis: compares visitors with and without the changes of a rollout.
//!
//! Each gateway counts in memory, for the running rollouts only, and adds what the other gateways
//! of the store have counted. A visitor's deployment includes the changes of some rollouts and not
//! of others, so each request, view and failure counts once per rollout. Clients are told apart by
//! a hash of the IPv4 address or the /56 of the IPv6 address; the address itself is not stored.
//! Reports of browsers count once per client and group, and only from clients that were sent a
//! document of the group. The caller also checks their cookie. Counts and their time begin with
//! each step and in each process, and at each change of the percentage: the comparison needs a
//! constant share of visitors.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::time::Duration;

use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use colonnade_config::RolloutSettings;
use colonnade_model::canary::{CountedStep, GatewayCounts, RolloutCounts};
use colonnade_model::deployment::{Rollout, SetName, VisibleDeployments};
use colonnade_store::loaded::ExtensionManifest;
use colonnade_web::client::ClientKey;

use crate::rollout::query_result::{Queried, QueryResult};
use crate::rollout::report::{AnalysisReport, latency_limit};
use crate::rollout::samples::{Client, Measurement, PageHash, Requests, Side, Views, counts};

/// How long the counts of other gateways are used without being received again.
const MAX_AGE: Duration = Duration::from_mins(1);

/// Counts what happens on both sides of the running rollouts, and compares them.
pub struct CanaryAnalysis {
    settings: RolloutSettings,
    /// Has a random key per process.
    page_hash: RandomState,
    /// By the ID of the rollout.
    counts: Mutex<HashMap<String, Counts>>,
    /// The counts of the other gateways.
    others: Mutex<Others>,
    /// What Prometheus has answered, by the ID of the rollout.
    queried: Mutex<HashMap<String, Queried>>,
}

#[derive(Default)]
struct Others {
    counts: Vec<GatewayCounts>,
    /// When they were received.
    received_at: Option<Instant>,
}

struct Counts {
    step: CountedStep,
    /// When these counts began. Unlike the time in the store, it has no outages and no clock jumps.
    since: Instant,
    /// Visitors without the changes of the rollout.
    live: Group,
    /// Visitors with the changes of the rollout.
    candidate: Group,
}

#[derive(Default)]
struct Group {
    views: Views,
    requests: Requests,
}

impl CanaryAnalysis {
    /// Starts an analysis with these settings.
    pub fn new(settings: RolloutSettings) -> Self {
        Self {
            settings,
            page_hash: RandomState::new(),
            counts: Mutex::default(),
            others: Mutex::default(),
            queried: Mutex::default(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &RolloutSettings {
        &self.settings
    }

    /// The hash that identifies a client. All gateways have the same one.
    pub fn client_hash(&self, address: IpAddr) -> u64 {
        let client = ClientKey::new(address).network();
        // Many providers give each home a whole /56 network.
        let network = client.wider().unwrap_or(client);
        let hash = Sha256::digest(network.to_bytes());
        hash[..8]
            .iter()
            .fold(0, |hash, byte| hash << 8 | u64::from(*byte))
    }

    /// The hashes that identify a page of a section and one of its paths.
    pub fn page_hash(&self, section: &str, pattern: &str, path: &str) -> PageHash {
        PageHash {
            pattern: self.page_hash.hash_one((section, pattern)),
            path: self.page_hash.hash_one(path),
        }
    }

    /// The hashes that identify an extension and the path of a page with it.
    pub fn extension_hash(&self, extension: &ExtensionManifest, path: &str) -> PageHash {
        let name = (&extension.section.name, extension.point.as_str());
        PageHash {
            pattern: self.page_hash.hash_one(name),
            path: self.page_hash.hash_one((name, path)),
        }
    }

    /// Counts a document of a set that was sent to a client.
    pub fn record_view(&self, visible: &VisibleDeployments, set: &SetName, client: u64) {
        self.update(visible, set, client, |_, group, client| {
            group.views.record(client);
        });
    }

    /// Counts a failure of a set that a client reports, in the rollouts of the candidates that it may
    /// concern.
    pub fn record_failure(
        &self,
        visible: &VisibleDeployments,
        set: &SetName,
        client: u64,
        concerns: impl Fn(u64) -> bool,
    ) {
        self.update(visible, set, client, |(candidate, _), group, client| {
            if concerns(candidate) {
                group.views.record_failure(client);
            }
        });
    }

    /// Counts a response of a set to a client.
    pub fn record_response(
        &self,
        visible: &VisibleDeployments,
        set: &SetName,
        client: u64,
        measurement: Measurement<'_>,
    ) {
        self.update(visible, set, client, |side, group, client| {
            group.requests.record(side, client, measurement);
        });
    }

    /// Compares both sides of a rollout, as far as this gateway and the others have seen them.
    pub fn report(&self, rollout: &Rollout) -> AnalysisReport {
        let (_, all, gateways) = self.count(rollout);
        let counted = Duration::from_millis(all.counted_ms);
        AnalysisReport::new(&all.candidate, &all.live, (counted, gateways), &self.settings)
            .with_queries(self.queries(rollout))
    }

    /// What Prometheus has answered for the current step; `None`: it was not asked yet.
    fn queries(&self, rollout: &Rollout) -> Option<Vec<QueryResult>> {
        if self.settings.criteria.is_empty() {
            return Some(Vec::new());
        }
        self.queried(rollout).map(|queried| queried.results)
    }

    /// What Prometheus has answered for the current step.
    pub(super) fn queried(&self, rollout: &Rollout) -> Option<Queried> {
        let queried = self.queried.lock();
        let queried = queried.get(&rollout.id);
        queried
            .filter(|queried| queried.step == CountedStep::of(rollout))
            .cloned()
    }

    pub(super) fn set_queried(&self, rollout: &str, queried: Queried) {
        self.queried.lock().insert(rollout.to_owned(), queried);
    }

    /// Forgets the rollouts that are not running.
    pub(super) fn retain_queried(&self, is_running: impl Fn(&str) -> bool) {
        self.queried.lock().retain(|id, _| is_running(id));
    }

    /// What this gateway has counted of these rollouts, for the others.
    pub(crate) fn own_counts<'a>(&self, rollouts: impl Iterator<Item = &'a Rollout>) -> GatewayCounts {
        GatewayCounts {
            rollouts: rollouts.map(|rollout| self.count(rollout).0).collect(),
        }
    }

    /// Uses what the other gateways have counted.
    pub(crate) fn set_counts_of_others(&self, counts: Vec<GatewayCounts>) {
        *self.others.lock() = Others {
            counts,
            received_at: Some(Instant::now()),
        };
    }

    /// What this gateway has counted of a rollout, the sum of all gateways, and how many they are.
    fn count(&self, rollout: &Rollout) -> (RolloutCounts, RolloutCounts, usize) {
        let mut counts = self.counts.lock();
        let counts = counts
            .entry(rollout.id.clone())
            .or_insert_with(|| Counts::new(rollout));
        if counts.step != CountedStep::of(rollout) {
            *counts = Counts::new(rollout);
        }
        let mut own = counts.shared(rollout);
        let others = self.others.lock();
        let others = others.of(&own);
        let mut all = own.clone();
        for other in &others {
            all.add(other);
        }
        // The limit depends on what all have counted.
        let slow = counts
            .candidate
            .requests
            .slow_clients(latency_limit(&all.live, &self.settings));
        all.candidate.slow_clients.add(&slow);
        own.candidate.slow_clients = slow;
        (own, all, others.len() + 1)
    }

    /// Updates the visitor's group in each rollout, of which `update` gets the candidate and the side.
    /// A set of an earlier live deployment is not counted.
    fn update(
        &self,
        visible: &VisibleDeployments,
        set: &SetName,
        hash: u64,
        update: impl Fn((u64, Side), &mut Group, Client<'_>),
    ) {
        let Some(rollouts) = visible.rollouts_in(set) else {
            return;
        };
        if visible.rollouts().is_empty() {
            return;
        }
        let mut counts = self.counts.lock();
        counts.retain(|id, _| visible.rollouts().iter().any(|rollout| rollout.id == *id));
        for (rollout, is_candidate) in rollouts {
            let counts = counts
                .entry(rollout.id.clone())
                .or_insert_with(|| Counts::new(rollout));
            if counts.step != CountedStep::of(rollout) {
                // A request in flight can have an earlier snapshot.
                if rollout.step_started_at() <= counts.step.started_at {
                    continue;
                }
                *counts = Counts::new(rollout);
            }
            let (side, group) = if is_candidate {
                (Side::Candidate, &mut counts.candidate)
            } else {
                (Side::Live, &mut counts.live)
            };
            let key = &rollout.key;
            update((rollout.candidate, side), group, Client { hash, key });
        }
    }
}

impl Others {
    /// The counts of the same step.
    fn of(&self, own: &RolloutCounts) -> Vec<&RolloutCounts> {
        if self.received_at.is_none_or(|at| at.elapsed() > MAX_AGE) {
            return Vec::new();
        }
        let all = self.counts.iter().flat_map(|gateway| &gateway.rollouts);
        all.filter(|counts| counts.rollout == own.rollout && counts.step == own.step)
            .collect()
    }
}

impl Counts {
    fn new(rollout: &Rollout) -> Self {
        Self {
            step: CountedStep::of(rollout),
            since: Instant::now(),
            live: Group::default(),
            candidate: Group::default(),
        }
    }

    /// The counts without slow clients.
    fn shared(&self, rollout: &Rollout) -> RolloutCounts {
        RolloutCounts {
            rollout: rollout.id.clone(),
            step: self.step,
            counted_ms: u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX),
            live: counts(&self.live.views, &self.live.requests),
            candidate: counts(&self.candidate.views, &self.candidate.requests),
        }
    }
}

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

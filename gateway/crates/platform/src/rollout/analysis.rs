//! Canary analysis: compares visitors with and without the changes of a rollout.
//!
//! Each gateway counts in memory, for the running rollouts only. A visitor's deployment includes the changes of some rollouts and
//! not of others, so each request, view and failure counts once per rollout. Clients are told apart by a keyed hash of the IPv4
//! address or the /56 of the IPv6 address; the address itself is not stored. Reports of browsers count once per client and group,
//! and only from clients that were sent a document of the group. The caller also checks their cookie. Counts and their time
//! begin with each step and in each process, and at each change of the percentage: the comparison needs a constant share of
//! visitors.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::time::Instant;

use colonnade_config::RolloutSettings;
use colonnade_model::deployment::{Rollout, VisibleDeployments};
use colonnade_web::client::ClientKey;

use super::report::AnalysisReport;
use super::samples::{Measurement, PageHash, Requests, Side, Views};

/// Counts what happens on both sides of the running rollouts, and compares them.
pub struct CanaryAnalysis {
    settings: RolloutSettings,
    /// Has a random key per process.
    hash: RandomState,
    /// By the ID of the rollout.
    counts: Mutex<HashMap<String, Counts>>,
}

struct Counts {
    step: Step,
    /// When the counts began. Unlike the time in the store, it has no outages and no clock jumps.
    since: Instant,
    /// Visitors without the changes of the rollout.
    live: Group,
    /// Visitors with the changes of the rollout.
    candidate: Group,
}

/// When the counted step began, `None` without steps, and its percentage.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Step(Option<Timestamp>, u8);

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
            hash: RandomState::new(),
            counts: Mutex::default(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &RolloutSettings {
        &self.settings
    }

    /// The hash that identifies a client.
    pub fn client_hash(&self, address: IpAddr) -> u64 {
        let client = ClientKey::new(address).network();
        // Many providers give each home a whole /56 network.
        self.hash.hash_one(client.wider().unwrap_or(client))
    }

    /// The hashes that identify a page of a section and one of its paths.
    pub fn page_hash(&self, section: &str, pattern: &str, path: &str) -> PageHash {
        PageHash {
            pattern: self.hash.hash_one((section, pattern)),
            path: self.hash.hash_one(path),
        }
    }

    /// Counts a document of a deployment that was sent to a client.
    pub fn record_view(&self, visible: &VisibleDeployments, deployment: u64, client: u64) {
        self.update(visible, deployment, |_, group| group.views.record(client));
    }

    /// Counts a failure of a deployment that a client reports.
    pub fn record_failure(&self, visible: &VisibleDeployments, deployment: u64, client: u64) {
        self.update(visible, deployment, |_, group| group.views.record_failure(client));
    }

    /// Counts a response of a deployment to a client.
    pub fn record_response(
        &self,
        visible: &VisibleDeployments,
        deployment: u64,
        client: u64,
        measurement: Measurement,
    ) {
        self.update(visible, deployment, |side, group| {
            group.requests.record(side, client, measurement);
        });
    }

    /// Compares both sides of a rollout, as far as this gateway has seen them.
    pub fn report(&self, rollout: &Rollout) -> AnalysisReport {
        let mut counts = self.counts.lock();
        let counts = counts
            .entry(rollout.id.clone())
            .or_insert_with(|| Counts::new(rollout));
        if counts.step != Step::of(rollout) {
            *counts = Counts::new(rollout);
        }
        AnalysisReport::new(
            (&counts.candidate.requests, &counts.candidate.views),
            (&counts.live.requests, &counts.live.views),
            counts.since.elapsed(),
            &self.settings,
        )
    }

    /// Updates the visitor's group in each rollout. A deployment that visitors no longer see is not counted.
    fn update(&self, visible: &VisibleDeployments, deployment: u64, update: impl Fn(Side, &mut Group)) {
        let Some(rollouts) = visible.rollouts_in(deployment) else {
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
            if counts.step != Step::of(rollout) {
                // A request in flight can have an earlier snapshot.
                if rollout.step_started_at() <= counts.step.0 {
                    continue;
                }
                *counts = Counts::new(rollout);
            }
            if is_candidate {
                update(Side::Candidate, &mut counts.candidate);
            } else {
                update(Side::Live, &mut counts.live);
            }
        }
    }
}

impl Counts {
    fn new(rollout: &Rollout) -> Self {
        Self {
            step: Step::of(rollout),
            since: Instant::now(),
            live: Group::default(),
            candidate: Group::default(),
        }
    }
}

impl Step {
    fn of(rollout: &Rollout) -> Self {
        Self(rollout.step_started_at(), rollout.percent)
    }
}

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

//! What gateways count about both sides of the running rollouts, in a form that can be added up.
//!
//! Gateways share these counts through the store. They contain no address: see [`ClientSet`].

mod client_set;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use client_set::ClientSet;

use crate::deployment::Rollout;

/// What one gateway has counted about all running rollouts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GatewayCounts {
    /// Each rollout that the gateway knows.
    pub rollouts: Vec<RolloutCounts>,
}

/// What one gateway has counted about a rollout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RolloutCounts {
    /// The ID of the rollout.
    pub rollout: String,
    /// What was counted. Counts of another step are not comparable.
    pub step: CountedStep,
    /// For how long, in milliseconds.
    pub counted_ms: u64,
    /// The visitors without the changes of the rollout.
    pub live: TrackCounts,
    /// The visitors with them.
    pub candidate: TrackCounts,
}

/// The part of a rollout with a constant share of visitors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CountedStep {
    /// When the step began; `None` without steps.
    pub started_at: Option<Timestamp>,
    /// The percentage of visitors who get the candidate.
    pub percent: u8,
}

/// The counts of the visitors on one side of a rollout.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TrackCounts {
    /// The documents that were sent.
    pub documents: u64,
    /// The clients that received one.
    pub viewers: ClientSet,
    /// Those of them that reported a failure.
    pub failed_viewers: ClientSet,
    /// The requests for documents and page data.
    pub requests: u64,
    /// The clients that sent them.
    pub clients: ClientSet,
    /// The requests with a 5xx status.
    pub server_errors: FailureCounts,
    /// The requests that the gateway could not render.
    pub render_failures: FailureCounts,
    /// The clients with a request that exceeds the latency limit, as the gateway knows it.
    pub slow_clients: ClientSet,
    /// The number of requests by rounded latency in microseconds.
    #[serde(with = "latencies")]
    pub latencies: BTreeMap<u64, u64>,
}

/// Failed requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FailureCounts {
    /// Their number.
    pub requests: u64,
    /// The clients that sent them.
    pub clients: ClientSet,
}

impl CountedStep {
    /// The current step of a rollout.
    pub fn of(rollout: &Rollout) -> Self {
        Self {
            started_at: rollout.step_started_at(),
            percent: rollout.percent,
        }
    }
}

impl RolloutCounts {
    /// Adds what another gateway has counted in the same step. The time is the longest of all: a
    /// gateway that has just started continues the step of the others.
    pub fn add(&mut self, other: &Self) {
        self.counted_ms = self.counted_ms.max(other.counted_ms);
        self.live.add(&other.live);
        self.candidate.add(&other.candidate);
    }
}

impl TrackCounts {
    fn add(&mut self, other: &Self) {
        add(&mut self.documents, other.documents);
        self.viewers.add(&other.viewers);
        self.failed_viewers.add(&other.failed_viewers);
        add(&mut self.requests, other.requests);
        self.clients.add(&other.clients);
        self.server_errors.add(&other.server_errors);
        self.render_failures.add(&other.render_failures);
        self.slow_clients.add(&other.slow_clients);
        for (latency, requests) in &other.latencies {
            add(self.latencies.entry(*latency).or_default(), *requests);
        }
    }

    /// The latency in microseconds that 99 % of requests do not exceed; `None` without requests.
    pub fn latency_p99(&self) -> Option<u64> {
        let mut slower = self.requests / 100;
        let mut slowest_first = self.latencies.iter().rev();
        let (micros, _) = slowest_first.find(|(_, count)| {
            let is_reached = **count > slower;
            slower = slower.saturating_sub(**count);
            is_reached
        })?;
        Some(*micros)
    }

    /// The number of requests whose rounded latency exceeds a rounded limit in microseconds.
    pub fn slower_than(&self, limit: u64) -> u64 {
        let slower = self.latencies.range(limit.saturating_add(1)..);
        slower.fold(0, |sum, (_, requests)| sum.saturating_add(*requests))
    }
}

impl FailureCounts {
    fn add(&mut self, other: &Self) {
        add(&mut self.requests, other.requests);
        self.clients.add(&other.clients);
    }
}

fn add(sum: &mut u64, other: u64) {
    *sum = sum.saturating_add(other);
}

/// Latencies as JSON: numbers as keys do not survive the flattened fields of a versioned file.
mod latencies {
    use std::collections::BTreeMap;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        latencies: &BTreeMap<u64, u64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            latencies
                .iter()
                .map(|(latency, requests)| (latency.to_string(), requests)),
        )
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<u64, u64>, D::Error> {
        let latencies = BTreeMap::<String, u64>::deserialize(deserializer)?;
        let parsed = latencies.into_iter().map(|(latency, requests)| {
            let latency = latency.parse().map_err(D::Error::custom)?;
            Ok((latency, requests))
        });
        parsed.collect()
    }
}

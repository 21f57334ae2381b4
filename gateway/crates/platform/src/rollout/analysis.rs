//! Canary analysis: compares the failure rates of visitors with and without the changes of a rollout.
//!
//! Each gateway counts in memory, for the running rollouts only. A visitor's deployment includes the changes of some rollouts
//! and not of others, so each view and each failure counts once per rollout. A client counts once per rollout and group, by
//! a keyed hash of its IPv4 address or the first half of its IPv6 address; the address itself is not stored. Reports count
//! only from clients that were sent a document of the group.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;

use parking_lot::Mutex;

use colonnade_config::RolloutSettings;
use colonnade_model::deployment::{Rollout, VisibleDeployments};

use super::AbortDecision;

/// The maximum number of clients that are counted per group, far more than a decision needs.
const MAX_CLIENTS: usize = 100_000;

/// Counts the views and failures of the running rollouts, and decides which to abort.
pub struct CanaryAnalysis {
    settings: RolloutSettings,
    /// Has a random key per process.
    hash: RandomState,
    /// By the ID of the rollout.
    counts: Mutex<HashMap<String, Counts>>,
}

#[derive(Default)]
struct Counts {
    /// Visitors without the changes of the rollout.
    live: Tally,
    /// Visitors with the changes of the rollout.
    candidate: Tally,
    /// Whether the rollout is to be aborted.
    is_decided: bool,
}

#[derive(Default)]
struct Tally {
    views: u64,
    clients: HashSet<u64>,
    failed: HashSet<u64>,
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

    /// The hash that identifies a client.
    pub fn client_hash(&self, address: IpAddr) -> u64 {
        match address.to_canonical() {
            IpAddr::V4(address) => self.hash.hash_one(address.octets()),
            // One customer has a whole /64 network.
            IpAddr::V6(address) => self.hash.hash_one(&address.segments()[..4]),
        }
    }

    /// Counts a document of a deployment that was sent to a client. Returns the rollouts to abort.
    pub fn record_view(
        &self,
        visible: &VisibleDeployments,
        deployment: u64,
        address: IpAddr,
    ) -> Vec<AbortDecision> {
        let client = self.client_hash(address);
        self.update(visible, deployment, |tally| {
            tally.views += 1;
            if tally.clients.len() < MAX_CLIENTS {
                tally.clients.insert(client);
            }
        })
    }

    /// Counts a failure of a deployment that a client reports. Returns the rollouts to abort.
    pub fn record_failure(
        &self,
        visible: &VisibleDeployments,
        deployment: u64,
        client: u64,
    ) -> Vec<AbortDecision> {
        self.update(visible, deployment, |tally| {
            if tally.clients.contains(&client) {
                tally.failed.insert(client);
            }
        })
    }

    /// Allows another decision, because the abort failed: the next report repeats it.
    pub fn reset_decision(&self, rollout: &Rollout) {
        if let Some(counts) = self.counts.lock().get_mut(&rollout.id) {
            counts.is_decided = false;
        }
    }

    /// Updates the visitor's group in each rollout. A deployment that visitors no longer see is not counted.
    fn update(
        &self,
        visible: &VisibleDeployments,
        deployment: u64,
        update: impl Fn(&mut Tally),
    ) -> Vec<AbortDecision> {
        let Some(rollouts) = visible.rollouts_in(deployment) else {
            return Vec::new();
        };
        if !self.settings.automatic_abort {
            return Vec::new();
        }
        let mut counts = self.counts.lock();
        counts.retain(|id, _| visible.rollouts().iter().any(|rollout| rollout.id == *id));
        let decisions = rollouts.filter_map(|(rollout, is_candidate)| {
            let counts = counts.entry(rollout.id.clone()).or_default();
            update(if is_candidate {
                &mut counts.candidate
            } else {
                &mut counts.live
            });
            if counts.is_decided {
                return None;
            }
            let reason = counts.abort_reason(&self.settings)?;
            counts.is_decided = true;
            Some(AbortDecision {
                rollout: rollout.clone(),
                reason,
            })
        });
        decisions.collect()
    }
}

impl Counts {
    /// Why the rollout must be aborted, if it must.
    fn abort_reason(&self, settings: &RolloutSettings) -> Option<String> {
        let Self { live, candidate, .. } = self;
        let has_enough_data =
            candidate.views >= settings.min_views && candidate.failures() >= settings.min_clients;
        let (rate, live_rate) = (
            candidate.rate(settings.report_sample_percent),
            live.rate(settings.report_sample_percent),
        );
        (has_enough_data && rate > live_rate + f64::from(settings.abort_margin_percent)).then(|| {
            format!(
                "{rate:.1} % of {} clients with the rollout's releases failed, and {live_rate:.1} % of {} without",
                candidate.clients.len(),
                live.clients.len()
            )
        })
    }
}

impl Tally {
    fn failures(&self) -> u64 {
        self.failed.len() as u64
    }

    /// The percentage of clients with a failure, if only `sample_percent` of failures are reported.
    #[expect(clippy::cast_precision_loss, reason = "MAX_CLIENTS is exactly representable")]
    fn rate(&self, report_sample_percent: u8) -> f64 {
        if self.clients.is_empty() {
            return 0.0;
        }
        let share = self.failed.len() as f64 / self.clients.len() as f64;
        (share * 100.0 * 100.0 / f64::from(report_sample_percent)).min(100.0)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::{AbortDecision, CanaryAnalysis};
    use colonnade_config::RolloutSettings;
    use colonnade_model::deployment::{Rollout, VisibleDeployments};

    const SETTINGS: RolloutSettings = RolloutSettings {
        steps: None,
        automatic_abort: true,
        abort_margin_percent: 10,
        min_views: 40,
        min_clients: 5,
        report_sample_percent: 100,
    };

    const LIVE: u64 = 1;
    const CANDIDATE: u64 = 2;

    fn rollout(id: &str) -> Rollout {
        Rollout {
            id: id.to_owned(),
            percent: 10,
            started_at: colonnade_clock::now(),
            by: "team".to_owned(),
            progress: None,
            unknown: serde_json::Map::new(),
        }
    }

    fn one_rollout(id: &str) -> VisibleDeployments {
        VisibleDeployments::live_only(LIVE).started(rollout(id), vec![CANDIDATE])
    }

    fn client(number: u32) -> IpAddr {
        Ipv4Addr::from_bits(0x0a00_0000 + number).into()
    }

    /// Counts views and failures; returns whether they led to an abort.
    fn count(analysis: &CanaryAnalysis, deployment: u64, viewers: u32, failing: u32) -> bool {
        let visible = one_rollout("one");
        let mut decision = false;
        for number in 0..viewers {
            decision |= !analysis
                .record_view(&visible, deployment, client(number))
                .is_empty();
        }
        for number in 0..failing {
            let client = analysis.client_hash(client(number));
            decision |= !analysis.record_failure(&visible, deployment, client).is_empty();
        }
        decision
    }

    #[test]
    fn failure_rate_above_margin_aborts_once() {
        let analysis = CanaryAnalysis::new(SETTINGS);
        assert!(!count(&analysis, LIVE, 100, 10));
        // 20 % does not exceed 10 % plus the margin.
        assert!(!count(&analysis, CANDIDATE, 50, 10));
        let next = analysis.client_hash(client(10));
        let decision = analysis.record_failure(&one_rollout("one"), CANDIDATE, next);
        assert_eq!(
            decision
                .iter()
                .map(|decision| &*decision.reason)
                .collect::<Vec<_>>(),
            ["22.0 % of 50 clients with the rollout's releases failed, and 10.0 % of 100 without"]
        );
        assert!(
            analysis
                .record_failure(&one_rollout("one"), CANDIDATE, analysis.client_hash(client(11)))
                .is_empty()
        );
        analysis.reset_decision(&rollout("one"));
        assert!(
            analysis
                .record_failure(&one_rollout("one"), CANDIDATE, analysis.client_hash(client(12)))
                .len()
                == 1
        );
    }

    #[test]
    fn too_little_data_or_disabled_analysis_never_aborts() {
        assert!(!count(&CanaryAnalysis::new(SETTINGS), CANDIDATE, 39, 39));
        assert!(!count(&CanaryAnalysis::new(SETTINGS), CANDIDATE, 40, 4));
        assert!(count(&CanaryAnalysis::new(SETTINGS), CANDIDATE, 40, 5));
        let disabled = RolloutSettings {
            automatic_abort: false,
            ..SETTINGS
        };
        assert!(!count(&CanaryAnalysis::new(disabled), CANDIDATE, 400, 400));
    }

    #[test]
    fn live_failures_never_abort() {
        assert!(!count(&CanaryAnalysis::new(SETTINGS), LIVE, 400, 400));
    }

    #[test]
    fn failure_counts_once_per_client_with_view() {
        let analysis = CanaryAnalysis::new(SETTINGS);
        assert!(!count(&analysis, CANDIDATE, 40, 0));
        for _ in 0..100 {
            let client = analysis.client_hash(client(0));
            assert!(
                analysis
                    .record_failure(&one_rollout("one"), CANDIDATE, client)
                    .is_empty()
            );
        }
        for number in 1000..2000 {
            let unknown = analysis.client_hash(client(number));
            assert!(
                analysis
                    .record_failure(&one_rollout("one"), CANDIDATE, unknown)
                    .is_empty()
            );
        }
    }

    #[test]
    fn sampled_failures_are_scaled_up() {
        let sampled = RolloutSettings {
            report_sample_percent: 50,
            ..SETTINGS
        };
        assert!(!count(&CanaryAnalysis::new(sampled.clone()), CANDIDATE, 100, 5));
        assert!(count(&CanaryAnalysis::new(sampled), CANDIDATE, 100, 6));
    }

    #[test]
    fn new_rollout_resets_counts() {
        let analysis = CanaryAnalysis::new(SETTINGS);
        count(&analysis, CANDIDATE, 40, 4);
        let next = analysis.client_hash(client(5));
        assert!(
            analysis
                .record_failure(&one_rollout("two"), CANDIDATE, next)
                .is_empty()
        );
    }

    #[test]
    fn only_failing_one_of_two_rollouts_is_aborted() {
        let analysis = CanaryAnalysis::new(SETTINGS);
        // The deployments are: live, healthy, failing, both.
        let visible = VisibleDeployments::live_only(1)
            .started(rollout("healthy"), vec![2])
            .started(rollout("failing"), vec![3, 4]);
        let mut decisions: Vec<AbortDecision> = Vec::new();
        for number in 0..200 {
            let deployment = u64::from(number % 4) + 1;
            decisions.extend(analysis.record_view(&visible, deployment, client(number)));
            if matches!(deployment, 3 | 4) {
                let client = analysis.client_hash(client(number));
                decisions.extend(analysis.record_failure(&visible, deployment, client));
            }
        }
        let aborted: Vec<&str> = decisions.iter().map(|decision| &*decision.rollout.id).collect();
        assert_eq!(aborted, ["failing"]);
    }

    #[test]
    fn ipv6_network_counts_as_one_client() {
        let analysis = CanaryAnalysis::new(SETTINGS);
        let of = |text: &str| analysis.client_hash(text.parse().expect("an address"));
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::2"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}

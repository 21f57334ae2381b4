//! Canary analysis: compares the failure rates of the candidate and the live deployment.
//!
//! Each gateway counts in memory, for the running rollout only. A client counts once per deployment, by a keyed hash of its
//! IPv4 address or the first half of its IPv6 address; the address itself is not stored. Reports count only from clients
//! that were sent a document of the deployment.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;

use parking_lot::Mutex;

use colonnade_config::RolloutSettings;
use colonnade_model::deployment::Rollout;

use super::AbortDecision;
use crate::deployment::Snapshot;

/// The most clients counted per deployment; far more than a decision needs.
const MAX_CLIENTS: usize = 100_000;

/// One of the two deployments that visitors see during a rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RolloutGroup {
    /// The live deployment.
    Live,
    /// The candidate.
    Candidate,
}

/// Counts the views and failures of both groups of the running rollout, and decides whether to abort it.
pub struct CanaryAnalysis {
    settings: RolloutSettings,
    /// Has a random key per process.
    hash: RandomState,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    /// The ID of the rollout.
    rollout: String,
    live: Tally,
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

impl RolloutGroup {
    /// The group of a deployment in the running rollout, if it is part of it.
    pub fn of(snapshot: &Snapshot, deployment: u64) -> Option<Self> {
        let rollout = snapshot.rollout()?;
        if rollout.candidate.number() == deployment {
            return Some(Self::Candidate);
        }
        let is_live = snapshot.live().is_some_and(|live| live.number() == deployment);
        is_live.then_some(Self::Live)
    }
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

    /// Counts a document that was sent to a client.
    pub fn record_view(
        &self,
        rollout: &Rollout,
        group: RolloutGroup,
        address: IpAddr,
    ) -> Option<AbortDecision> {
        let client = self.client_hash(address);
        self.update(rollout, |counts| {
            let tally = counts.tally(group);
            tally.views += 1;
            if tally.clients.len() < MAX_CLIENTS {
                tally.clients.insert(client);
            }
        })
    }

    /// Counts a failure that a client reports.
    pub fn record_failure(
        &self,
        rollout: &Rollout,
        group: RolloutGroup,
        client: u64,
    ) -> Option<AbortDecision> {
        self.update(rollout, |counts| {
            let tally = counts.tally(group);
            if tally.clients.contains(&client) {
                tally.failed.insert(client);
            }
        })
    }

    /// Allows another decision, because the abort failed: the next report repeats it.
    pub fn reset_decision(&self, rollout: &Rollout) {
        let mut counts = self.counts.lock();
        if counts.rollout == rollout.id {
            counts.is_decided = false;
        }
    }

    fn update(&self, rollout: &Rollout, update: impl FnOnce(&mut Counts)) -> Option<AbortDecision> {
        if !self.settings.automatic_abort {
            return None;
        }
        let mut counts = self.counts.lock();
        if counts.rollout != rollout.id {
            *counts = Counts {
                rollout: rollout.id.clone(),
                ..Counts::default()
            };
        }
        update(&mut counts);
        if counts.is_decided {
            return None;
        }
        let reason = counts.abort_reason(&self.settings)?;
        counts.is_decided = true;
        Some(AbortDecision {
            rollout: rollout.clone(),
            reason,
        })
    }
}

impl Counts {
    fn tally(&mut self, group: RolloutGroup) -> &mut Tally {
        match group {
            RolloutGroup::Live => &mut self.live,
            RolloutGroup::Candidate => &mut self.candidate,
        }
    }

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
                "the candidate failed for {rate:.1} % of {} clients, the live deployment for {live_rate:.1} % of {}",
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

    use super::{CanaryAnalysis, RolloutGroup};
    use colonnade_config::RolloutSettings;
    use colonnade_model::deployment::Rollout;

    const SETTINGS: RolloutSettings = RolloutSettings {
        automatic_abort: true,
        abort_margin_percent: 10,
        min_views: 40,
        min_clients: 5,
        report_sample_percent: 100,
    };

    fn rollout(id: &str) -> Rollout {
        Rollout {
            id: id.to_owned(),
            deployment: 2,
            percent: 10,
            started_at: colonnade_clock::now(),
        }
    }

    fn client(number: u32) -> IpAddr {
        Ipv4Addr::from_bits(0x0a00_0000 + number).into()
    }

    /// Counts views and failures; returns whether they led to an abort.
    fn count(analysis: &CanaryAnalysis, group: RolloutGroup, viewers: u32, failing: u32) -> bool {
        let rollout = rollout("one");
        let mut decision = false;
        for number in 0..viewers {
            decision |= analysis.record_view(&rollout, group, client(number)).is_some();
        }
        for number in 0..failing {
            let client = analysis.client_hash(client(number));
            decision |= analysis.record_failure(&rollout, group, client).is_some();
        }
        decision
    }

    #[test]
    fn failure_rate_above_margin_aborts_once() {
        let analysis = CanaryAnalysis::new(SETTINGS);
        assert!(!count(&analysis, RolloutGroup::Live, 100, 10));
        // 20 % does not exceed 10 % plus the margin.
        assert!(!count(&analysis, RolloutGroup::Candidate, 50, 10));
        let next = analysis.client_hash(client(10));
        let decision = analysis.record_failure(&rollout("one"), RolloutGroup::Candidate, next);
        assert_eq!(
            decision.map(|decision| decision.reason).as_deref(),
            Some("the candidate failed for 22.0 % of 50 clients, the live deployment for 10.0 % of 100")
        );
        assert!(
            analysis
                .record_failure(
                    &rollout("one"),
                    RolloutGroup::Candidate,
                    analysis.client_hash(client(11))
                )
                .is_none()
        );
        analysis.reset_decision(&rollout("one"));
        assert!(
            analysis
                .record_failure(
                    &rollout("one"),
                    RolloutGroup::Candidate,
                    analysis.client_hash(client(12))
                )
                .is_some()
        );
    }

    #[test]
    fn too_little_data_or_disabled_analysis_never_aborts() {
        assert!(!count(
            &CanaryAnalysis::new(SETTINGS),
            RolloutGroup::Candidate,
            39,
            39
        ));
        assert!(!count(
            &CanaryAnalysis::new(SETTINGS),
            RolloutGroup::Candidate,
            40,
            4
        ));
        assert!(count(
            &CanaryAnalysis::new(SETTINGS),
            RolloutGroup::Candidate,
            40,
            5
        ));
        let disabled = RolloutSettings {
            automatic_abort: false,
            ..SETTINGS
        };
        assert!(!count(
            &CanaryAnalysis::new(disabled),
            RolloutGroup::Candidate,
            400,
            400
        ));
    }

    #[test]
    fn live_failures_never_abort() {
        assert!(!count(
            &CanaryAnalysis::new(SETTINGS),
            RolloutGroup::Live,
            400,
            400
        ));
    }

    #[test]
    fn failure_counts_once_per_client_with_view() {
        let analysis = CanaryAnalysis::new(SETTINGS);
        assert!(!count(&analysis, RolloutGroup::Candidate, 40, 0));
        for _ in 0..100 {
            let client = analysis.client_hash(client(0));
            assert!(
                analysis
                    .record_failure(&rollout("one"), RolloutGroup::Candidate, client)
                    .is_none()
            );
        }
        for number in 1000..2000 {
            let unknown = analysis.client_hash(client(number));
            assert!(
                analysis
                    .record_failure(&rollout("one"), RolloutGroup::Candidate, unknown)
                    .is_none()
            );
        }
    }

    #[test]
    fn sampled_failures_are_scaled_up() {
        let sampled = RolloutSettings {
            report_sample_percent: 50,
            ..SETTINGS
        };
        assert!(!count(
            &CanaryAnalysis::new(sampled),
            RolloutGroup::Candidate,
            100,
            5
        ));
        assert!(count(
            &CanaryAnalysis::new(sampled),
            RolloutGroup::Candidate,
            100,
            6
        ));
    }

    #[test]
    fn new_rollout_resets_counts() {
        let analysis = CanaryAnalysis::new(SETTINGS);
        count(&analysis, RolloutGroup::Candidate, 40, 4);
        let next = analysis.client_hash(client(5));
        assert!(
            analysis
                .record_failure(&rollout("two"), RolloutGroup::Candidate, next)
                .is_none()
        );
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

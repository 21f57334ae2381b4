//! Comparing how often a candidate fails with how often the live deployment does.
//!
//! Everything here is counted in memory, by this process alone, and forgotten with the rollout. A client is counted
//! once for each deployment it sees, by a keyed hash of its address, or of the first half of it where that is IPv6:
//! the address itself is not kept. A report only counts from a client that was sent a document of that deployment.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;

use parking_lot::Mutex;

use super::Verdict;
use crate::config;
use crate::deployment::{Rollout, Snapshot};

/// The most clients told apart; a verdict is found long before.
const MAX_CLIENTS: usize = 100_000;

/// One of the two deployments that visitors see during a rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Live,
    Candidate,
}

/// Counts views and failures of the two sides of the rollout that runs, and judges.
pub(crate) struct Judge {
    settings: config::Rollout,
    /// Its key is drawn when the process starts.
    hash: RandomState,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    /// The rollout that is counted, by its id.
    rollout: String,
    live: Tally,
    candidate: Tally,
    /// Whether it was judged to have failed.
    judged: bool,
}

#[derive(Default)]
struct Tally {
    views: u64,
    clients: HashSet<u64>,
    failed: HashSet<u64>,
}

impl Side {
    /// The side of a deployment in the rollout that runs.
    pub(crate) fn of(snapshot: &Snapshot, deployment: u64) -> Option<Self> {
        let rollout = snapshot.rollout()?;
        if rollout.candidate.number() == deployment {
            return Some(Self::Candidate);
        }
        let is_live = snapshot.live().is_some_and(|live| live.number() == deployment);
        is_live.then_some(Self::Live)
    }
}

impl Judge {
    /// A judge by these settings.
    pub(crate) fn new(settings: config::Rollout) -> Self {
        Self {
            settings,
            hash: RandomState::new(),
            counts: Mutex::default(),
        }
    }

    /// What a client is counted as.
    pub(crate) fn client(&self, address: IpAddr) -> u64 {
        match address.to_canonical() {
            IpAddr::V4(address) => self.hash.hash_one(address.octets()),
            // One household or customer has at least the second half to itself.
            IpAddr::V6(address) => self.hash.hash_one(&address.segments()[..4]),
        }
    }

    /// A client was sent a document of one side.
    pub(crate) fn viewed(&self, rollout: &Rollout, side: Side, address: IpAddr) -> Option<Verdict> {
        let client = self.client(address);
        self.count(rollout, |counts| {
            let tally = counts.of(side);
            tally.views += 1;
            if tally.clients.len() < MAX_CLIENTS {
                tally.clients.insert(client);
            }
        })
    }

    /// A client says that something failed on one side.
    pub(super) fn failed(&self, rollout: &Rollout, side: Side, client: u64) -> Option<Verdict> {
        self.count(rollout, |counts| {
            let tally = counts.of(side);
            if tally.clients.contains(&client) {
                tally.failed.insert(client);
            }
        })
    }

    /// Whoever was to take the candidate back could not: the next report leads to the same verdict.
    pub(crate) fn appeal(&self, rollout: &Rollout) {
        let mut counts = self.counts.lock();
        if counts.rollout == rollout.id {
            counts.judged = false;
        }
    }

    fn count(&self, rollout: &Rollout, what: impl FnOnce(&mut Counts)) -> Option<Verdict> {
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
        what(&mut counts);
        if counts.judged {
            return None;
        }
        let reason = counts.judge(&self.settings)?;
        counts.judged = true;
        Some(Verdict {
            rollout: rollout.clone(),
            reason,
        })
    }
}

impl Counts {
    fn of(&mut self, side: Side) -> &mut Tally {
        match side {
            Side::Live => &mut self.live,
            Side::Candidate => &mut self.candidate,
        }
    }

    /// Why the candidate has failed, if it has.
    fn judge(&self, settings: &config::Rollout) -> Option<String> {
        let Self { live, candidate, .. } = self;
        let enough =
            candidate.views >= settings.minimum_views && candidate.failures() >= settings.minimum_clients;
        let (rate, live_rate) = (
            candidate.rate(settings.sample_percent),
            live.rate(settings.sample_percent),
        );
        (enough && rate > live_rate + f64::from(settings.margin_percent)).then(|| {
            format!(
                "it failed for {rate:.1} % of {} clients, what is live for {live_rate:.1} % of {}",
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

    /// How many of 100 clients it failed for, when so many of 100 failures are reported.
    #[expect(clippy::cast_precision_loss, reason = "there are never so many clients")]
    fn rate(&self, sample_percent: u8) -> f64 {
        if self.clients.is_empty() {
            return 0.0;
        }
        let share = self.failed.len() as f64 / self.clients.len() as f64;
        (share * 100.0 * 100.0 / f64::from(sample_percent)).min(100.0)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::{Judge, Side};
    use crate::clock;
    use crate::config;
    use crate::deployment::Rollout;

    const SETTINGS: config::Rollout = config::Rollout {
        automatic_abort: true,
        margin_percent: 10,
        minimum_views: 40,
        minimum_clients: 5,
        sample_percent: 100,
    };

    fn rollout(id: &str) -> Rollout {
        Rollout {
            id: id.to_owned(),
            deployment: 2,
            percent: 10,
            started_at: clock::now(),
        }
    }

    fn client(number: u32) -> IpAddr {
        Ipv4Addr::from_bits(0x0a00_0000 + number).into()
    }

    /// Whether anything led to a verdict.
    fn drive(judge: &Judge, side: Side, viewers: u32, failing: u32) -> bool {
        let rollout = rollout("one");
        let mut verdict = false;
        for number in 0..viewers {
            verdict |= judge.viewed(&rollout, side, client(number)).is_some();
        }
        for number in 0..failing {
            let client = judge.client(client(number));
            verdict |= judge.failed(&rollout, side, client).is_some();
        }
        verdict
    }

    #[test]
    fn a_candidate_that_fails_more_often_than_live_by_the_margin_is_taken_back_once() {
        let judge = Judge::new(SETTINGS);
        assert!(!drive(&judge, Side::Live, 100, 10));
        // 20 % is no more than 10 % and the margin.
        assert!(!drive(&judge, Side::Candidate, 50, 10));
        let next = judge.client(client(10));
        let verdict = judge.failed(&rollout("one"), Side::Candidate, next);
        assert_eq!(
            verdict.map(|verdict| verdict.reason).as_deref(),
            Some("it failed for 22.0 % of 50 clients, what is live for 10.0 % of 100")
        );
        assert!(
            judge
                .failed(&rollout("one"), Side::Candidate, judge.client(client(11)))
                .is_none()
        );
        judge.appeal(&rollout("one"));
        assert!(
            judge
                .failed(&rollout("one"), Side::Candidate, judge.client(client(12)))
                .is_some()
        );
    }

    #[test]
    fn nothing_is_judged_by_too_few_views_or_clients_or_where_it_is_switched_off() {
        assert!(!drive(&Judge::new(SETTINGS), Side::Candidate, 39, 39));
        assert!(!drive(&Judge::new(SETTINGS), Side::Candidate, 40, 4));
        assert!(drive(&Judge::new(SETTINGS), Side::Candidate, 40, 5));
        let off = config::Rollout {
            automatic_abort: false,
            ..SETTINGS
        };
        assert!(!drive(&Judge::new(off), Side::Candidate, 400, 400));
    }

    #[test]
    fn what_fails_on_live_takes_nothing_back() {
        assert!(!drive(&Judge::new(SETTINGS), Side::Live, 400, 400));
    }

    #[test]
    fn a_report_counts_once_a_client_and_only_from_one_that_saw_the_deployment() {
        let judge = Judge::new(SETTINGS);
        assert!(!drive(&judge, Side::Candidate, 40, 0));
        for _ in 0..100 {
            let client = judge.client(client(0));
            assert!(judge.failed(&rollout("one"), Side::Candidate, client).is_none());
        }
        for number in 1000..2000 {
            let stranger = judge.client(client(number));
            assert!(judge.failed(&rollout("one"), Side::Candidate, stranger).is_none());
        }
    }

    #[test]
    fn a_sample_is_scaled_up() {
        let sampled = config::Rollout {
            sample_percent: 50,
            ..SETTINGS
        };
        assert!(!drive(&Judge::new(sampled), Side::Candidate, 100, 5));
        assert!(drive(&Judge::new(sampled), Side::Candidate, 100, 6));
    }

    #[test]
    fn another_rollout_starts_from_nothing() {
        let judge = Judge::new(SETTINGS);
        drive(&judge, Side::Candidate, 40, 4);
        let next = judge.client(client(5));
        assert!(judge.failed(&rollout("two"), Side::Candidate, next).is_none());
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one_client() {
        let judge = Judge::new(SETTINGS);
        let of = |text: &str| judge.client(text.parse().expect("an address"));
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::2"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}

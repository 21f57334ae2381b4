//! Counts calls and failures, over a sliding window and in a row. No client counts for more than
//! its share, so that what one client sends does not decide alone whether a backend works.

use std::hash::BuildHasher as _;
use std::time::Duration;

use colonnade_web::client::{ClientKey, Network};
use foldhash::fast::FixedState;
use tokio::time::Instant;

/// The number of parts of the window. The oldest one is forgotten at a time, so that the window is
/// up to a tenth shorter.
const PARTS: usize = 10;

/// The number of counts by client, which bounds the memory. Clients whose hash is the same share a
/// count.
const CLIENTS: usize = 256;

/// What a call says about its backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The backend has served the call.
    Served,
    /// It has not, perhaps because of what the client has sent.
    Failed,
    /// It could not be connected to. That is not because of the client.
    Unreachable,
}

/// Whose call it is: the index of the count of a client. Calls of the gateway itself, and those
/// that do not reach the backend, have none, and count in full.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller(Option<usize>);

/// The counts of a window.
#[derive(Debug)]
pub(crate) struct FailureWindow {
    parts: Vec<Part>,
    current: usize,
    /// When the current part began.
    began: Instant,
    total: Part,
}

/// Calls, and how many of them failed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Counts {
    pub(crate) calls: f64,
    pub(crate) failures: f64,
}

#[derive(Debug, Clone)]
struct Part {
    without_client: Tally,
    by_client: [Tally; CLIENTS],
}

#[derive(Debug, Clone, Copy)]
struct Tally {
    calls: u32,
    failures: u32,
}

/// The failures since the last success.
#[derive(Debug)]
pub(crate) struct FailuresInARow {
    count: u32,
    by_client: [u32; CLIENTS],
}

/// The network that counts as one client: an IPv4 address or an IPv6 /48, which one customer of a
/// provider may have.
pub(crate) fn network(client: Option<ClientKey>) -> Option<Network> {
    client.and_then(|client| client.networks().next())
}

/// The most that one client counts for, if a decision needs `threshold` failures: a quarter, but at
/// least one.
pub(crate) fn share(threshold: u32) -> u32 {
    (threshold / 4).max(1)
}

impl Caller {
    pub(crate) fn new(client: Option<ClientKey>, verdict: Verdict) -> Self {
        let network = network(client).filter(|_| verdict != Verdict::Unreachable);
        // A client that provokes a collision only counts for less.
        Self(network.and_then(|network| {
            let hash = FixedState::default().hash_one(network);
            usize::try_from(hash % CLIENTS as u64).ok()
        }))
    }
}

impl Tally {
    const EMPTY: Self = Self {
        calls: 0,
        failures: 0,
    };

    fn add(&mut self, is_failure: bool) {
        self.calls = self.calls.saturating_add(1);
        self.failures = self.failures.saturating_add(is_failure.into());
    }

    fn remove(&mut self, other: Self) {
        self.calls = self.calls.saturating_sub(other.calls);
        self.failures = self.failures.saturating_sub(other.failures);
    }

    /// Counts at most `share` calls, with the same part of failures.
    fn within(self, share: u32) -> Counts {
        let (calls, failures) = (f64::from(self.calls), f64::from(self.failures));
        if self.calls <= share {
            return Counts { calls, failures };
        }
        let share = f64::from(share);
        Counts {
            calls: share,
            failures: failures * share / calls,
        }
    }
}

impl Part {
    const EMPTY: Self = Self {
        without_client: Tally::EMPTY,
        by_client: [Tally::EMPTY; CLIENTS],
    };

    fn add(&mut self, Caller(index): Caller, is_failure: bool) {
        let tally = match index {
            Some(index) => &mut self.by_client[index],
            None => &mut self.without_client,
        };
        tally.add(is_failure);
    }

    fn remove(&mut self, other: &Self) {
        self.without_client.remove(other.without_client);
        for (tally, other) in self.by_client.iter_mut().zip(other.by_client) {
            tally.remove(other);
        }
    }
}

impl FailureWindow {
    /// An empty window.
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            parts: vec![Part::EMPTY; PARTS],
            current: 0,
            began: now,
            total: Part::EMPTY,
        }
    }

    /// Counts a call, and forgets those that are older than `length`.
    pub(crate) fn add(&mut self, now: Instant, length: Duration, caller: Caller, is_failure: bool) {
        self.advance(now, length / 10);
        self.parts[self.current].add(caller, is_failure);
        self.total.add(caller, is_failure);
    }

    /// The calls of the window, of each client at most `share`.
    pub(crate) fn counts(&self, share: u32) -> Counts {
        let total = self.total.without_client.within(u32::MAX);
        let by_client = self.total.by_client.iter();
        by_client.fold(total, |total, tally| {
            let counts = tally.within(share);
            Counts {
                calls: total.calls + counts.calls,
                failures: total.failures + counts.failures,
            }
        })
    }

    /// Forgets the parts that are too old.
    fn advance(&mut self, now: Instant, part: Duration) {
        for _ in 0..PARTS {
            if now.saturating_duration_since(self.began) < part {
                return;
            }
            self.began += part;
            self.current = (self.current + 1) % PARTS;
            let oldest = std::mem::replace(&mut self.parts[self.current], Part::EMPTY);
            self.total.remove(&oldest);
        }
        // All of them.
        self.began = now;
    }
}

impl Default for FailuresInARow {
    fn default() -> Self {
        Self {
            count: 0,
            by_client: [0; CLIENTS],
        }
    }
}

impl FailuresInARow {
    /// Counts a failure. Returns false if its client counts for `share` already.
    pub(crate) fn add(&mut self, Caller(index): Caller, share: u32) -> bool {
        if let Some(index) = index {
            if self.by_client[index] >= share {
                return false;
            }
            self.by_client[index] += 1;
        }
        self.count = self.count.saturating_add(1);
        true
    }

    /// The number of failures that count.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// A call has succeeded.
    pub(crate) fn clear(&mut self) {
        if self.count > 0 {
            *self = Self::default();
        }
    }
}

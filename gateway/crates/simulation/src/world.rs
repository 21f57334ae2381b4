//! What the gateways of a run share: the bucket, the clock and what goes wrong.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use tempfile::TempDir;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use crate::bucket::{Bucket, Reply, Request};
use crate::ledger::Ledger;
use crate::trace::Trace;

/// When runs begin, in seconds since 1970.
const START: i64 = 1_800_000_000;

/// How long a write takes at most to arrive in the replica, in milliseconds.
pub(crate) const REPLICATION_MS: u64 = 5000;

/// What the gateways of a run share.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) trace: Arc<Trace>,
    pub(crate) ledger: Mutex<Ledger>,
    /// Decides about the network.
    pub(crate) rng: Mutex<SmallRng>,
    /// The local caches.
    pub(crate) folder: TempDir,
    pub(crate) bucket: Mutex<Bucket>,
    /// The copy in another region.
    replica: Mutex<Bucket>,
    /// The number of gateways.
    pub(crate) gateways: AtomicUsize,
    /// The gateways that are cut off.
    pub(crate) cut: Mutex<BTreeSet<usize>>,
    /// The share of requests that go wrong, in thousandths.
    pub(crate) trouble: AtomicU32,
    start: Instant,
    /// How long garbage collection retains what visitors do not see any more.
    pub(crate) retain_hours: AtomicI64,
    /// How many seconds passed while nothing happened.
    idle: AtomicI64,
    pub(crate) violation: OnceLock<String>,
    pub(crate) is_violated: Notify,
}

/// How large a run is.
#[derive(Debug)]
pub(crate) struct Size {
    pub(crate) gateways: usize,
    /// The gateways that only read the replica.
    pub(crate) readers: usize,
    pub(crate) sections: usize,
    pub(crate) operators: usize,
    pub(crate) changes: usize,
    pub(crate) visitors: usize,
}

impl Size {
    /// Most runs are small, where rare orders of events are more frequent. A few have many
    /// gateways, many sections or both, such as one of the seeds of `make test`: that one has fewer
    /// changes, because each takes long.
    pub(crate) fn of(seed: u64, rng: &mut SmallRng) -> Self {
        let large = match (seed % 500, seed % 100) {
            (99, _) => Some((50, 200, 3)),
            (_, 99) => Some((50, 8, 6)),
            (_, 49) => Some((3, 200, 6)),
            _ => None,
        };
        if let Some((gateways, sections, operators)) = large {
            return Self {
                gateways,
                readers: 1,
                sections,
                operators,
                changes: 3,
                visitors: 10,
            };
        }
        Self {
            gateways: rng.random_range(2..6),
            readers: rng.random_range(0..3),
            sections: rng.random_range(1..6),
            operators: rng.random_range(2..6),
            changes: rng.random_range(2..7),
            visitors: rng.random_range(1..4),
        }
    }
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            trace: Arc::new(Trace::new()),
            ledger: Mutex::default(),
            rng: Mutex::new(SmallRng::seed_from_u64(seed)),
            folder: TempDir::new().unwrap(),
            bucket: Mutex::default(),
            replica: Mutex::default(),
            gateways: AtomicUsize::new(0),
            cut: Mutex::default(),
            trouble: AtomicU32::new(0),
            start: Instant::now(),
            retain_hours: AtomicI64::new(24),
            idle: AtomicI64::new(0),
            violation: OnceLock::new(),
            is_violated: Notify::new(),
        }
    }

    /// The right time.
    pub(crate) fn now(&self) -> Timestamp {
        let start = Timestamp::from_second(START + self.idle.load(Ordering::Relaxed)).unwrap();
        start + self.start.elapsed()
    }

    /// The share of requests that go wrong, in thousandths.
    pub(crate) fn trouble(&self) -> u32 {
        self.trouble.load(Ordering::Relaxed)
    }

    pub(crate) fn retain_hours(&self) -> i64 {
        self.retain_hours.load(Ordering::Relaxed)
    }

    pub(crate) fn is_cut(&self, gateway: usize) -> bool {
        self.cut.lock().contains(&gateway)
    }

    /// Makes a request take effect.
    pub(crate) fn apply(self: &Arc<Self>, who: &dyn Display, request: &Request) -> Reply {
        let mut bucket = self.bucket.lock();
        let reply = bucket.apply(request, self.now());
        self.trace.add(who, format_args!("{request}: {reply}"));
        let checked = match reply {
            Reply::Written { .. } => self.ledger.lock().written(&bucket.objects, request.key()),
            Reply::Deleted => self.ledger.lock().deleted(&bucket.objects, request.key()),
            _ => Ok(()),
        };
        if let Err(violation) = checked {
            self.violated(&violation);
        }
        if matches!(reply, Reply::Written { .. } | Reply::Deleted) {
            self.replicate(&bucket, request.key());
        }
        reply
    }

    /// Makes the newest write arrive in the replica, later and in no order.
    fn replicate(self: &Arc<Self>, bucket: &Bucket, key: &str) {
        let delay = Duration::from_millis(self.rng.lock().random_range(0..REPLICATION_MS));
        let (own, key) = (Arc::clone(self), key.to_owned());
        let (number, object) = (bucket.writes(), bucket.objects.get(&key).cloned());
        tokio::spawn(async move {
            sleep(delay).await;
            own.trace.add(&"replica", format_args!("gets {key}"));
            own.replica.lock().replicate(&key, number, object);
        });
    }

    /// Reads from the replica.
    pub(crate) fn apply_to_replica(&self, who: &dyn Display, request: &Request) -> Reply {
        let reply = self.replica.lock().apply(request, self.now());
        self.trace.add(who, format_args!("{request}: {reply}"));
        reply
    }

    /// The number of gateways, with the readers.
    pub(crate) fn gateways(&self) -> usize {
        self.gateways.load(Ordering::Relaxed)
    }

    /// Ends the run.
    pub(crate) fn violated(&self, what: &str) {
        self.trace.add(&"VIOLATED", format_args!("{what}"));
        let _ = self.violation.set(what.to_owned());
        self.is_violated.notify_one();
    }

    /// Nothing happens for a day, so that garbage collection finds something.
    pub(crate) fn pass_a_day(&self) {
        let day = Duration::from_hours(25).as_secs();
        self.idle
            .fetch_add(i64::try_from(day).unwrap(), Ordering::Relaxed);
        self.trace.add(&"world", format_args!("a day passes"));
    }
}

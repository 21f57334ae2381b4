//! A run: what a seed decides, and what happens to the gateways.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use colonnade_config::RolloutSettings;
use colonnade_web::request_scope;
use jiff::Timestamp;
use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use tempfile::TempDir;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use crate::bucket::{Bucket, Reply, Request};
use crate::gateway::{Gateway, clock_error};
use crate::ledger::Ledger;
use crate::operators::Operators;
use crate::trace::Trace;
use crate::visitors;

/// When runs begin, in seconds since 1970.
const START: i64 = 1_800_000_000;

/// By how many seconds a clock is wrong at most. Object stores refuse requests of machines whose
/// clocks are worse.
const MAX_CLOCK_ERROR: i64 = 15 * 60;

/// How long a run may take. Nothing in it waits that long.
const DEADLINE: Duration = Duration::from_hours(2);

/// More gateways do not wait with rollouts that are running.
const MANY: usize = 20;

/// How long a write takes at most to arrive in the replica, in milliseconds.
const REPLICATION_MS: u64 = 5000;

/// How long after the last fault every write has arrived.
const LATEST_WRITE: Duration = Duration::from_secs(30);

/// How long a gateway takes to serve what it can read.
const POLL: Duration = Duration::from_secs(5);

/// What the gateways of a run share.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) trace: Arc<Trace>,
    pub(crate) ledger: Mutex<Ledger>,
    /// Decides about the network.
    pub(crate) rng: Mutex<SmallRng>,
    /// The local caches.
    pub(crate) folder: TempDir,
    bucket: Mutex<Bucket>,
    /// The copy in another region.
    replica: Mutex<Bucket>,
    /// The number of gateways.
    gateways: AtomicUsize,
    /// The gateways that are cut off.
    cut: Mutex<BTreeSet<usize>>,
    /// The share of requests that go wrong, in thousandths.
    trouble: AtomicU32,
    start: Instant,
    /// How long garbage collection retains what visitors do not see any more.
    retain_hours: AtomicI64,
    /// How many seconds passed while nothing happened.
    idle: AtomicI64,
    violation: OnceLock<String>,
    is_violated: Notify,
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
    fn of(seed: u64, rng: &mut SmallRng) -> Self {
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
    fn new(seed: u64) -> Self {
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
    fn now(&self) -> Timestamp {
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
    fn pass_a_day(&self) {
        let day = Duration::from_hours(25).as_secs();
        self.idle
            .fetch_add(i64::try_from(day).unwrap(), Ordering::Relaxed);
        self.trace.add(&"world", format_args!("a day passes"));
    }
}

/// The result of a run.
pub(crate) struct Run {
    /// What must always hold, and did not.
    pub(crate) violation: Option<String>,
    pub(crate) changes: usize,
    pub(crate) trace: Arc<Trace>,
}

/// Runs the simulation of a seed on the current thread.
pub(crate) fn run(seed: u64) -> Run {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    request_scope::run_inline();
    colonnade_random::testing::seed(seed);
    runtime.block_on(async {
        let world = Arc::new(World::new(seed));
        let clock = Arc::clone(&world);
        colonnade_clock::testing::set(move || clock.now() + jiff::SignedDuration::from_secs(clock_error()));
        tokio::select! {
            biased;
            () = world.is_violated.notified() => {}
            () = live(&world, seed) => {}
            () = sleep(DEADLINE) => world.violated("the run does not end"),
        }
        Run {
            violation: world.violation.get().cloned(),
            changes: world.ledger.lock().states.len(),
            trace: world.trace.clone(),
        }
    })
}

async fn live(world: &Arc<World>, seed: u64) {
    // Apart from the network, so that both change independently.
    let mut rng = SmallRng::seed_from_u64(!seed);
    let size = Size::of(seed, &mut rng);
    world.trace.add(&"world", format_args!("{size:?}"));
    let mut settings = RolloutSettings::default();
    if rng.random() {
        // Steps pass without visitors.
        settings.analysis.min_requests = 0;
    }
    if size.readers == 0 && rng.random() {
        world.retain_hours.store(0, Ordering::Relaxed);
    }
    let gateways =
        (0..size.gateways).map(|number| Arc::new(Gateway::new(world, number, settings.clone(), false)));
    let writers: Vec<_> = gateways.collect();
    let operators = Arc::new(Operators::new(world, &writers, size.sections));
    operators.set_up(&mut rng).await;
    let count = size.gateways + size.readers;
    world.gateways.store(count, Ordering::Relaxed);
    let readers = size.gateways..count;
    let readers = readers.map(|number| Arc::new(Gateway::new(world, number, settings.clone(), true)));
    let readers: Vec<_> = readers.collect();
    // Until the replica has everything.
    sleep(Duration::from_millis(REPLICATION_MS)).await;
    for reader in &readers {
        reader.start().await;
    }
    let gateways: Vec<_> = writers.into_iter().chain(readers).collect();
    for phase in [Phase::Changes, Phase::Changes, Phase::Collections] {
        let trouble = [0, 5, 20, 60, 200][rng.random_range(0..5)];
        world.trouble.store(trouble, Ordering::Relaxed);
        world.trace.add(
            &"world",
            format_args!("{phase:?}, {trouble} of 1000 requests go wrong"),
        );
        let faults = tokio::spawn(faults(
            Arc::clone(world),
            gateways.clone(),
            SmallRng::from_rng(&mut rng),
        ));
        let visits: Vec<_> = (0..size.visitors)
            .map(|_| visitors::visit(world, &gateways, size.sections, SmallRng::from_rng(&mut rng)))
            .map(tokio::spawn)
            .collect();
        match phase {
            Phase::Changes => operators.work(&size, &mut rng).await,
            Phase::Collections => operators.collect_during_deploys(&size, &mut rng).await,
        }
        for visit in visits {
            visit.abort();
        }
        faults.abort();
        settle(world, &gateways, &operators).await;
        world.pass_a_day();
    }
    operators.check_fresh_gateway(settings).await;
}

/// What operators do.
#[derive(Debug)]
enum Phase {
    /// All kinds of changes.
    Changes,
    /// Garbage collections, and deploys of old releases.
    Collections,
}

/// Cuts gateways off, crashes them and changes their clocks.
async fn faults(world: Arc<World>, gateways: Vec<Arc<Gateway>>, mut rng: SmallRng) {
    loop {
        sleep(Duration::from_millis(rng.random_range(500..8000))).await;
        let gateway = Arc::clone(&gateways[rng.random_range(0..gateways.len())]);
        match rng.random_range(0..8) {
            0 | 1 => {
                world.trace.add(&gateway, format_args!("is cut off"));
                world.cut.lock().insert(gateway.number);
            }
            2 => {
                world.trace.add(&"world", format_args!("all are cut off"));
                world.cut.lock().extend(0..gateways.len());
            }
            3 | 4 => {
                world.trace.add(&"world", format_args!("none is cut off"));
                world.cut.lock().clear();
            }
            5 => {
                gateway.kill();
                gateway.start().await;
            }
            6 => {
                let error = rng.random_range(-MAX_CLOCK_ERROR..MAX_CLOCK_ERROR);
                world
                    .trace
                    .add(&gateway, format_args!("clock is wrong by {error} s"));
                gateway.clock_error.store(error, Ordering::Relaxed);
            }
            _ => {
                if gateway.process().is_none() {
                    gateway.start().await;
                }
            }
        }
    }
}

/// Ends all faults, waits until everything is at rest, and checks it.
async fn settle(world: &World, gateways: &[Arc<Gateway>], operators: &Operators) {
    world.trace.add(&"world", format_args!("no more faults"));
    world.trouble.store(0, Ordering::Relaxed);
    world.cut.lock().clear();
    // While a rollout is running, each of many gateways reads the counts of all others, which takes
    // most of the time of a run.
    if gateways.len() > MANY {
        operators.end_rollouts().await;
    }
    sleep(LATEST_WRITE).await;
    for gateway in gateways {
        if gateway.process().is_none() && !gateway.start().await {
            world.violated(&format!("{gateway} does not start without faults"));
        }
    }
    sleep(POLL).await;
    operators.check_answers();
    check_rest(world, gateways);
}

/// Checks that all gateways serve the newest state, and that the bucket is complete.
fn check_rest(world: &World, gateways: &[Arc<Gateway>]) {
    let newest = world.ledger.lock().current().cloned();
    let stored = world
        .ledger
        .lock()
        .stored_deployments(&world.bucket.lock().objects);
    for gateway in gateways {
        let Some(snapshot) = gateway.snapshot() else {
            continue;
        };
        if snapshot.state() != newest.as_ref() {
            let revision = snapshot.revision();
            world.violated(&format!(
                "{gateway} still serves revision {revision} without faults"
            ));
        }
        // A replica can get the record of a deployment after the live state. Visitors do not see it
        // unless it is a preview.
        if gateway.is_reader
            && let Some(missing) = stored.iter().find(|number| snapshot.record(**number).is_none())
        {
            world.violated(&format!("{gateway} does not know deployment {missing}"));
        }
        if let Some(release) = snapshot.unavailable().next() {
            world.violated(&format!("{gateway} misses {}: {}", release.id, release.error));
        }
    }
    let checked = world.ledger.lock().at_rest(&world.bucket.lock().objects);
    if let Err(violation) = checked {
        world.violated(&violation);
    }
}

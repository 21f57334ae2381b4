//! A run: what a seed decides, and what happens to the gateways.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use colonnade_config::RolloutSettings;
use colonnade_web::request_scope;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::time::sleep;

use crate::gateway::{Gateway, clock_error};
use crate::operators::Operators;
use crate::trace::Trace;
use crate::visitors;
use crate::world::{REPLICATION_MS, Size, World};

/// By how many seconds a clock is wrong at most. Object stores refuse requests of machines whose
/// clocks are worse.
const MAX_CLOCK_ERROR: i64 = 15 * 60;

/// How long a run may take. Nothing in it waits that long.
const DEADLINE: Duration = Duration::from_hours(2);

/// More gateways do not wait with rollouts that are running.
const MANY: usize = 20;

/// How long after the last fault every write has arrived.
const LATEST_WRITE: Duration = Duration::from_secs(30);

/// How long a gateway takes to serve what it can read.
const POLL: Duration = Duration::from_secs(5);

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
                world
                    .trace
                    .add(&"world", format_args!("every gateway reaches the store"));
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

//! Kills the gateway at random moments. A change that was acknowledged must be in effect; a change that was
//! not may or may not be. No change is ever applied partially.
//!
//! In each round, teams and operators work on one store until the gateway is killed, and then everything in
//! the store is checked. Some rounds run two gateways on the store and kill one after the other. Each kill
//! falls within a call: the delay after the start of the call is drawn from the measured duration of calls of
//! its kind.
//!
//! `SOAK=1` kills 500 times. `CRASH_SEED` repeats the random choices of another run.

mod release_model;
mod store_model;
mod workload;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{Gateway, Release, entries, is_soak};
use store_model::StoreModel;
use workload::{Call, Kind, SharedState, TEAMS, run_workload};

/// Kills in a soak run.
const KILLS: usize = 500;

/// A time that is older than every retention period.
const LONG_AGO: &str = "2020-01-01T00:00:00Z";

/// The longest recent duration of calls, by kind.
#[derive(Default)]
struct CallDurations(BTreeMap<Kind, Duration>);

#[test]
fn sigkill_leaves_old_or_new_state() {
    let seed = std::env::var("CRASH_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(rand::random);
    println!("CRASH_SEED={seed}");
    let mut random = SmallRng::seed_from_u64(seed);
    let mut durations = CallDurations::default();
    let mut interrupted = InterruptedCalls::default();

    let mut gateway = Gateway::start();
    let mut store_model = StoreModel::start(&gateway, &first_releases());
    let shared = SharedState {
        counter: AtomicU64::new(2),
        published: Mutex::default(),
        rollouts: Mutex::default(),
        deployments: Mutex::default(),
    };
    for _ in 0..if is_soak() { KILLS } else { 12 } {
        store_model.share(&gateway, &shared);
        let second = random.random_ratio(1, 3).then(|| gateway.start_another());
        let mut gateways: Vec<Gateway> = [gateway].into_iter().chain(second).collect();
        let calls = run_until_killed(&shared, &mut gateways, &mut durations, &mut random);
        for gateway in &gateways {
            let output = gateway.output();
            assert!(
                !output.contains("\"level\":\"ERROR\"") && !output.contains("panicked"),
                "{output}"
            );
        }
        if random.random_ratio(1, 4) {
            backdate(&gateways[0].store());
        }
        gateway = gateways[0].start_another();
        interrupted.count(&calls, &store_model.check(&gateway, &calls, &mut random));
    }
    println!("{interrupted}");
}

/// Runs one or two worker threads per gateway, kills the gateways one after the other, and returns every call
/// that was started.
fn run_until_killed(
    shared: &SharedState,
    gateways: &mut [Gateway],
    durations: &mut CallDurations,
    random: &mut SmallRng,
) -> Vec<Call> {
    let (call_started, started_calls) = channel();
    let threads = gateways.len() * random.random_range(1..=2);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|index| {
                let admin = gateways[index % gateways.len()].admin;
                let (call_started, seed) = (call_started.clone(), random.random());
                scope.spawn(move || run_workload(shared, &admin, seed, &call_started))
            })
            .collect();
        drop(call_started);
        for gateway in gateways {
            durations.wait(&started_calls, random);
            gateway.kill();
        }
        drop(started_calls);
        let mut calls = Vec::new();
        for worker in workers {
            calls.extend(worker.join().unwrap());
        }
        durations.record(&calls);
        calls
    })
}

impl CallDurations {
    /// Waits for a random moment within one of the next calls.
    fn wait(&self, started_calls: &Receiver<Kind>, random: &mut SmallRng) {
        let skipped = random.random_range(0..6);
        let Some(kind) = started_calls.iter().nth(skipped) else {
            return;
        };
        let duration = self.0.get(&kind).copied();
        let duration = duration.unwrap_or(Duration::from_millis(20));
        let kill_time = Instant::now() + duration.mul_f64(random.random_range(0.0..1.0));
        // Receiving further calls only passes the time.
        while let Some(left) = kill_time.checked_duration_since(Instant::now()) {
            if started_calls.recv_timeout(left) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }

    fn record(&mut self, calls: &[Call]) {
        for call in calls.iter().filter(|call| call.response.is_some()) {
            let duration = self.0.entry(call.kind).or_insert(call.elapsed);
            *duration = call.elapsed.max(duration.mul_f64(0.8));
        }
    }
}

/// The initial releases. Only the checks change `steady`.
fn first_releases() -> Vec<Release> {
    let team = |name: &&str| Release::section(name, "1.0.0", &[&format!("/{name}")]);
    TEAMS
        .iter()
        .map(team)
        .chain([
            Release::shell("1.0.0"),
            Release::section("steady", "1.0.0", &["/"]),
            Release::section("steady", "2.0.0", &["/"]),
        ])
        .collect()
}

/// Backdates deployments and releases, and what visitors got before, so that only the newest need to be retained.
fn backdate(store: &Path) {
    let mut paths = vec![store.join("live.json")];
    paths.extend(entries(&store.join("deployments")));
    paths.extend(entries(&store.join("releases")).flat_map(|section| entries(&section).collect::<Vec<_>>()));
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        if text.contains(LONG_AGO) || text == "{\"deleted\":true}" {
            continue;
        }
        let mut record: Value = serde_json::from_str(&text).unwrap();
        for pointer in ["/createdAt", "/record/publishedAt", "/change/at"] {
            if let Some(at) = record.pointer_mut(pointer) {
                *at = json!(LONG_AGO);
            }
        }
        let earlier = record
            .pointer_mut("/visible/earlier")
            .and_then(Value::as_array_mut);
        for earlier in earlier.into_iter().flatten() {
            earlier["endedAt"] = json!(LONG_AGO);
        }
        std::fs::write(path, record.to_string()).unwrap();
    }
}

/// The interrupted calls by kind: how many took effect and how many did not.
#[derive(Default)]
struct InterruptedCalls(BTreeMap<Kind, [usize; 2]>);

impl InterruptedCalls {
    fn count(&mut self, calls: &[Call], applied: &[String]) {
        // The history does not identify which call ended all previews.
        let is_interrupted = |call: &&Call| call.response.is_none() && call.kind != Kind::EndPreviews;
        for call in calls.iter().filter(is_interrupted) {
            let column = usize::from(!applied.contains(&call.id));
            self.0.entry(call.kind).or_default()[column] += 1;
        }
    }
}

impl std::fmt::Display for InterruptedCalls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "interrupted          in effect       not")?;
        for (kind, [done, not]) in &self.0 {
            writeln!(f, "{kind:<20}{done:>10}{not:>10}")?;
        }
        Ok(())
    }
}

//! Killing the gateway at any moment: what was answered is in effect, what was not is or is not, and nothing is ever
//! halfway.
//!
//! Each round lets teams and operators work on one store until the gateway is killed, now and then with two gateways
//! on it of which one is killed first, and then looks at everything. The moment lies within some call: how long calls
//! of its kind have taken is measured, and the time to wait after its beginning drawn from that.
//!
//! `SOAK=1` kills 500 times; `CRASH_SEED` repeats the choices of another run.

mod ledger;
mod shelf;
mod work;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{Gateway, Release, soak};
use ledger::Ledger;
use work::{Asked, Desk, Kind, TEAMS, work};

/// Kills in a run.
const KILLS: usize = 500;

/// A moment before all that need be kept for its youth.
const LONG_AGO: &str = "2020-01-01T00:00:00Z";

/// How long calls take, by their kind: the longest of late.
#[derive(Default)]
struct Pace(BTreeMap<Kind, Duration>);

#[test]
fn a_kill_at_any_moment_leaves_the_old_state_or_the_new() {
    let seed = std::env::var("CRASH_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(rand::random);
    println!("CRASH_SEED={seed}");
    let mut random = SmallRng::seed_from_u64(seed);
    let mut pace = Pace::default();
    let mut tally = Tally::default();

    let mut gateway = Gateway::start();
    let mut ledger = Ledger::start(&gateway, &first_releases());
    let desk = Desk {
        counter: AtomicU64::new(2),
        published: Mutex::default(),
        candidate: Mutex::default(),
        deployments: Mutex::default(),
    };
    for _ in 0..soak(KILLS) {
        ledger.brief(&desk);
        let second = random.random_ratio(1, 3).then(|| gateway.beside());
        let mut gateways: Vec<Gateway> = [gateway].into_iter().chain(second).collect();
        let asked = until_killed(&desk, &mut gateways, &mut pace, &mut random);
        for gateway in &gateways {
            let output = gateway.output();
            assert!(
                !output.contains("\"level\":\"ERROR\"") && !output.contains("panicked"),
                "{output}"
            );
        }
        if random.random_ratio(1, 4) {
            age(&gateways[0].store());
        }
        gateway = gateways[0].beside();
        tally.count(&asked, &ledger.check(&gateway, &asked, &mut random));
    }
    println!("{tally}");
}

/// Lets threads work, one or two a gateway, and kills one gateway after the other. Every call that was begun comes back.
fn until_killed(desk: &Desk, gateways: &mut [Gateway], pace: &mut Pace, random: &mut SmallRng) -> Vec<Asked> {
    let (begun, beginnings) = channel();
    let threads = gateways.len() * random.random_range(1..=2);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|index| {
                let admin = gateways[index % gateways.len()].admin;
                let (begun, seed) = (begun.clone(), random.random());
                scope.spawn(move || work(desk, &admin, seed, &begun))
            })
            .collect();
        drop(begun);
        for gateway in gateways {
            pace.wait(&beginnings, random);
            gateway.kill();
        }
        drop(beginnings);
        let mut asked = Vec::new();
        for worker in workers {
            asked.extend(worker.join().unwrap());
        }
        pace.learn(&asked);
        asked
    })
}

impl Pace {
    /// Waits until a moment within one of the next calls.
    fn wait(&self, beginnings: &Receiver<Kind>, random: &mut SmallRng) {
        let calls = random.random_range(0..6);
        let Some(kind) = beginnings.iter().nth(calls) else {
            return;
        };
        let usual = self.0.get(&kind).copied();
        let usual = usual.unwrap_or(Duration::from_millis(20));
        let moment = Instant::now() + usual.mul_f64(random.random_range(0.0..1.0));
        // What begins meanwhile is of no interest; taking it is what passes the time.
        while let Some(left) = moment.checked_duration_since(Instant::now()) {
            if beginnings.recv_timeout(left) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }

    fn learn(&mut self, asked: &[Asked]) {
        for call in asked.iter().filter(|call| call.answer.is_some()) {
            let usual = self.0.entry(call.kind).or_insert(call.took);
            *usual = call.took.max(usual.mul_f64(0.8));
        }
    }
}

/// What a site begins with. `steady` is changed by nobody but the check.
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

/// Makes deployments and releases so old that only the newest need be kept, and the last change, up to which a
/// collection reads the history.
fn age(store: &Path) {
    let mut paths = vec![store.join("live.json")];
    paths.extend(entries(&store.join("deployments")));
    for section in entries(&store.join("releases")) {
        paths.extend(entries(&section).map(|release| release.join("stored.json")));
    }
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        if text.contains(LONG_AGO) {
            continue;
        }
        let mut record: Value = serde_json::from_str(&text).unwrap();
        for pointer in ["/createdAt", "/publishedAt", "/change/at"] {
            if let Some(at) = record.pointer_mut(pointer) {
                *at = json!(LONG_AGO);
            }
        }
        std::fs::write(path, record.to_string()).unwrap();
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path())
}

/// The calls that a kill cut short, by their kind: how many of them took effect, and how many did not.
#[derive(Default)]
struct Tally(BTreeMap<Kind, [usize; 2]>);

impl Tally {
    fn count(&mut self, asked: &[Asked], in_effect: &[String]) {
        // The history does not tell one end of all previews from another.
        let cut_short = |call: &&Asked| call.answer.is_none() && call.kind != Kind::EndPreviews;
        for call in asked.iter().filter(cut_short) {
            let column = usize::from(!in_effect.contains(&call.id));
            self.0.entry(call.kind).or_default()[column] += 1;
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "cut short            in effect       not")?;
        for (kind, [done, not]) in &self.0 {
            writeln!(f, "{kind:<20}{done:>10}{not:>10}")?;
        }
        Ok(())
    }
}

//! Runs the simulation.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use parking_lot::Mutex;

use crate::run::{Run, run};

/// The number of seeds of `make test`, and of `make soak`.
const SEEDS: u64 = 10;
const SOAK_SEEDS: u64 = 10_000;

/// Each run has its own thread: what it must not depend on is set by thread.
fn run_alone(seed: u64) -> Run {
    let run = thread::Builder::new()
        .name(format!("seed {seed}"))
        .spawn(move || run(seed));
    run.unwrap()
        .join()
        .unwrap_or_else(|_| panic!("SEED={seed} panics"))
}

#[test]
fn seeds_violate_no_invariant() {
    if let Ok(seed) = std::env::var("SEED") {
        return repeat(seed.parse().expect("SEED is a number"));
    }
    let seeds = match std::env::var("SEEDS") {
        Ok(seeds) => range(&seeds).expect("SEEDS is a number, or a range such as 100..200"),
        Err(_) if std::env::var_os("SOAK").is_some() => 0..SOAK_SEEDS,
        Err(_) => 0..SEEDS,
    };
    let next = AtomicU64::new(seeds.start);
    let changes = AtomicU64::new(0);
    let failed = Mutex::new(BTreeMap::new());
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let run = run_alone(seed);
                    changes.fetch_add(run.changes as u64, Ordering::Relaxed);
                    if run.violation.is_some() {
                        failed.lock().insert(seed, run);
                    }
                }
            });
        }
    });
    let runs = seeds.end - seeds.start;
    println!("{} changes in {runs} runs", changes.into_inner());
    let failed = failed.into_inner();
    let [first, again, other] = [0, 0, 1].map(|seed| run_alone(seeds.start + seed).trace.hash());
    assert_eq!(first, again, "SEED={} repeats the same run", seeds.start);
    assert_ne!(first, other);
    for (seed, run) in failed.iter().take(20) {
        println!("SEED={seed} {}", run.violation.as_deref().unwrap_or_default());
    }
    if let Some((seed, run)) = failed.first_key_value() {
        panic!(
            "{} of {runs} seeds fail; to write the trace of the first one, run: SEED={seed} cargo test -p \
             colonnade-simulation seeds\nThe last events of it:\n{}",
            failed.len(),
            run.trace.last(60)
        );
    }
}

/// The seeds below a number, or those of a range.
fn range(text: &str) -> Option<Range<u64>> {
    let (start, end) = text.split_once("..").unwrap_or(("0", text));
    Some(start.parse().ok()?..end.parse().ok()?)
}

/// Runs one seed, and writes its trace.
fn repeat(seed: u64) {
    let run = run_alone(seed);
    let path = std::env::temp_dir().join(format!("simulation-{seed}.log"));
    std::fs::write(&path, run.trace.last(usize::MAX)).unwrap();
    println!("{} changes; the trace is in {}", run.changes, path.display());
    assert_eq!(run.violation, None, "SEED={seed}");
}

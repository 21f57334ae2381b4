//! Simulated rollouts with fixed seeds: how often, and how soon, canary analysis with the default
//! settings fails.

use std::time::Duration;

use crate::rollout::analysis::CanaryAnalysis;
use crate::rollout::analysis::tests::set;
use crate::rollout::{Measurement, Verdict};
use colonnade_config::RolloutSettings;
use colonnade_model::deployment::{Rollout, VisibleDeployments};
use colonnade_model::secret::Secret;
use jiff::Timestamp;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};

const LIVE: u64 = 1;
const CANDIDATE: u64 = 2;

const REQUESTS_PER_SECOND: u32 = 20;

/// The seconds until the analysis of a step fails; `None` if it never does. `failing` and `slow`
/// are the probabilities that a request fails, for the candidate and the live deployment, or takes
/// a second.
fn seconds_to_failure(
    seed: u64,
    percent: u8,
    failing: (f64, f64),
    slow: f64,
    duration: Duration,
) -> Option<u32> {
    let mut random = SmallRng::seed_from_u64(seed);
    let analysis = CanaryAnalysis::new(RolloutSettings::default());
    let rollout = Rollout {
        id: "one".to_owned(),
        key: Secret::none(),
        candidate: CANDIDATE,
        since: 2,
        percent,
        started_at: Timestamp::UNIX_EPOCH,
        by: "team".to_owned(),
        progress: None,
        unknown: serde_json::Map::new(),
    };
    let visible = VisibleDeployments::first(LIVE, 1).started(rollout.clone());
    let requests = u32::try_from(duration.as_secs()).unwrap() * REQUESTS_PER_SECOND;
    (1..=requests).find_map(|request| {
        let is_candidate = random.random_bool(f64::from(percent) / 100.0);
        let (deployment, failing) = if is_candidate {
            (CANDIDATE, failing.0)
        } else {
            (LIVE, failing.1)
        };
        let measurement = Measurement {
            is_server_error: random.random_bool(failing),
            page: None,
            not_rendered: None,
            extensions: &[],
            latency: Duration::from_millis(if random.random_bool(slow) { 1000 } else { 50 }),
        };
        analysis.record_response(&visible, &set(deployment), request.into(), measurement);
        // Twice a second, like the controller.
        let is_checked = request % (REQUESTS_PER_SECOND / 2) == 0;
        let fails = is_checked && analysis.report(&rollout).verdict == Verdict::Failing;
        fails.then_some(request / REQUESTS_PER_SECOND)
    })
}

#[test]
fn identical_candidate_rarely_fails() {
    let rows = [(0.02, 0.003), (0.05, 0.005), (0.10, 0.008), (0.10, 0.010)];
    let seeds = if std::env::var_os("SOAK").is_some() {
        100
    } else {
        2
    };
    let rollouts = rows
        .into_iter()
        .flat_map(|row| (0..seeds).map(move |seed| (row, seed)));
    let failed = rollouts.clone().filter(|((failing, slow), seed)| {
        let duration = Duration::from_mins(10);
        seconds_to_failure(*seed, 5, (*failing, *failing), *slow, duration).is_some()
    });
    // 1 %.
    assert!(failed.count() <= rollouts.count() / 100);
}

#[test]
fn failing_candidate_fails_soon() {
    for (percent, failing, within) in [(5, (1.0, 0.01), 15), (50, (1.0, 0.01), 3), (50, (0.2, 0.01), 30)] {
        for seed in 0..20 {
            let seconds = seconds_to_failure(seed, percent, failing, 0.0, Duration::from_mins(1));
            assert!(seconds.is_some_and(|seconds| seconds <= within), "{seconds:?}");
        }
    }
    // With 5 % of visitors, 60 requests are the candidate's.
    let found = (0..40)
        .filter(|seed| seconds_to_failure(*seed, 5, (0.2, 0.01), 0.0, Duration::from_mins(1)).is_some());
    assert!(found.count() >= 36);
}

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use super::CanaryAnalysis;
use crate::rollout::{AnalysisReport, ExtensionRender, Measurement, PageHash, Verdict};
use colonnade_config::{AnalysisSettings, RolloutSettings};
use colonnade_model::deployment::{Rollout, RolloutProgress, SetName, VisibleDeployments};
use colonnade_model::secret::Secret;
use colonnade_render::Why;
use jiff::Timestamp;

const LIVE: u64 = 1;
const CANDIDATE: u64 = 2;

fn settings() -> RolloutSettings {
    RolloutSettings {
        abort_margin_percent: 10,
        min_views: 20,
        min_clients: 5,
        analysis: AnalysisSettings {
            min_requests: 100,
            server_error_margin_percent: 2,
            render_failure_margin_percent: 3,
            latency_margin: Duration::from_millis(100),
            ..AnalysisSettings::default()
        },
        ..RolloutSettings::default()
    }
}

fn analysis() -> CanaryAnalysis {
    CanaryAnalysis::new(settings())
}

fn rollout(id: &str) -> Rollout {
    Rollout {
        id: id.to_owned(),
        key: Secret::none(),
        candidate: CANDIDATE,
        since: 2,
        percent: 10,
        started_at: Timestamp::UNIX_EPOCH,
        by: "team".to_owned(),
        progress: None,
        unknown: serde_json::Map::new(),
    }
}

fn one_rollout(id: &str) -> VisibleDeployments {
    VisibleDeployments::first(LIVE, 1).started(rollout(id))
}

/// The set of visitors with or without the candidate.
pub(super) fn set(number: u64) -> SetName {
    SetName::with(LIVE, [number].into_iter().filter(|number| *number != LIVE))
}

fn address(number: u32) -> IpAddr {
    Ipv4Addr::from_bits(0x0a00_0000 + number).into()
}

/// Counts views and failures, each of another client.
fn count(analysis: &CanaryAnalysis, deployment: u64, viewers: u32, failing: u32) {
    let visible = one_rollout("one");
    for number in 0..viewers {
        analysis.record_view(&visible, &set(deployment), analysis.client_hash(address(number)));
    }
    for number in 0..failing {
        let client = analysis.client_hash(address(number));
        analysis.record_failure(&visible, &set(deployment), client, |_| true);
    }
}

const FAST: Measurement<'_> = Measurement {
    is_server_error: false,
    page: None,
    not_rendered: None,
    extensions: &[],
    latency: Duration::from_millis(10),
};
const SERVER_ERROR: Measurement<'_> = Measurement {
    is_server_error: true,
    ..FAST
};
const RENDER_FAILURE: Measurement<'_> = Measurement {
    not_rendered: Some(Why::Exception),
    ..FAST
};
const SLOW: Measurement<'_> = Measurement {
    latency: Duration::from_millis(200),
    ..FAST
};

/// Counts the same response to this many clients.
fn respond(analysis: &CanaryAnalysis, deployment: u64, clients: u32, measurement: Measurement<'_>) {
    for number in 0..clients {
        let client = analysis.client_hash(address(number));
        analysis.record_response(&one_rollout("one"), &set(deployment), client, measurement);
    }
}

fn report(analysis: &CanaryAnalysis) -> AnalysisReport {
    analysis.report(&rollout("one"))
}

fn fails(analysis: &CanaryAnalysis) -> bool {
    report(analysis).verdict == Verdict::Failing
}

#[test]
fn client_failure_rate_above_margin_fails() {
    let analysis = analysis();
    count(&analysis, LIVE, 1000, 100);
    // 20 % does not exceed 10 % plus the margin.
    count(&analysis, CANDIDATE, 500, 100);
    assert!(!fails(&analysis));
    count(&analysis, CANDIDATE, 0, 110);
    assert_eq!(
        report(&analysis).to_string(),
        "failing: 22.0 % of 500 clients with the rollout's releases failed, and 10.0 % of 1000 without"
    );
}

#[test]
fn too_few_views_or_clients_never_fail() {
    for (viewers, failing, expected) in [
        (19, 19, false),
        (20, 4, false),
        (20, 5, true),
        // The square root of 40 is more than 6.
        (40, 6, false),
        (40, 7, true),
    ] {
        let analysis = analysis();
        count(&analysis, LIVE, 400, 0);
        count(&analysis, CANDIDATE, viewers, failing);
        assert_eq!(fails(&analysis), expected);
    }
}

#[test]
fn failures_of_live_deployment_never_fail() {
    let analysis = analysis();
    count(&analysis, LIVE, 400, 400);
    respond(&analysis, CANDIDATE, 100, FAST);
    respond(&analysis, LIVE, 100, SERVER_ERROR);
    respond(&analysis, LIVE, 100, RENDER_FAILURE);
    respond(&analysis, LIVE, 100, SLOW);
    assert_eq!(report(&analysis).verdict, Verdict::Passing);
}

#[test]
fn failure_counts_once_per_client_with_view() {
    let analysis = analysis();
    count(&analysis, LIVE, 400, 0);
    count(&analysis, CANDIDATE, 40, 4);
    for _ in 0..100 {
        count(&analysis, CANDIDATE, 0, 4);
    }
    for number in 1000..2000 {
        let unknown = analysis.client_hash(address(number));
        analysis.record_failure(&one_rollout("one"), &set(CANDIDATE), unknown, |_| true);
    }
    assert!(!fails(&analysis));
}

#[test]
fn sampled_failures_are_scaled_up() {
    let analysis = CanaryAnalysis::new(RolloutSettings {
        report_sample_percent: 50,
        ..settings()
    });
    count(&analysis, LIVE, 400, 0);
    count(&analysis, CANDIDATE, 400, 20);
    assert!(!fails(&analysis));
    count(&analysis, CANDIDATE, 0, 21);
    assert!(fails(&analysis));
}

#[test]
fn new_rollout_resets_counts() {
    let analysis = analysis();
    count(&analysis, CANDIDATE, 40, 4);
    let next = analysis.client_hash(address(5));
    analysis.record_failure(&one_rollout("two"), &set(CANDIDATE), next, |_| true);
    assert_eq!(analysis.report(&rollout("two")).candidate.clients, 0);
}

#[test]
fn only_failing_one_of_two_rollouts_fails() {
    let analysis = analysis();
    let [healthy, failing] = [("healthy", 2), ("failing", 3)].map(|(id, candidate)| Rollout {
        candidate,
        ..rollout(id)
    });
    let visible = VisibleDeployments::first(LIVE, 1)
        .started(healthy)
        .started(failing);
    let sets = ["1", "1.2", "1.3", "1.2.3"].map(|set| set.parse::<SetName>().unwrap());
    for number in 0..400 {
        let set = &sets[number as usize % 4];
        let fails = set.candidates().contains(&3);
        let client = analysis.client_hash(address(number));
        analysis.record_view(&visible, set, client);
        let measurement = if fails { SERVER_ERROR } else { FAST };
        analysis.record_response(&visible, set, client, measurement);
        if fails {
            analysis.record_failure(&visible, set, client, |_| true);
        }
    }
    let failures = ["healthy", "failing"].map(|id| analysis.report(&rollout(id)).failures.len());
    assert_eq!(failures, [0, 2]);
}

#[test]
fn each_track_needs_the_minimum_of_requests() {
    let analysis = analysis();
    respond(&analysis, LIVE, 100, FAST);
    respond(&analysis, CANDIDATE, 99, FAST);
    assert_eq!(
        report(&analysis).to_string(),
        "too few samples: with the rollout's releases 99 requests, 0.0 % server errors, 0.0 % render failures, p99 9 ms, \
         0.0 % of 0 clients failed; without 100 requests, 0.0 % server errors, 0.0 % render failures, p99 9 ms, \
         0.0 % of 0 clients failed"
    );
    respond(&analysis, CANDIDATE, 1, FAST);
    assert_eq!(report(&analysis).verdict, Verdict::Passing);
}

#[test]
fn server_errors_and_render_failures_above_margin_fail() {
    for (measurement, within) in [(SERVER_ERROR, 50), (RENDER_FAILURE, 75)] {
        let analysis = analysis();
        respond(&analysis, LIVE, 5000, FAST);
        respond(&analysis, CANDIDATE, 2500 - within, FAST);
        respond(&analysis, CANDIDATE, within, measurement);
        assert_eq!(report(&analysis).verdict, Verdict::Passing);
        respond(&analysis, CANDIDATE, 1, measurement);
        assert!(fails(&analysis));
    }
}

#[test]
fn page_not_rendered_for_gateways_own_reason_does_not_count() {
    for why in [Why::NoWorker, Why::QueueFull, Why::MemoryShort, Why::StoreError] {
        let analysis = analysis();
        let not_rendered = Some(why);
        respond(&analysis, CANDIDATE, 1000, Measurement { not_rendered, ..FAST });
        assert_eq!(report(&analysis).candidate.requests, 0, "{why:?}");
    }
}

#[test]
fn extension_with_open_breaker_is_judged_like_page() {
    let requests = |deployment, candidates: &[u64]| {
        let analysis = analysis();
        let extension = ExtensionRender {
            candidates: candidates.to_vec(),
            place: PageHash { pattern: 1, path: 2 },
            not_rendered: Some(Why::CircuitOpen),
        };
        let extensions = &[extension];
        respond(&analysis, deployment, 100, Measurement { extensions, ..FAST });
        let AnalysisReport { candidate, live, .. } = report(&analysis);
        [candidate, live].map(|side| (side.requests, side.render_failure_percent))
    };
    assert_eq!(requests(CANDIDATE, &[CANDIDATE]), [(0, 0.0), (0, 0.0)]);
    assert_eq!(requests(LIVE, &[CANDIDATE]), [(0, 0.0), (100, 100.0)]);
    assert_eq!(requests(CANDIDATE, &[3]), [(100, 0.0), (0, 0.0)]);
}

#[test]
fn failed_or_slow_requests_of_few_clients_never_fail() {
    for measurement in [SERVER_ERROR, SLOW] {
        let analysis = analysis();
        respond(&analysis, LIVE, 1000, FAST);
        respond(&analysis, CANDIDATE, 100, FAST);
        for _ in 0..10 {
            respond(&analysis, CANDIDATE, 9, measurement);
        }
        assert_eq!(report(&analysis).verdict, Verdict::Passing);
        // The square root of 100 clients.
        respond(&analysis, CANDIDATE, 10, measurement);
        assert!(fails(&analysis));
    }
}

#[test]
fn requests_of_one_client_are_capped() {
    let analysis = analysis();
    for _ in 0..1000 {
        respond(&analysis, CANDIDATE, 1, FAST);
    }
    assert_eq!(report(&analysis).candidate.requests, 20);
}

#[test]
fn latency_above_margin_fails() {
    let analysis = analysis();
    respond(&analysis, LIVE, 5000, FAST);
    respond(&analysis, CANDIDATE, 9900, FAST);
    respond(&analysis, CANDIDATE, 100, SLOW);
    assert_eq!(report(&analysis).verdict, Verdict::Passing, "1 % may be slow");
    respond(&analysis, CANDIDATE, 1, SLOW);
    assert_eq!(
        report(&analysis).to_string(),
        "failing: 99 % of requests take up to 196 ms with the rollout's releases, and 9 ms without"
    );
}

/// The rollout with a percentage, in a step that began at this second.
fn in_step(percent: u8, began: i64) -> Rollout {
    let steps = "5% for 1m, 50% for 1m, 100%".parse().unwrap();
    let began = Timestamp::from_second(began).unwrap();
    Rollout {
        percent,
        progress: Some(RolloutProgress::new(steps, began)),
        ..rollout("one")
    }
}

#[test]
fn counts_begin_with_each_step_and_percentage() {
    let analysis = analysis();
    for (percent, began) in [(5, 0), (50, 60), (60, 60)] {
        let report = analysis.report(&in_step(percent, began));
        assert_eq!((report.candidate.requests, report.candidate.clients), (0, 0));
        let visible = VisibleDeployments::first(LIVE, 1).started(in_step(percent, began));
        analysis.record_view(&visible, &set(CANDIDATE), 1);
        analysis.record_response(&visible, &set(CANDIDATE), 1, FAST);
    }
}

#[test]
fn first_requests_of_a_step_count_for_it() {
    let analysis = analysis();
    let respond = |percent, began| {
        let visible = VisibleDeployments::first(LIVE, 1).started(in_step(percent, began));
        analysis.record_response(&visible, &set(CANDIDATE), 1, FAST);
    };
    respond(5, 0);
    respond(50, 60);
    // A request that began in the step before.
    respond(5, 0);
    respond(50, 60);
    assert_eq!(analysis.report(&in_step(50, 60)).candidate.requests, 2);
}

#[test]
fn ipv6_network_counts_as_one_client() {
    let analysis = analysis();
    let of = |text: &str| analysis.client_hash(text.parse().expect("an address"));
    assert_eq!(of("2001:db8:1:200::1"), of("2001:db8:1:2ff:ffff::2"));
    assert_ne!(of("2001:db8:1:200::1"), of("2001:db8:1:300::1"));
    assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
}

/// Gives each of these gateways what the others have counted.
fn exchange(gateways: &[CanaryAnalysis]) {
    let rollout = rollout("one");
    let counts: Vec<_> = gateways
        .iter()
        .map(|gateway| gateway.own_counts(std::iter::once(&rollout)))
        .collect();
    for (index, gateway) in gateways.iter().enumerate() {
        let mut others = counts.clone();
        others.remove(index);
        gateway.set_counts_of_others(others);
    }
}

/// Counts the same responses to these clients at a gateway.
fn respond_at(gateway: &CanaryAnalysis, clients: std::ops::Range<u32>, measurement: Measurement<'_>) {
    for number in clients {
        let client = gateway.client_hash(address(number));
        gateway.record_response(&one_rollout("one"), &set(LIVE), client, FAST);
        gateway.record_response(&one_rollout("one"), &set(CANDIDATE), client, measurement);
    }
}

#[test]
fn gateways_below_minimum_fail_together() {
    for measurement in [SERVER_ERROR, RENDER_FAILURE, SLOW] {
        let gateways = [analysis(), analysis(), analysis()];
        for (gateway, first) in gateways.iter().zip([0, 40, 80]) {
            respond_at(gateway, first..first + 40, measurement);
        }
        if measurement.latency != SLOW.latency {
            assert!(
                gateways
                    .iter()
                    .all(|gateway| report(gateway).criteria.latency_p99 == Verdict::TooFewSamples)
            );
        }
        exchange(&gateways);
        if measurement.latency == SLOW.latency {
            // The limit of all is known with the counts of all.
            exchange(&gateways);
        }
        for gateway in &gateways {
            let report = report(gateway);
            assert_eq!(report.verdict, Verdict::Failing, "{measurement:?}: {report}");
            assert_eq!((report.gateways, report.candidate.requests), (3, 120));
        }
    }
}

#[test]
fn client_of_several_gateways_counts_once() {
    let gateways = [analysis(), analysis(), analysis()];
    for gateway in &gateways {
        respond_at(gateway, 0..4, SERVER_ERROR);
        respond_at(gateway, 10..50, FAST);
        for number in 0..4 {
            let client = gateway.client_hash(address(number));
            for _ in 0..10 {
                gateway.record_view(&one_rollout("one"), &set(CANDIDATE), client);
            }
            gateway.record_view(&one_rollout("one"), &set(LIVE), client);
            gateway.record_failure(&one_rollout("one"), &set(CANDIDATE), client, |_| true);
        }
    }
    exchange(&gateways);
    let report = report(&gateways[0]);
    // 4 clients are fewer than `min_clients`, although 12 requests have failed.
    assert_eq!(report.verdict, Verdict::Passing, "{report}");
    assert_eq!((report.candidate.clients, report.candidate.views), (4, 120));
}

#[test]
fn counts_of_others_in_another_step_are_ignored() {
    let (first, second) = (analysis(), analysis());
    respond_at(&second, 0..200, SERVER_ERROR);
    first.set_counts_of_others(vec![second.own_counts(std::iter::once(&in_step(50, 60)))]);
    assert_eq!(report(&first).gateways, 1);
    first.set_counts_of_others(vec![second.own_counts(std::iter::once(&rollout("two")))]);
    assert_eq!(report(&first).gateways, 1);
}

#[tokio::test(start_paused = true)]
async fn counts_of_others_expire_without_exchange() {
    let gateways = [analysis(), analysis()];
    respond_at(&gateways[1], 0..200, SERVER_ERROR);
    exchange(&gateways);
    tokio::time::advance(Duration::from_secs(30)).await;
    assert!(fails(&gateways[0]));
    // A gateway that has just started continues the step.
    assert_eq!(report(&gateways[0]).counted, Duration::from_secs(30));
    tokio::time::advance(Duration::from_secs(31)).await;
    assert!(!fails(&gateways[0]));
}

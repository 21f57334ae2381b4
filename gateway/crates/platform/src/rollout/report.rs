//! The verdict of the canary analysis about a rollout, with its numbers.

use std::fmt;
use std::time::Duration;

use colonnade_config::RolloutSettings;

use colonnade_model::canary::TrackCounts;

use super::samples::rounded;
use super::sequential_test::{Failed, is_more_frequent};

/// Whether a rollout may continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The candidate does not fail more often than the live deployment.
    Passing,
    /// It fails more often, or is slower, by more than a margin and more than by chance.
    Failing,
    /// One of both had fewer requests than the minimum.
    TooFewSamples,
}

/// The result of an analysis.
#[derive(Debug, Clone)]
pub struct AnalysisReport {
    /// The verdict.
    pub verdict: Verdict,
    /// The verdict of each criterion.
    pub criteria: Criteria,
    /// The margins that the candidate exceeds, in words.
    pub failures: Vec<String>,
    /// The visitors with the rollout's releases.
    pub candidate: TrackSamples,
    /// The visitors without them.
    pub live: TrackSamples,
    /// For how long the gateway that counts longest has counted in the current step.
    pub counted: Duration,
    /// The number of gateways whose counts are added up, this one included.
    pub gateways: usize,
}

/// The verdicts that the one of the analysis consists of. Only requests can be too few for a step
/// to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Criteria {
    /// Responses with a 5xx status.
    pub server_errors: Verdict,
    /// Responses that the gateway could not render.
    pub render_failures: Verdict,
    /// The latency of requests.
    pub latency: Verdict,
    /// Clients whose browser reported a failure.
    pub failed_clients: Verdict,
}

/// The numbers of the visitors on one side of a rollout.
#[derive(Debug, Clone)]
pub struct TrackSamples {
    /// The requests for documents and page data since the current step began.
    pub requests: u64,
    /// The percentage of them with a 5xx status.
    pub server_error_percent: f64,
    /// The percentage of them that the gateway could not render.
    pub render_failure_percent: f64,
    /// The latency that 99 % of them do not exceed.
    pub latency_p99: Option<Duration>,
    /// The documents that were sent since the current step began.
    pub views: u64,
    /// The clients that received a document since then.
    pub clients: u64,
    /// The percentage of them that reported a failure.
    pub failed_client_percent: f64,
}

impl TrackSamples {
    fn new(counts: &TrackCounts, settings: &RolloutSettings) -> Self {
        let reported = percent(failed_viewers(counts).failed, counts.viewers.len());
        Self {
            requests: counts.requests,
            server_error_percent: percent(counts.server_errors.requests, counts.requests),
            render_failure_percent: percent(counts.render_failures.requests, counts.requests),
            latency_p99: counts.latency_p99().map(Duration::from_micros),
            views: counts.documents,
            clients: counts.viewers.len(),
            // Only a share of the failures is reported.
            failed_client_percent: (reported * 100.0 / f64::from(settings.report_sample_percent)).min(100.0),
        }
    }
}

impl AnalysisReport {
    /// Compares the candidate's counts with those of the live deployment.
    pub(super) fn new(
        counts: &TrackCounts,
        live_counts: &TrackCounts,
        (counted, gateways): (Duration, usize),
        settings: &RolloutSettings,
    ) -> Self {
        let (candidate, live) = (
            TrackSamples::new(counts, settings),
            TrackSamples::new(live_counts, settings),
        );
        let analysis = &settings.analysis;
        let mut failures = Vec::new();
        let mut verdict_of = |has_enough: bool, is_failing: bool, failure: &dyn Fn() -> String| {
            if is_failing {
                failures.push(failure());
                Verdict::Failing
            } else if has_enough {
                Verdict::Passing
            } else {
                Verdict::TooFewSamples
            }
        };
        let has_enough_views = candidate.views >= settings.min_views;
        let failed_clients = verdict_of(
            has_enough_views,
            has_enough_views
                && have_more_failed_clients((counts, &candidate), (live_counts, &live), settings),
            &|| {
                format!(
                    "{:.1} % of {} clients with the rollout's releases failed, and {:.1} % of {} without",
                    candidate.failed_client_percent,
                    candidate.clients,
                    live.failed_client_percent,
                    live.clients
                )
            },
        );
        let has_enough_requests =
            candidate.requests >= analysis.min_requests && live.requests >= analysis.min_requests;
        let min_failed_clients = min_clients(settings, counts.clients.len());
        let [server_errors, render_failures] = [
            (
                "have a server error",
                [&counts.server_errors, &live_counts.server_errors],
                [candidate.server_error_percent, live.server_error_percent],
                analysis.server_error_margin_percent,
            ),
            (
                "have a render failure",
                [&counts.render_failures, &live_counts.render_failures],
                [candidate.render_failure_percent, live.render_failure_percent],
                analysis.render_failure_margin_percent,
            ),
        ]
        .map(|(what, [failed, live_failed], [share, live_share], margin)| {
            verdict_of(
                has_enough_requests,
                failed.clients.len() >= min_failed_clients
                    && exceeds(share, live_share, margin)
                    && is_more_frequent(of(failed.requests, &candidate), of(live_failed.requests, &live)),
                &|| {
                    format!(
                        "{share:.1} % of {} requests with the rollout's releases {what}, and {live_share:.1} % of {} without",
                        candidate.requests, live.requests
                    )
                },
            )
        });
        let [p99, live_p99] = [&candidate, &live].map(|track| track.latency_p99.unwrap_or_default());
        let limit = latency_limit(live_counts, settings);
        let slower = |counts: &TrackCounts, track| of(counts.slower_than(rounded(limit)), track);
        let latency = verdict_of(
            has_enough_requests,
            live.latency_p99.is_some()
                && p99 > limit
                && counts.slow_clients.len() >= min_failed_clients
                && is_more_frequent(slower(counts, &candidate), slower(live_counts, &live)),
            &|| {
                format!(
                    "99 % of requests take up to {} ms with the rollout's releases, and {} ms without",
                    p99.as_millis(),
                    live_p99.as_millis()
                )
            },
        );
        let verdict = match (failures.is_empty(), has_enough_requests) {
            (false, _) => Verdict::Failing,
            (true, true) => Verdict::Passing,
            (true, false) => Verdict::TooFewSamples,
        };
        Self {
            verdict,
            criteria: Criteria {
                server_errors,
                render_failures,
                latency,
                failed_clients,
            },
            failures,
            candidate,
            live,
            counted,
            gateways,
        }
    }
}

/// The latency above which a request of the candidate is slow.
pub(super) fn latency_limit(live: &TrackCounts, settings: &RolloutSettings) -> Duration {
    Duration::from_micros(live.latency_p99().unwrap_or_default()) + settings.analysis.latency_margin
}

/// These requests of all on one side.
fn of(failed: u64, track: &TrackSamples) -> Failed {
    Failed {
        failed,
        of: track.requests,
    }
}

/// The clients that reported a failure. Of several gateways both numbers are estimates.
fn failed_viewers(counts: &TrackCounts) -> Failed {
    let of = counts.viewers.len();
    Failed {
        failed: counts.failed_viewers.len().min(of),
        of,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 * 100.0 / whole as f64
    }
}

/// Whether more of the candidate's clients report a failure, by more than the margin and more than
/// by chance.
fn have_more_failed_clients(
    (counts, candidate): (&TrackCounts, &TrackSamples),
    (live_counts, live): (&TrackCounts, &TrackSamples),
    settings: &RolloutSettings,
) -> bool {
    let reporting = candidate.clients * u64::from(settings.report_sample_percent) / 100;
    failed_viewers(counts).failed >= min_clients(settings, reporting)
        && exceeds(
            candidate.failed_client_percent,
            live.failed_client_percent,
            settings.abort_margin_percent,
        )
        && is_more_frequent(failed_viewers(counts), failed_viewers(live_counts))
}

/// The minimum of failing clients: the setting, and at least the square root of the number of
/// clients that could fail. So what is enough among few clients is not enough among many.
fn min_clients(settings: &RolloutSettings, clients: u64) -> u64 {
    let root = clients.isqrt();
    settings.min_clients.max(root + u64::from(root * root < clients))
}

fn exceeds(share: f64, live: f64, margin: u8) -> bool {
    share > live + f64::from(margin)
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passing => "passing",
            Self::Failing => "failing",
            Self::TooFewSamples => "too few samples",
        })
    }
}

impl fmt::Display for AnalysisReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.verdict == Verdict::Failing {
            return write!(f, "failing: {}", self.failures.join("; "));
        }
        write!(
            f,
            "{}: with the rollout's releases {}; without {}",
            self.verdict, self.candidate, self.live
        )
    }
}

impl fmt::Display for TrackSamples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} requests, {:.1} % server errors, {:.1} % render failures",
            self.requests, self.server_error_percent, self.render_failure_percent
        )?;
        if let Some(latency) = self.latency_p99 {
            write!(f, ", p99 {} ms", latency.as_millis())?;
        }
        write!(
            f,
            ", {:.1} % of {} clients failed",
            self.failed_client_percent, self.clients
        )
    }
}

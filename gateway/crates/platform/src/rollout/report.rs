//! The verdict of the canary analysis about a rollout, with its numbers.

use std::fmt;
use std::time::Duration;

use colonnade_config::RolloutSettings;

use super::samples::{Requests, Views};
use super::sequential_test::is_more_frequent;

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
    /// For how long this gateway has counted in the current step.
    pub counted: Duration,
}

/// The verdicts that the one of the analysis consists of. Only requests can be too few for a step to end.
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
    fn new(requests: &Requests, views: &Views, settings: &RolloutSettings) -> Self {
        Self {
            requests: requests.count,
            server_error_percent: requests.server_errors.percent_of(requests.count),
            render_failure_percent: requests.render_failures.percent_of(requests.count),
            latency_p99: requests.latency_p99(),
            views: views.documents,
            clients: views.failed().of,
            failed_client_percent: views.failed_percent(settings.report_sample_percent),
        }
    }
}

impl AnalysisReport {
    /// Compares the candidate's requests and views with those of the live deployment.
    pub(super) fn new(
        (requests, views): (&Requests, &Views),
        (live_requests, live_views): (&Requests, &Views),
        counted: Duration,
        settings: &RolloutSettings,
    ) -> Self {
        let (candidate, live) = (
            TrackSamples::new(requests, views, settings),
            TrackSamples::new(live_requests, live_views, settings),
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
        let has_enough_views = views.documents >= settings.min_views;
        let failed_clients = verdict_of(
            has_enough_views,
            has_enough_views && have_more_failed_clients((views, &candidate), (live_views, &live), settings),
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
        let min_failed_clients = min_clients(settings, requests.clients());
        let [server_errors, render_failures] = [
            (
                "have a server error",
                [&requests.server_errors, &live_requests.server_errors],
                [candidate.server_error_percent, live.server_error_percent],
                analysis.server_error_margin_percent,
            ),
            (
                "have a render failure",
                [&requests.render_failures, &live_requests.render_failures],
                [candidate.render_failure_percent, live.render_failure_percent],
                analysis.render_failure_margin_percent,
            ),
        ]
        .map(|(what, [failed, live_failed], [share, live_share], margin)| {
            verdict_of(
                has_enough_requests,
                failed.clients() >= min_failed_clients
                    && exceeds(share, live_share, margin)
                    && is_more_frequent(failed.of(candidate.requests), live_failed.of(live.requests)),
                &|| {
                    format!(
                        "{share:.1} % of {} requests with the rollout's releases {what}, and {live_share:.1} % of {} without",
                        candidate.requests, live.requests
                    )
                },
            )
        });
        let [p99, live_p99] = [&candidate, &live].map(|track| track.latency_p99.unwrap_or_default());
        let limit = live_p99 + analysis.latency_margin;
        let latency = verdict_of(
            has_enough_requests,
            live.latency_p99.is_some()
                && p99 > limit
                && requests.clients_slower_than(limit) >= min_failed_clients
                && is_more_frequent(requests.slower_than(limit), live_requests.slower_than(limit)),
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
        }
    }
}

/// Whether more of the candidate's clients report a failure, by more than the margin and more than by chance.
fn have_more_failed_clients(
    (views, candidate): (&Views, &TrackSamples),
    (live_views, live): (&Views, &TrackSamples),
    settings: &RolloutSettings,
) -> bool {
    let reporting = candidate.clients * u64::from(settings.report_sample_percent) / 100;
    views.failed().failed >= min_clients(settings, reporting)
        && exceeds(
            candidate.failed_client_percent,
            live.failed_client_percent,
            settings.abort_margin_percent,
        )
        && is_more_frequent(views.failed(), live_views.failed())
}

/// The minimum of failing clients: the setting, and at least the square root of the number of clients that could fail. So what is
/// enough among few clients is not enough among many.
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

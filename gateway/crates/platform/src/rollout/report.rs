//! The verdict of the canary analysis about a rollout, with its numbers.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use colonnade_config::RolloutSettings;
use colonnade_model::canary::TrackCounts;
use colonnade_model::deployment::{Rollout, RolloutFigures, TrackFigures};

use crate::deployment::Figures;
use crate::rollout::query_result::{QueryResult, Verdict};
use crate::rollout::samples::rounded;
use crate::rollout::sequential_test::{Failed, is_more_frequent};

/// The result of an analysis.
#[derive(Debug, Clone)]
pub struct AnalysisReport {
    /// The verdict.
    pub verdict: Verdict,
    /// The verdict of each criterion.
    pub criteria: Criteria,
    /// The results of the operator's own criteria.
    pub queries: Vec<QueryResult>,
    /// The margins that the candidate exceeds, in words.
    pub failures: Vec<String>,
    /// The visitors with the rollout's releases.
    pub candidate: TrackFigures,
    /// The visitors without them.
    pub live: TrackFigures,
    /// For how long the gateway that counts longest has counted in the current step.
    pub counted: Duration,
    /// The number of gateways whose counts are added up, this one included.
    pub gateways: usize,
}

/// The verdict of each criterion. One that fails makes the rollout fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RolloutCriteria)]
pub struct Criteria {
    /// The requests with a 5xx status.
    pub server_errors: Verdict,
    /// The requests that the gateway could not render.
    pub render_failures: Verdict,
    /// The latency of requests.
    pub latency_p99: Verdict,
    /// The clients that reported a failure. With too few samples of it alone a rollout passes.
    pub failed_clients: Verdict,
}

fn figures(counts: &TrackCounts, settings: &RolloutSettings) -> TrackFigures {
    let reported = percent(failed_viewers(counts).failed, counts.viewers.len());
    TrackFigures {
        requests: counts.requests,
        server_error_percent: percent(counts.server_errors.requests, counts.requests),
        render_failure_percent: percent(counts.render_failures.requests, counts.requests),
        latency_p99_ms: counts.latency_p99().map(|micros| micros / 1000),
        views: counts.documents,
        clients: counts.viewers.len(),
        // Only a share of the failures is reported.
        failed_client_percent: (reported * 100.0 / f64::from(settings.report_sample_percent)).min(100.0),
    }
}

/// One side of a rollout.
struct Side<'a> {
    counts: &'a TrackCounts,
    figures: TrackFigures,
}

/// What an analysis compares.
struct Comparison<'a> {
    candidate: Side<'a>,
    live: Side<'a>,
    settings: &'a RolloutSettings,
    /// Whether both sides had enough requests.
    has_enough_requests: bool,
    /// The failures that were found.
    failures: Vec<String>,
}

impl<'a> Side<'a> {
    fn new(counts: &'a TrackCounts, settings: &RolloutSettings) -> Self {
        let figures = figures(counts, settings);
        Self { counts, figures }
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
        let candidate = Side::new(counts, settings);
        let live = Side::new(live_counts, settings);
        let min_requests = settings.analysis.min_requests;
        let mut comparison = Comparison {
            has_enough_requests: [&candidate, &live]
                .iter()
                .all(|side| side.figures.requests >= min_requests),
            candidate,
            live,
            settings,
            failures: Vec::new(),
        };
        let failed_clients = comparison.failed_clients();
        let server_errors = comparison.failed_requests(
            "have a server error",
            |side| {
                (
                    side.counts.server_errors.requests,
                    side.counts.server_errors.clients.len(),
                )
            },
            settings.analysis.server_error_margin_percent,
        );
        let render_failures = comparison.failed_requests(
            "have a render failure",
            |side| {
                (
                    side.counts.render_failures.requests,
                    side.counts.render_failures.clients.len(),
                )
            },
            settings.analysis.render_failure_margin_percent,
        );
        let latency = comparison.latency();
        let Comparison {
            candidate,
            live,
            failures,
            has_enough_requests,
            ..
        } = comparison;
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
                latency_p99: latency,
                failed_clients,
            },
            queries: Vec::new(),
            failures,
            candidate: candidate.figures,
            live: live.figures,
            counted,
            gateways,
        }
    }

    /// The same with the results of the operator's own criteria; `None`: they are not known yet.
    pub(super) fn with_queries(mut self, queries: Option<Vec<QueryResult>>) -> Self {
        let is_known = queries.is_some();
        self.queries = queries.unwrap_or_default();
        let has = |verdict| self.queries.iter().any(|query| query.verdict == verdict);
        self.verdict = match self.verdict {
            _ if has(Verdict::Failing) => Verdict::Failing,
            Verdict::Passing if !is_known => Verdict::TooFewSamples,
            Verdict::Passing if has(Verdict::NoData) => Verdict::NoData,
            verdict => verdict,
        };
        let failing = self
            .queries
            .iter()
            .filter(|query| query.verdict == Verdict::Failing);
        self.failures.extend(failing.map(ToString::to_string));
        self
    }

    /// The numbers, for a change of the rollout that the report is about.
    pub fn figures_of(&self, rollout: &Rollout) -> Figures {
        Figures {
            rollout: rollout.id.clone(),
            counted: Box::new(self.figures()),
        }
    }

    /// The numbers, for the history.
    pub fn figures(&self) -> RolloutFigures {
        RolloutFigures {
            candidate: self.candidate.clone(),
            live: self.live.clone(),
            queries: self.queries.iter().map(QueryResult::figures).collect(),
        }
    }
}

impl Comparison<'_> {
    /// The verdict of a criterion. A failure says why it fails.
    fn verdict_of(&mut self, has_enough: bool, failure: Option<String>) -> Verdict {
        match (failure, has_enough) {
            (Some(failure), _) => {
                self.failures.push(failure);
                Verdict::Failing
            }
            (None, true) => Verdict::Passing,
            (None, false) => Verdict::TooFewSamples,
        }
    }

    fn failed_clients(&mut self) -> Verdict {
        let [candidate, live] = [&self.candidate, &self.live].map(|side| &side.figures);
        let has_enough = candidate.views >= self.settings.min_views;
        let is_failing = has_enough
            && have_more_failed_clients(
                (self.candidate.counts, candidate),
                (self.live.counts, live),
                self.settings,
            );
        let failure = is_failing.then(|| {
            format!(
                "{:.1} % of {} clients with the rollout's releases failed, and {:.1} % of {} without",
                candidate.failed_client_percent, candidate.clients, live.failed_client_percent, live.clients
            )
        });
        self.verdict_of(has_enough, failure)
    }

    /// Whether more requests of the candidate fail, by more than the margin and more than by chance. `failed`
    /// returns the failed requests and the number of their clients.
    fn failed_requests(
        &mut self,
        what: &str,
        failed: impl Fn(&Side<'_>) -> (u64, u64),
        margin: u8,
    ) -> Verdict {
        let [candidate, live] = [&self.candidate, &self.live].map(|side| &side.figures);
        let [(requests, clients), (live_requests, _)] = [&self.candidate, &self.live].map(failed);
        let share = percent(requests, candidate.requests);
        let live_share = percent(live_requests, live.requests);
        let is_failing = clients >= min_clients(self.settings, self.candidate.counts.clients.len())
            && exceeds(share, live_share, margin)
            && is_more_frequent(of(requests, candidate), of(live_requests, live));
        let failure = is_failing.then(|| {
            format!(
                "{share:.1} % of {} requests with the rollout's releases {what}, and {live_share:.1} % of {} without",
                candidate.requests, live.requests
            )
        });
        self.verdict_of(self.has_enough_requests, failure)
    }

    fn latency(&mut self) -> Verdict {
        let [candidate, live] = [&self.candidate, &self.live].map(|side| side.counts.latency_p99());
        let [p99, live_p99] = [candidate, live].map(|p99| Duration::from_micros(p99.unwrap_or_default()));
        let limit = latency_limit(self.live.counts, self.settings);
        let slower = |side: &Side<'_>| of(side.counts.slower_than(rounded(limit)), &side.figures);
        let counts = self.candidate.counts;
        let is_failing = live.is_some()
            && p99 > limit
            && counts.slow_clients.len() >= min_clients(self.settings, counts.clients.len())
            && is_more_frequent(slower(&self.candidate), slower(&self.live));
        let failure = is_failing.then(|| {
            format!(
                "99 % of requests take up to {} ms with the rollout's releases, and {} ms without",
                p99.as_millis(),
                live_p99.as_millis()
            )
        });
        self.verdict_of(self.has_enough_requests, failure)
    }
}

/// The latency above which a request of the candidate is slow.
pub(super) fn latency_limit(live: &TrackCounts, settings: &RolloutSettings) -> Duration {
    Duration::from_micros(live.latency_p99().unwrap_or_default()) + settings.analysis.latency_margin
}

/// These requests of all on one side.
fn of(failed: u64, track: &TrackFigures) -> Failed {
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
    (counts, candidate): (&TrackCounts, &TrackFigures),
    (live_counts, live): (&TrackCounts, &TrackFigures),
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
            Self::NoData => "no data",
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
            self.verdict,
            Described(&self.candidate),
            Described(&self.live)
        )?;
        let mut queries = self.queries.iter();
        queries.try_for_each(|query| write!(f, "; {query}"))
    }
}

/// The numbers of one side, in words.
struct Described<'a>(&'a TrackFigures);

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(figures) = self;
        write!(
            f,
            "{} requests, {:.1} % server errors, {:.1} % render failures",
            figures.requests, figures.server_error_percent, figures.render_failure_percent
        )?;
        if let Some(latency) = figures.latency_p99_ms {
            write!(f, ", p99 {latency} ms")?;
        }
        write!(
            f,
            ", {:.1} % of {} clients failed",
            figures.failed_client_percent, figures.clients
        )
    }
}

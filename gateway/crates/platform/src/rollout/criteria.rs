//! The operator's own criteria: asks Prometheus about the running rollouts.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

use colonnade_config::{Criterion, Prometheus, QueriedSide};
use colonnade_model::canary::CountedStep;
use colonnade_model::deployment::{ReleaseChange, Rollout};

use crate::deployment::{Deployments, RunningRollout, Snapshot, concurrently};
use crate::rollout::CanaryAnalysis;
use crate::rollout::prometheus::{NoData, PrometheusError, QueryServer};
use crate::rollout::query_result::{Queried, QueryResult, Verdict};

/// How often it is checked whether a rollout is to be asked about.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// How often it is asked about each rollout.
const QUERY_INTERVAL: Duration = Duration::from_secs(10);

/// How long a result counts while newer ones are missing.
const GRACE: Duration = Duration::from_mins(1);

/// Asks the server about the criteria of the analysis.
pub(super) struct Queries {
    server: QueryServer,
}

impl Queries {
    /// `None` without a server.
    pub(super) fn new(settings: Option<Prometheus>) -> Result<Option<Self>, PrometheusError> {
        let server = settings.map(QueryServer::new).transpose()?;
        Ok(server.map(|server| Self { server }))
    }

    /// Asks about all rollouts, forever.
    pub(super) async fn run(&self, deployments: &Deployments, analysis: &CanaryAnalysis) {
        let mut ticks = interval(CHECK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let snapshot = deployments.current();
            // One that the server answers late delays no other.
            let asking = due(&snapshot, analysis).into_iter();
            let asking = asking.map(async |(rollout, asked)| {
                let queried = self.ask(&rollout, asked, analysis).await;
                analysis.set_queried(&rollout.id, queried);
            });
            concurrently(asking).await;
            analysis.retain_queried(|id| snapshot.rollouts().any(|running| running.record.id == id));
        }
    }

    /// Asks about the sections that a rollout changes.
    async fn ask(&self, rollout: &Rollout, asked: Vec<SectionQueries>, analysis: &CanaryAnalysis) -> Queried {
        let known = analysis.queried(rollout).map(|known| known.results);
        let known = known.unwrap_or_default();
        let asked = asked.into_iter().map(|asked| self.result(asked));
        let mut results = concurrently(asked).await;
        for result in results
            .iter_mut()
            .filter(|result| result.verdict == Verdict::NoData)
        {
            let before = known.iter().find(|known| known.is_about(result));
            let before = before.filter(|before| before.verdict != Verdict::NoData);
            if let Some(before) = before.filter(|before| before.asked_at.elapsed() <= GRACE) {
                *result = before.clone();
            }
        }
        Queried {
            step: CountedStep::of(rollout),
            at: Instant::now(),
            results,
        }
    }

    async fn result(&self, asked: SectionQueries) -> QueryResult {
        let (candidate, live) = tokio::join!(self.server.query(&asked.candidate), async {
            match &asked.live {
                Some(query) => self.server.query(query).await.map(Some),
                None => Ok(None),
            }
        });
        let live = live.and_then(|live| match live {
            Some(number) if number.is_infinite() => Err(NoData::NotANumber(number.to_string())),
            live => Ok(live),
        });
        let SectionQueries {
            criterion, section, ..
        } = asked;
        let verdict = match (&candidate, &live) {
            (Ok(candidate), Ok(live)) if exceeds(&criterion, *candidate, *live) => Verdict::Failing,
            (Ok(_), Ok(_)) => Verdict::Passing,
            _ => Verdict::NoData,
        };
        let problem = candidate.as_ref().err().or(live.as_ref().err());
        QueryResult {
            problem: problem.map(ToString::to_string),
            criterion,
            section,
            candidate: candidate.ok(),
            live: live.ok().flatten(),
            verdict,
            asked_at: Instant::now(),
        }
    }
}

/// Whether a result exceeds one of the limits.
fn exceeds(criterion: &Criterion, candidate: f64, live: Option<f64>) -> bool {
    let compared = criterion.max_ratio.zip(live).map(|(ratio, live)| ratio * live);
    [criterion.max, compared]
        .into_iter()
        .flatten()
        .any(|limit| candidate > limit)
}

/// The rollouts to ask about now, and what to ask.
fn due(snapshot: &Snapshot, analysis: &CanaryAnalysis) -> Vec<(Rollout, Vec<SectionQueries>)> {
    let is_due = |running: &RunningRollout<'_>| {
        let known = analysis.queried(running.record);
        known.is_none_or(|known| known.at.elapsed() >= QUERY_INTERVAL)
    };
    let asked = |running: &RunningRollout<'_>| {
        let numbers = (running.record.candidate, running.live.deployment.number);
        let mut asked = Vec::new();
        for (section, change) in running.changes() {
            let criteria = analysis.settings().criteria.iter();
            asked.extend(
                criteria.filter_map(|criterion| SectionQueries::new(criterion, &section, &change, numbers)),
            );
        }
        asked
    };
    let due = snapshot.rollouts().filter(is_due);
    due.map(|running| (running.record.clone(), asked(&running)))
        .collect()
}

/// The queries of a criterion for a section.
struct SectionQueries {
    criterion: Criterion,
    section: String,
    candidate: String,
    /// If both sides are compared.
    live: Option<String>,
}

impl SectionQueries {
    /// `None` if there is nothing to ask: the candidate has no release of the section, or it is to
    /// be compared with a live one that there is not.
    fn new(
        criterion: &Criterion,
        section: &str,
        change: &ReleaseChange,
        (candidate, live): (u64, u64),
    ) -> Option<Self> {
        let query = |version: &String, track, deployment| {
            criterion.query(QueriedSide {
                section,
                version,
                track,
                deployment,
            })
        };
        let live = match criterion.max_ratio {
            Some(_) => Some(query(change.from.as_ref()?, "live", live)),
            None => None,
        };
        Some(Self {
            section: section.to_owned(),
            candidate: query(change.to.as_ref()?, "candidate", candidate),
            live,
            criterion: criterion.clone(),
        })
    }
}

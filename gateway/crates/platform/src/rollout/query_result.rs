//! What the server responds about the criteria of a rollout.

use std::fmt;

use serde::Serialize;

use colonnade_config::Criterion;
use colonnade_model::canary::CountedStep;
use colonnade_model::deployment::QueryFigures;
use tokio::time::Instant;

/// Whether a rollout may continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = RolloutVerdict)]
pub enum Verdict {
    /// The candidate does not fail more often than the live deployment.
    Passing,
    /// It fails more often, or is slower, by more than a margin and more than by chance.
    Failing,
    /// One of both had fewer requests than the minimum, or Prometheus was not asked yet.
    TooFewSamples,
    /// A query has no number as its result.
    NoData,
}

/// The result of a criterion for one section of a rollout.
#[derive(Debug, Clone)]
pub struct QueryResult {
    /// What was asked, with the limit.
    pub criterion: Criterion,
    /// The section that the rollout changes.
    pub section: String,
    /// The result for the candidate, if there is one.
    pub candidate: Option<f64>,
    /// The result for the live release, if it was asked for.
    pub live: Option<f64>,
    /// Passing, failing or no data.
    pub verdict: Verdict,
    /// Why there is no data.
    pub problem: Option<String>,
    /// When there was data.
    pub(super) asked_at: Instant,
}

impl QueryResult {
    /// The numbers. JSON has no infinite ones.
    pub fn figures(&self) -> QueryFigures {
        let finite = |number: Option<f64>| number.filter(|number| number.is_finite());
        QueryFigures {
            name: self.criterion.name.clone(),
            section: self.section.clone(),
            candidate: finite(self.candidate),
            live: finite(self.live),
        }
    }

    pub(super) fn is_about(&self, other: &Self) -> bool {
        self.criterion.name == other.criterion.name && self.section == other.section
    }
}

/// The results for the current step of a rollout.
#[derive(Debug, Clone)]
pub(super) struct Queried {
    pub(super) step: CountedStep,
    pub(super) at: Instant,
    pub(super) results: Vec<QueryResult>,
}

/// Such as ``` `errors` of legal is 0.2, of at most 0.1 ```.
impl fmt::Display for QueryResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of {}", self.criterion.name, self.section)?;
        if let Some(problem) = &self.problem {
            return write!(f, ": {problem}");
        }
        write!(f, " is {}", self.candidate.unwrap_or_default())?;
        if let Some(max) = self.criterion.max {
            write!(f, ", of at most {max}")?;
        }
        if let Some((ratio, live)) = self.criterion.max_ratio.zip(self.live) {
            write!(f, ", of at most {ratio} times {live} of the live release")?;
        }
        Ok(())
    }
}

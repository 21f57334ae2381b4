//! The requests for changes, and their results.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use crate::deployment::snapshot::{RunningRollout, Snapshot};
use colonnade_model::deployment::{Change, GATEWAY, LiveState, RolloutFigures, RolloutSteps};
use colonnade_model::release::ReleaseId;
use colonnade_render::RequestedRenders;
use colonnade_store::loaded::LoadedDeployment;

/// Who makes a change, and why.
#[derive(Debug, Clone)]
pub struct Author {
    /// The name of the API token, or `gateway`.
    pub by: String,
    /// The reason, if given.
    pub reason: Option<String>,
    /// What it was decided by, if it is a change of a rollout.
    pub figures: Option<Figures>,
}

/// The figures of a rollout.
#[derive(Debug, Clone)]
pub struct Figures {
    /// The ID of the rollout. Only its changes record them: the change may wait for others, of which
    /// one can start another rollout of the same section.
    pub rollout: String,
    /// What the analysis has counted.
    pub counted: Box<RolloutFigures>,
}

impl Author {
    /// The gateway, for this reason.
    pub fn gateway(reason: Option<String>, figures: Option<Figures>) -> Self {
        Self {
            by: GATEWAY.to_owned(),
            reason,
            figures,
        }
    }
}

/// Whether the caller may change a section or the shell; `*` stands for all of them.
pub type MayChange<'a> = &'a (dyn Fn(&str) -> bool + Sync);

/// The result of a change.
#[derive(Debug)]
pub struct ChangeOutcome {
    /// A snapshot taken after the change.
    pub snapshot: Arc<Snapshot>,
    /// The live state after the change. `snapshot` may be newer.
    pub state: LiveState,
    /// The deployment that was created, promoted or aborted.
    pub number: u64,
    /// False if there was nothing to change.
    pub changed: bool,
    /// The requested paths that its trial rendered.
    pub requested: RequestedRenders,
    /// What garbage collection found.
    pub(super) garbage: CollectedGarbage,
}

/// A request to change releases of the live deployment.
#[derive(Debug, Clone)]
pub struct DeployRequest {
    /// The version of each section to change, by name; `None` removes the section.
    pub releases: BTreeMap<String, Option<String>>,
    /// The deployment that must be live, if given.
    pub base: Option<u64>,
    /// How its rollout starts. `None`: it goes live for all visitors.
    pub rollout: Option<RolloutStart>,
    /// Whether a path that visitors request may become a redirect, or not found.
    pub accepts_status_changes: bool,
}

/// How a rollout starts.
#[derive(Debug, Clone)]
pub enum RolloutStart {
    /// At this percentage of visitors, which changes only by hand.
    Percent(u8),
    /// At the first step.
    Steps(RolloutSteps),
}

/// What to roll back.
#[derive(Debug, Clone)]
pub enum RollbackTarget {
    /// One section, to its previous release.
    Section(String),
    /// All sections, to this deployment.
    Deployment(u64),
    /// All sections, to the previous deployment.
    Previous,
}

/// What a change would do now.
#[derive(Debug)]
pub struct ChangePlan {
    /// The live deployment that the plan is for; `None` before the first deploy.
    pub live: Option<u64>,
    /// The entry that the change would add to the history; `None` if there is nothing to change.
    pub change: Option<Change>,
}

/// Selects one of the running rollouts.
#[derive(Debug, Clone)]
pub enum RolloutTarget {
    /// The rollout of this candidate.
    Candidate(u64),
    /// The rollout that changes this section.
    Section(String),
    /// The rollout with this ID.
    Id(String),
}

impl RolloutTarget {
    /// Whether a running rollout is the one.
    pub fn selects(&self, running: &RunningRollout<'_>) -> bool {
        match self {
            Self::Candidate(number) => running.record.candidate == *number,
            Self::Section(name) => running.changes().contains_key(name),
            Self::Id(id) => running.record.id == *id,
        }
    }
}

/// The description of a running rollout in an error.
#[derive(Debug, Clone)]
pub struct RolloutDescription {
    /// The sections that the rollout changes.
    pub sections: Vec<String>,
    /// The number of the candidate.
    pub candidate: u64,
    /// The candidate's share of visitors.
    pub percent: u8,
    /// The name of the token that started the rollout.
    pub by: String,
}

/// What a preview shows.
#[derive(Debug)]
pub enum PreviewTarget {
    /// A stored deployment.
    Deployment(u64),
    /// The live deployment with the version of each of these sections replaced; `None` removes the
    /// section. It is stored as a new deployment.
    Releases(BTreeMap<String, Option<String>>),
}

/// What garbage collection deleted or, in a dry run, would delete.
#[derive(Debug, Clone, Default)]
pub struct CollectedGarbage {
    /// The numbers of deployments.
    pub deployments: Vec<u64>,
    /// Releases.
    pub releases: Vec<ReleaseId>,
}

/// A pattern by which a section takes paths that are routed to another section.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim {
    pub(super) pattern: String,
    pub(super) section: String,
    /// The pattern that loses paths.
    pub(super) from_pattern: String,
    /// The section that loses paths.
    pub(super) from_section: String,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pattern,
            section,
            from_pattern,
            from_section,
        } = self;
        write!(
            f,
            "pattern `{pattern}` of {section} takes paths of pattern `{from_pattern}` of {from_section}"
        )
    }
}

/// Knows what visitors request, and renders it before they do.
pub trait Warm: Send + Sync {
    /// The canonical paths of the cached documents that visitors have requested, except those of pages
    /// that do not exist: the most requested first.
    fn requested_paths(&self) -> Vec<String>;

    /// Renders the documents of a live deployment that visitors are likely to request.
    fn warm(self: Arc<Self>, deployment: Arc<LoadedDeployment>) -> Warming;
}

/// The future of [`Warm::warm`].
pub type Warming = Pin<Box<dyn Future<Output = ()> + Send>>;

impl RunningRollout<'_> {
    pub(super) fn describe(&self) -> RolloutDescription {
        RolloutDescription {
            sections: self.changes().into_keys().collect(),
            candidate: self.record.candidate,
            percent: self.record.percent,
            by: self.record.by.clone(),
        }
    }
}

impl fmt::Display for RolloutTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Candidate(number) => write!(f, "deployment {number}"),
            Self::Section(name) => write!(f, "`{name}`"),
            Self::Id(id) => write!(f, "rollout {id}"),
        }
    }
}

impl fmt::Display for RolloutDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            sections,
            candidate,
            percent,
            by,
        } = self;
        let verb = if sections.len() == 1 { "is" } else { "are" };
        let sections: Vec<String> = sections.iter().map(|name| format!("`{name}`")).collect();
        let sections = sections.join(", ");
        write!(
            f,
            "{sections} {verb} being rolled out with deployment {candidate} to {percent}% of visitors, started by `{by}`"
        )
    }
}

impl CollectedGarbage {
    pub(super) fn is_empty(&self) -> bool {
        self.deployments.is_empty() && self.releases.is_empty()
    }
}

impl fmt::Display for CollectedGarbage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} unused deployments and {} unused releases",
            self.deployments.len(),
            self.releases.len()
        )
    }
}

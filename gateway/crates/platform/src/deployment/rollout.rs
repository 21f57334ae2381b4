//! Continuing a rollout: promoting its candidate or aborting it. Other rollouts continue.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::change::{Author, ChangeError, ChangeOutcome, ChangePlan, MayChange, require};
use super::claims::{refused_claims, reject_claims};
use super::{Deployments, Snapshot};
use crate::metrics;
use colonnade_model::deployment::{
    ChangeKind, GATEWAY, LiveState, ReleaseChange, Rollout, RolloutProgress, VisibleDeployments, includes,
    release_changes,
};
use colonnade_store::loaded::LoadedDeployment;
use jiff::Timestamp;
use tokio::time::Instant;

/// A running rollout.
#[derive(Debug)]
pub struct RunningRollout<'a> {
    /// The index of the rollout in the live state.
    pub(super) index: usize,
    /// The stored record.
    pub record: &'a Rollout,
    /// The live deployment.
    pub live: &'a Arc<LoadedDeployment>,
    /// The live deployment with the changes of this rollout only.
    pub candidate: &'a Arc<LoadedDeployment>,
}

/// Selects one of the running rollouts.
#[derive(Debug, Clone)]
pub enum RolloutTarget {
    /// The rollout of this candidate. A deploy of other sections gives the candidate a new number.
    Candidate(u64),
    /// The rollout that changes this section.
    Section(String),
    /// The rollout with this ID.
    Id(String),
}

/// The description of a running rollout in an error.
#[derive(Debug)]
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

/// What to do with a rollout.
#[derive(Debug, Clone, Copy)]
enum Step {
    SetPercent(u8),
    Promote,
    Abort(ChangeKind),
    /// Goes to the step after the one that began at this time.
    Advance(Timestamp),
    /// Pauses the rollout. With a time, only if its step began then.
    Pause(Option<Timestamp>),
    Resume,
}

/// The live state after a step, without the change that leads to it.
struct Continued {
    action: ChangeKind,
    visible: VisibleDeployments,
    sections: BTreeMap<String, ReleaseChange>,
    /// The new share of the candidate.
    percent: Option<u8>,
    /// Whether the rollout was paused or resumed.
    paused: Option<bool>,
}

impl Deployments {
    /// Shows the candidate to another percentage of visitors or, without one, makes its changes live.
    pub async fn promote(
        &self,
        target: &RolloutTarget,
        percent: Option<u8>,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        let step = percent.map_or(Step::Promote, Step::SetPercent);
        self.apply_step(target, step, author, may_change).await
    }

    /// Aborts the rollout: no visitor sees its changes.
    pub async fn abort(
        &self,
        target: &RolloutTarget,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.apply_step(target, Step::Abort(ChangeKind::Abort), author, may_change)
            .await
    }

    /// Pauses the steps of a rollout: its share stays until it is resumed.
    pub async fn pause(
        &self,
        target: &RolloutTarget,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.apply_step(target, Step::Pause(None), author, may_change)
            .await
    }

    /// Continues the steps of a paused rollout. The step begins again.
    pub async fn resume(
        &self,
        target: &RolloutTarget,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.apply_step(target, Step::Resume, author, may_change).await
    }

    /// Aborts a rollout because its candidate failed.
    pub async fn abort_automatically(
        &self,
        rollout: &Rollout,
        reason: String,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.apply_automatically(rollout, Step::Abort(ChangeKind::AutomaticAbort), reason)
            .await
    }

    /// Ends the step of a rollout that began at `since`. Changes nothing if another gateway was faster.
    pub async fn advance(
        &self,
        rollout: &Rollout,
        since: Timestamp,
        reason: String,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.apply_automatically(rollout, Step::Advance(since), reason)
            .await
    }

    /// Pauses a rollout in the step that began at `since`. Changes nothing if another gateway was faster.
    pub async fn pause_automatically(
        &self,
        rollout: &Rollout,
        since: Timestamp,
        reason: String,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.apply_automatically(rollout, Step::Pause(Some(since)), reason)
            .await
    }

    async fn apply_automatically(
        &self,
        rollout: &Rollout,
        step: Step,
        reason: String,
    ) -> Result<ChangeOutcome, ChangeError> {
        let author = Author {
            by: GATEWAY.to_owned(),
            reason: Some(reason),
        };
        let target = RolloutTarget::Id(rollout.id.clone());
        self.apply_step(&target, step, &author, &|_| true).await
    }

    async fn apply_step(
        &self,
        target: &RolloutTarget,
        step: Step,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        let result = self.try_step(target, step, author, may_change).await;
        let action = match step {
            Step::SetPercent(_) | Step::Promote => metrics::PROMOTE,
            Step::Abort(ChangeKind::AutomaticAbort) => metrics::AUTOMATIC_ABORT,
            Step::Abort(_) => metrics::ABORT,
            Step::Advance(_) => metrics::ADVANCE,
            Step::Pause(None) => metrics::PAUSE,
            Step::Pause(Some(_)) => metrics::AUTOMATIC_PAUSE,
            Step::Resume => metrics::RESUME,
        };
        self.metrics.record_change(action, &result);
        result
    }

    async fn try_step(
        &self,
        target: &RolloutTarget,
        step: Step,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        let asked_at = Instant::now();
        let _changing = self.start_change().await?;
        loop {
            let snapshot = self.newest_since(asked_at).await?;
            let running = snapshot.find_rollout(target)?;
            let number = running.candidate.number();
            require(may_change, running.changes().keys())?;
            // Either team can stop a rollout.
            if !matches!(step, Step::Pause(_) | Step::Abort(_)) {
                reject_claims(refused_claims(running.live, running.candidate, may_change))?;
            }
            if matches!(step, Step::Pause(_) | Step::Resume) && running.record.progress.is_none() {
                return Err(ChangeError::NoSteps(target.clone()));
            }
            let Some(state) = next_state(&snapshot, &running, step, author) else {
                return ChangeOutcome::unchanged(snapshot, number);
            };
            let plan = ChangePlan::new(state);
            if let Some(outcome) = self.try_apply(&snapshot, plan, Vec::new(), number).await? {
                return Ok(outcome);
            }
        }
    }
}

/// The live state after a step; `None` if there is nothing to change.
fn next_state(
    snapshot: &Snapshot,
    running: &RunningRollout<'_>,
    step: Step,
    author: &Author,
) -> Option<LiveState> {
    let visible = &snapshot.state()?.visible;
    let next = running.after(step, visible, colonnade_clock::precise())?;
    let mut state = author.state(snapshot, next.action, next.visible, next.sections);
    state.change.candidate = Some(running.candidate.number());
    state.change.percent = next.percent;
    state.change.paused = next.paused;
    Some(state)
}

impl RunningRollout<'_> {
    /// What follows from a step; `None` if there is nothing to change.
    fn after(&self, step: Step, visible: &VisibleDeployments, now: Timestamp) -> Option<Continued> {
        let Rollout {
            percent, progress, ..
        } = self.record;
        let active = self.record.active_progress();
        let began_at = |since| active.filter(|active| active.step_started_at == since);
        match step {
            Step::SetPercent(new) if new == *percent => None,
            // A share set by hand stays until the rollout is resumed.
            Step::SetPercent(new) => {
                let paused = progress.as_ref().map(RolloutProgress::paused);
                Some(self.continued(visible, new, paused, active.map(|_| true)))
            }
            Step::Promote => Some(self.promoted(visible)),
            Step::Abort(action) => {
                let (from, to) = (&self.candidate.deployment, &self.live.deployment);
                Some(Continued {
                    action,
                    visible: visible.aborted(self.index),
                    sections: release_changes(&from.releases, &to.releases),
                    percent: None,
                    paused: None,
                })
            }
            Step::Advance(since) => Some(match began_at(since)?.advanced(*percent, now) {
                Some(next) => self.continued(visible, next.current().percent, Some(next), None),
                None => self.promoted(visible),
            }),
            Step::Pause(since) => {
                let paused = since.map_or(active, began_at)?.paused();
                Some(self.continued(visible, *percent, Some(paused), Some(true)))
            }
            Step::Resume => {
                let paused = progress.as_ref().filter(|_| active.is_none())?;
                let next = paused.resumed(*percent, now);
                let percent = next.current().percent.max(*percent);
                Some(self.continued(visible, percent, Some(next), Some(false)))
            }
        }
    }

    fn continued(
        &self,
        visible: &VisibleDeployments,
        percent: u8,
        progress: Option<RolloutProgress>,
        paused: Option<bool>,
    ) -> Continued {
        Continued {
            action: ChangeKind::Percent,
            visible: visible.continued(self.index, percent, progress),
            sections: self.changes(),
            percent: Some(percent),
            paused,
        }
    }

    fn promoted(&self, visible: &VisibleDeployments) -> Continued {
        Continued {
            action: ChangeKind::Promote,
            visible: visible.promoted(self.index),
            sections: self.changes(),
            percent: None,
            paused: None,
        }
    }
}

impl RunningRollout<'_> {
    /// The release changes of the rollout, by section.
    pub fn changes(&self) -> BTreeMap<String, ReleaseChange> {
        release_changes(
            &self.live.deployment.releases,
            &self.candidate.deployment.releases,
        )
    }

    fn describe(&self) -> RolloutDescription {
        RolloutDescription {
            sections: self.changes().into_keys().collect(),
            candidate: self.candidate.number(),
            percent: self.record.percent,
            by: self.record.by.clone(),
        }
    }
}

impl Snapshot {
    fn find_rollout(&self, target: &RolloutTarget) -> Result<RunningRollout<'_>, ChangeError> {
        let found = self.rollouts().find(|running| match target {
            RolloutTarget::Candidate(number) => running.candidate.number() == *number,
            RolloutTarget::Section(name) => running.changes().contains_key(name),
            RolloutTarget::Id(id) => running.record.id == *id,
        });
        found.ok_or_else(|| ChangeError::NotInRollout {
            target: target.clone(),
            running: self.describe_rollouts(),
        })
    }

    /// Describes all running rollouts.
    pub(super) fn describe_rollouts(&self) -> Vec<RolloutDescription> {
        self.rollouts().map(|running| running.describe()).collect()
    }

    /// Describes the running rollouts whose changes are part of a combination.
    pub(super) fn describe_rollouts_in(&self, combination: usize) -> Vec<RolloutDescription> {
        let running = self.rollouts();
        let included = running.filter(|running| includes(combination, running.index));
        included.map(|running| running.describe()).collect()
    }

    /// Rejects a change of sections that are being rolled out.
    pub(super) fn reject_rolled_out(&self, is_changed: impl Fn(&str) -> bool) -> Result<(), ChangeError> {
        let mut affected = self.describe_rollouts();
        for rollout in &mut affected {
            rollout.sections.retain(|name| is_changed(name));
        }
        affected.retain(|rollout| !rollout.sections.is_empty());
        if affected.is_empty() {
            Ok(())
        } else {
            Err(ChangeError::SectionsInRollout(affected))
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

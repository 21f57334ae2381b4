//! Continuing a rollout: promote the candidate or abort it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::change::{Author, ChangeError, ChangeOutcome, ChangePlan, MayChange, require};
use super::{Deployments, Snapshot};
use colonnade_model::deployment::{ChangeKind, LiveState, ReleaseChange, Rollout, release_changes};
use colonnade_store::loaded::LoadedDeployment;

/// A running rollout.
#[derive(Debug)]
pub struct RunningRollout {
    /// The stored record.
    pub record: Rollout,
    /// The deployment that is being rolled out.
    pub candidate: Arc<LoadedDeployment>,
}

/// The next step of a rollout.
#[derive(Debug, Clone, Copy)]
enum Step {
    SetPercent(u8),
    Promote,
    Abort(ChangeKind),
}

impl Deployments {
    /// Shows the candidate to another percentage of visitors or, without one, makes it live.
    pub async fn promote(
        &self,
        number: u64,
        percent: Option<u8>,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        let step = percent.map_or(Step::Promote, Step::SetPercent);
        self.apply_step(number, None, step, author, may_change).await
    }

    /// Aborts the rollout: all visitors see the live deployment.
    pub async fn abort(
        &self,
        number: u64,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.apply_step(number, None, Step::Abort(ChangeKind::Abort), author, may_change)
            .await
    }

    /// Aborts a rollout because its candidate failed, unless another rollout is running by now.
    pub async fn abort_automatically(
        &self,
        rollout: &Rollout,
        reason: String,
    ) -> Result<ChangeOutcome, ChangeError> {
        let author = Author {
            by: "gateway".to_owned(),
            reason: Some(reason),
        };
        let step = Step::Abort(ChangeKind::AutomaticAbort);
        self.apply_step(rollout.deployment, Some(&rollout.id), step, &author, &|_| true)
            .await
    }

    async fn apply_step(
        &self,
        number: u64,
        id: Option<&str>,
        step: Step,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        let _changing = self.changing.lock().await;
        loop {
            let snapshot = self.refresh().await?;
            let (live, running) = snapshot.running(number)?;
            if id.is_some_and(|id| id != running.record.id) {
                let candidate = Some(running.candidate.number());
                return Err(ChangeError::NotCandidate { number, candidate });
            }
            let promoted = release_changes(&live.deployment.releases, &running.candidate.deployment.releases);
            require(may_change, promoted.keys())?;
            let Some(state) = next_state(&snapshot, live, running, promoted, step, author) else {
                return ChangeOutcome::unchanged(snapshot, number);
            };
            if let Some(outcome) = self.try_apply(&snapshot, ChangePlan::new(state), number).await? {
                return Ok(outcome);
            }
        }
    }
}

fn next_state(
    snapshot: &Snapshot,
    live: &LoadedDeployment,
    running: &RunningRollout,
    promoted: BTreeMap<String, ReleaseChange>,
    step: Step,
    author: &Author,
) -> Option<LiveState> {
    let candidate = running.candidate.number();
    let mut state = match step {
        Step::SetPercent(percent) if percent == running.record.percent => return None,
        Step::SetPercent(percent) => {
            let rollout = Rollout {
                percent,
                ..running.record.clone()
            };
            author.state(
                snapshot,
                ChangeKind::Percent,
                live.number(),
                Some(rollout),
                BTreeMap::new(),
            )
        }
        Step::Promote => author.state(snapshot, ChangeKind::Promote, candidate, None, promoted),
        Step::Abort(action) => {
            let reverted = release_changes(&running.candidate.deployment.releases, &live.deployment.releases);
            author.state(snapshot, action, live.number(), None, reverted)
        }
    };
    state.change.candidate = Some(candidate);
    Some(state)
}

impl Snapshot {
    /// The live deployment and the rollout of this candidate.
    fn running(&self, number: u64) -> Result<(&Arc<LoadedDeployment>, &RunningRollout), ChangeError> {
        let running = self.rollout();
        match (self.live(), running) {
            (Some(live), Some(running)) if running.candidate.number() == number => Ok((live, running)),
            _ => Err(ChangeError::NotCandidate {
                number,
                candidate: running.map(|running| running.candidate.number()),
            }),
        }
    }
}

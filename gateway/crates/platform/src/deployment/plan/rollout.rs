//! The rules of running rollouts.

use std::collections::BTreeMap;

use colonnade_model::deployment::{
    ChangeKind, ReleaseChange, Rollout, RolloutProgress, SetName, VisibleDeployments, release_changes,
};

use crate::deployment::change_error::ChangeError;
use crate::deployment::plan::{ChangedSet, Plan, Planner, Step, find_rollout, require_all};
use crate::deployment::snapshot::RunningRollout;
use crate::deployment::types::RolloutTarget;

/// What a step does to a rollout.
struct Stepped {
    action: ChangeKind,
    visible: VisibleDeployments,
    sections: BTreeMap<String, ReleaseChange>,
    /// The new share of the candidate.
    percent: Option<u8>,
    /// Whether the rollout was paused or resumed.
    paused: Option<bool>,
}

impl Planner<'_> {
    pub(super) fn step(&self, target: &RolloutTarget, step: Step) -> Result<Option<Plan>, ChangeError> {
        let running = find_rollout(self.snapshot, target)?;
        require_all(self.request.may_change, running.changes().keys())?;
        if matches!(step, Step::Pause(_) | Step::Resume) && running.record.progress.is_none() {
            return Err(ChangeError::NoSteps(target.clone()));
        }
        let visible = &self
            .snapshot
            .state()
            .ok_or(ChangeError::NoLiveDeployment)?
            .visible;
        let Some(next) = self.stepped(&running, step, visible) else {
            return Ok(None);
        };
        if next.action == ChangeKind::Promote {
            let lost = running.candidate.unavailable.iter();
            let lost: Vec<String> = lost
                .map(|each| format!("{} is missing or damaged", each.id))
                .collect();
            if !lost.is_empty() {
                return Err(ChangeError::Unavailable(lost));
            }
        }
        let live = next.visible.live();
        let is_new = live == self.number;
        let create = is_new.then(|| self.deployment(running.releases()));
        // Either team can stop a rollout, or show it to fewer visitors.
        let needs_claims = match step {
            Step::Pause(_) | Step::Abort(_) => false,
            Step::SetPercent(percent) => percent > running.record.percent,
            Step::Promote | Step::Advance(_) | Step::Resume => true,
        };
        let sets = needs_claims.then(|| ChangedSet {
            releases: running.releases(),
            replaces: Some(SetName::of_live(running.live.deployment.number)),
            rollout: None,
        });
        let mut state = self.state(next.action, next.visible, next.sections);
        state.change.candidate = Some(running.record.candidate);
        state.change.percent = next.percent;
        state.change.paused = next.paused;
        let figures = self.request.author.figures.as_ref();
        let of_this = figures.filter(|figures| figures.rollout == running.record.id);
        state.change.figures = of_this.map(|figures| figures.counted.clone());
        Ok(Some(Plan {
            number: if is_new { live } else { running.record.candidate },
            ..self.plan(create, state, sets.into_iter().collect())
        }))
    }

    /// What a step does; `None` if there is nothing to change.
    fn stepped(
        &self,
        running: &RunningRollout<'_>,
        step: Step,
        visible: &VisibleDeployments,
    ) -> Option<Stepped> {
        let Rollout {
            percent, progress, ..
        } = running.record;
        let now = colonnade_clock::precise();
        let active = running.record.active_progress();
        let began_at = |since| active.filter(|active| active.step_started_at == since);
        let continued = |percent, progress, paused| Stepped {
            action: ChangeKind::Percent,
            visible: visible.continued(running.index, percent, progress),
            sections: running.changes(),
            percent: Some(percent),
            paused,
        };
        match step {
            Step::SetPercent(new) if new == *percent => None,
            // A share set by hand stays until the rollout is resumed.
            Step::SetPercent(new) => {
                let paused = progress.as_ref().map(RolloutProgress::paused);
                Some(continued(new, paused, active.map(|_| true)))
            }
            Step::Promote => Some(self.promoted(running, visible)),
            Step::Abort(action) => Some(Stepped {
                action,
                visible: visible.aborted(running.index, self.moment),
                sections: release_changes(&running.releases(), &running.live.deployment.releases),
                percent: None,
                paused: None,
            }),
            Step::Advance(since) => Some(match began_at(since)?.advanced(*percent, now) {
                Some(next) => continued(next.current().percent, Some(next), None),
                None => self.promoted(running, visible),
            }),
            Step::Pause(since) => {
                let paused = since.map_or(active, began_at)?.paused();
                Some(continued(*percent, Some(paused), Some(true)))
            }
            Step::Resume => {
                let paused = progress.as_ref().filter(|_| active.is_none())?;
                let next = paused.resumed(*percent, now);
                let percent = next.current().percent.max(*percent);
                Some(continued(percent, Some(next), Some(false)))
            }
        }
    }

    /// The candidate goes live, or a new deployment if others have changed the live one since.
    fn promoted(&self, running: &RunningRollout<'_>, visible: &VisibleDeployments) -> Stepped {
        let candidate = &running.candidate.deployment;
        let is_current = candidate.releases == running.releases();
        let live = if is_current { candidate.number } else { self.number };
        Stepped {
            action: ChangeKind::Promote,
            visible: visible.promoted(running.index, live, self.moment),
            sections: running.changes(),
            percent: None,
            paused: None,
        }
    }
}

//! The changes that operators and teams make.

use crate::deployment::change_error::ChangeError;
use crate::deployment::change_queue::Place;
use crate::deployment::deployments::Deployments;
use crate::deployment::plan::{Command, Request, Step};
use crate::deployment::types::{
    Author, ChangeOutcome, DeployPlan, DeployRequest, MayChange, PreviewTarget, RollbackPlan, RollbackTarget,
    RolloutTarget,
};
use colonnade_model::deployment::{ChangeKind, Rollout};
use colonnade_model::extension_rules::ExtensionId;
use colonnade_model::rotating_keys::{KeyPurpose, RotatingKeys};
use jiff::Timestamp;

impl Deployments {
    async fn run(
        &self,
        command: Command<'_>,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        let request = Request {
            command,
            author,
            may_change,
        };
        self.change(&request).await
    }

    /// Creates a deployment of the live releases with some replaced, and makes it live or starts
    /// its rollout. Rollouts of other sections continue.
    pub async fn deploy(
        &self,
        request: &DeployRequest,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.run(Command::Deploy(request), &request.author, may_change)
            .await
    }

    /// What [`Deployments::deploy`] would change now. Rejects what it would reject before the trial
    /// renders.
    pub async fn plan_deploy(
        &self,
        request: &DeployRequest,
        may_change: MayChange<'_>,
    ) -> Result<DeployPlan, ChangeError> {
        let request = Request {
            command: Command::Deploy(request),
            author: &request.author,
            may_change,
        };
        let (snapshot, plan) = self.planned(&request).await?;
        let change = plan.map(|plan| plan.state.change);
        Ok(DeployPlan {
            live: snapshot.live().map(|live| live.deployment.number),
            sections: change.map(|change| change.sections).unwrap_or_default(),
        })
    }

    /// Rolls back with a new deployment, which goes live for all visitors.
    ///
    /// Rolling back a section keeps all other sections and the rollouts. Rolling back to a
    /// deployment ends all rollouts.
    pub async fn roll_back(
        &self,
        target: &RollbackTarget,
        base: Option<u64>,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.run(Command::RollBack { target, base }, author, may_change)
            .await
    }

    /// What [`Deployments::roll_back`] would change now. Rejects what it would reject.
    pub async fn plan_rollback(
        &self,
        target: &RollbackTarget,
        base: Option<u64>,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<RollbackPlan, ChangeError> {
        let command = Command::RollBack { target, base };
        let request = Request {
            command,
            author,
            may_change,
        };
        let (snapshot, plan) = self.planned(&request).await?;
        let live = snapshot.live().ok_or(ChangeError::NoLiveDeployment)?;
        let change = plan.map(|plan| plan.state.change);
        Ok(RollbackPlan {
            live: live.deployment.number,
            restores: change.as_ref().and_then(|change| change.restores),
            sections: change.map(|change| change.sections).unwrap_or_default(),
        })
    }

    /// Shows the candidate to another percentage of visitors or, without one, makes its changes
    /// live.
    pub async fn promote(
        &self,
        target: &RolloutTarget,
        percent: Option<u8>,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        let step = percent.map_or(Step::Promote, Step::SetPercent);
        self.step(target, step, author, may_change).await
    }

    /// Aborts the rollout: no visitor gets its changes.
    pub async fn abort(
        &self,
        target: &RolloutTarget,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.step(target, Step::Abort(ChangeKind::Abort), author, may_change)
            .await
    }

    /// Pauses the steps of a rollout: its share stays until it is resumed.
    pub async fn pause(
        &self,
        target: &RolloutTarget,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.step(target, Step::Pause(None), author, may_change).await
    }

    /// Continues the steps of a paused rollout. The step starts again.
    pub async fn resume(
        &self,
        target: &RolloutTarget,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.step(target, Step::Resume, author, may_change).await
    }

    /// Aborts a rollout because its candidate failed.
    pub async fn abort_automatically(
        &self,
        rollout: &Rollout,
        author: &Author,
    ) -> Result<ChangeOutcome, ChangeError> {
        let step = Step::Abort(ChangeKind::AutomaticAbort);
        self.step_automatically(rollout, step, author).await
    }

    /// Ends the step of a rollout that started at `since`. Changes nothing if another gateway was
    /// faster.
    pub async fn advance(
        &self,
        rollout: &Rollout,
        since: Timestamp,
        author: &Author,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.step_automatically(rollout, Step::Advance(since), author)
            .await
    }

    /// Pauses a rollout in the step that started at `since`. Changes nothing if another gateway was
    /// faster.
    pub async fn pause_automatically(
        &self,
        rollout: &Rollout,
        since: Timestamp,
        author: &Author,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.step_automatically(rollout, Step::Pause(Some(since)), author)
            .await
    }

    async fn step_automatically(
        &self,
        rollout: &Rollout,
        step: Step,
        author: &Author,
    ) -> Result<ChangeOutcome, ChangeError> {
        let target = RolloutTarget::Id(rollout.id.clone());
        self.step(&target, step, author, &|_| true).await
    }

    async fn step(
        &self,
        rollout: &RolloutTarget,
        step: Step,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.run(Command::Step { rollout, step }, author, may_change)
            .await
    }

    /// Prepares a preview. The returned snapshot has the deployment and a key to sign its link
    /// with.
    pub async fn preview(
        &self,
        target: &PreviewTarget,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        let mut outcome = self.run(Command::Preview(target), author, may_change).await?;
        // Another gateway may have ended all previews in the meantime, which deletes the key.
        let keys = outcome.snapshot.preview_keys();
        if keys
            .active(KeyPurpose::Previews, colonnade_clock::now())
            .is_none()
        {
            let _changing = self.start_change(Place::Limited).await?;
            self.store.rotate_keys(KeyPurpose::Previews).await?;
            outcome.snapshot = self.refresh().await?;
        }
        Ok(outcome)
    }

    /// Switches an extension on or off, in all versions of its section and of the point. New documents
    /// follow at once here, and on other gateways after their next poll.
    pub async fn switch_extension(
        &self,
        extension: &ExtensionId,
        on: bool,
        author: &Author,
        may_change: MayChange<'_>,
    ) -> Result<ChangeOutcome, ChangeError> {
        self.run(Command::Switch { extension, on }, author, may_change)
            .await
    }

    /// Ends all previews, on every gateway that shares the store, by deleting the signing keys.
    pub async fn end_previews(&self, author: &Author, may_change: MayChange<'_>) -> Result<(), ChangeError> {
        let request = Request {
            command: Command::EndPreviews,
            author,
            may_change,
        };
        request.authorize()?;
        {
            let _changing = self.start_change(request.command.place()).await?;
            loop {
                let keys = self.store.keys(KeyPurpose::Previews).await?;
                let none = RotatingKeys::default();
                if self
                    .store
                    .compare_and_swap_keys(KeyPurpose::Previews, &keys, &none)
                    .await?
                {
                    break;
                }
            }
        }
        match self.change(&request).await {
            // Before the first deploy there are no previews.
            Ok(_) | Err(ChangeError::NoLiveDeployment) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

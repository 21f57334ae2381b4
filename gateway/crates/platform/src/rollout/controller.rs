//! Continues rollouts in steps. Every gateway of a store does this, and the compare-and-swap of the live state decides which
//! one makes the change.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use colonnade_model::deployment::{Rollout, RolloutProgress};

use crate::deployment::{ChangeError, Deployments};

/// How often the rollouts are checked.
const INTERVAL: Duration = Duration::from_millis(500);

/// Continues the rollouts of a store.
pub struct RolloutController {
    deployments: Arc<Deployments>,
}

impl RolloutController {
    /// Creates a controller of these deployments.
    pub fn new(deployments: Arc<Deployments>) -> Self {
        Self { deployments }
    }

    /// Checks the rollouts forever.
    pub async fn run(&self) {
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // A persistent error is logged once, not at every check.
        let mut reported = None;
        loop {
            ticks.tick().await;
            let error = self.check().await.err().map(|error| error.to_string());
            if let Some(error) = &error
                && reported.as_ref() != Some(error)
            {
                tracing::error!(event = "rollout_check_failed", error = %error);
            }
            reported = error;
        }
    }

    async fn check(&self) -> Result<(), ChangeError> {
        let snapshot = self.deployments.current();
        for running in snapshot.rollouts() {
            match self.check_rollout(running.record).await {
                // The rollout ended in the meantime.
                Ok(()) | Err(ChangeError::NotInRollout { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn check_rollout(&self, rollout: &Rollout) -> Result<(), ChangeError> {
        let Some(progress) = rollout.active_progress() else {
            return Ok(());
        };
        if progress.elapsed(colonnade_clock::precise()) >= progress.current().duration {
            let reason = end_of_step(progress);
            self.deployments
                .advance(rollout, progress.step_started_at, reason)
                .await?;
        }
        Ok(())
    }
}

/// Describes the step that ends.
fn end_of_step(progress: &RolloutProgress) -> String {
    format!(
        "end of step {} of {}, {}",
        progress.step + 1,
        progress.steps.as_slice().len(),
        progress.current()
    )
}

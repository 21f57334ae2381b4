//! Continues rollouts in steps. Every gateway of a store does this, and the compare-and-swap of the
//! live state decides which one makes the change.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use colonnade_config::{Prometheus, RolloutSettings};
use colonnade_model::deployment::{ChangeKind, Rollout, RolloutProgress};
use colonnade_store::{GatewayId, StoreError};

use crate::deployment::{Author, ChangeError, ChangeRequest, Command, Deployments, RolloutTarget, Step};
use crate::rollout::criteria::Queries;
use crate::rollout::{AnalysisReport, CanaryAnalysis, PrometheusError, Verdict};

/// How often the rollouts are checked.
const INTERVAL: Duration = Duration::from_millis(500);

/// How often gateways exchange their counts while rollouts are running. In a bucket, each exchange
/// costs a few requests.
const EXCHANGE_INTERVAL: Duration = Duration::from_secs(3);

/// Continues the rollouts of a store.
pub struct RolloutController {
    /// The deployments that it changes.
    pub deployments: Arc<Deployments>,
    /// The analysis that it decides by.
    pub analysis: Arc<CanaryAnalysis>,
    queries: Option<Queries>,
}

impl RolloutController {
    /// Creates a controller that decides by these settings.
    pub fn new(deployments: &Arc<Deployments>, settings: RolloutSettings) -> Self {
        Self {
            deployments: Arc::clone(deployments),
            analysis: Arc::new(CanaryAnalysis::new(settings)),
            queries: None,
        }
    }

    /// The same with a server for the queries of its criteria.
    pub fn with_prometheus(self, settings: Option<Prometheus>) -> Result<Self, PrometheusError> {
        let queries = Queries::new(settings)?;
        Ok(Self { queries, ..self })
    }

    /// Checks the rollouts, and exchanges counts with the other gateways, forever.
    pub async fn run(&self) {
        if self.deployments.store().check_writable().is_err() {
            return;
        }
        // A store or a server that hangs must not delay the checks.
        tokio::join!(self.check_forever(), self.exchange_forever(), async {
            if let Some(queries) = &self.queries {
                queries.run(&self.deployments, &self.analysis).await;
            }
        });
    }

    async fn exchange_forever(&self) {
        let gateway = GatewayId::random();
        let mut ticks = tokio::time::interval(EXCHANGE_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut has_shared = false;
        let mut reported = None;
        loop {
            ticks.tick().await;
            let exchanged = self.exchange(gateway, &mut has_shared).await;
            let error = exchanged.err().map(|error| error.to_string());
            if let Some(error) = &error
                && reported.as_ref() != Some(error)
            {
                tracing::warn!(event = "canary_exchange_failed", error = %error);
            }
            reported = error;
        }
    }

    /// Exchanges counts if rollouts are running. When the last one has ended, deletes those of this
    /// gateway.
    async fn exchange(&self, gateway: GatewayId, has_shared: &mut bool) -> Result<(), StoreError> {
        let snapshot = self.deployments.current();
        let store = self.deployments.store();
        if snapshot.rollouts().next().is_some() {
            let rollouts = snapshot.rollouts().map(|running| running.record);
            let own = self.analysis.own_counts(rollouts);
            *has_shared = true;
            let others = store.exchange_counts(gateway, &own).await?;
            self.deployments.metrics().counts_were_exchanged(others.len() + 1);
            self.analysis.set_counts_of_others(others);
        } else if *has_shared {
            store.delete_counts(gateway).await?;
            *has_shared = false;
            self.deployments.metrics().counts_were_exchanged(0);
        }
        Ok(())
    }

    async fn check_forever(&self) {
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
        // One that fails must not keep the others from being aborted.
        let mut result = Ok(());
        for running in snapshot.rollouts() {
            match self.check_rollout(running.record).await {
                // The rollout ended in the meantime.
                Ok(()) | Err(ChangeError::NotInRollout { .. }) => {}
                Err(error) => result = result.and(Err(error)),
            }
        }
        result
    }

    async fn check_rollout(&self, rollout: &Rollout) -> Result<(), ChangeError> {
        let settings = self.analysis.settings();
        let report = self.analysis.report(rollout);
        if report.verdict == Verdict::Failing && settings.automatic_abort {
            let (step, reason) = (
                Step::Abort(ChangeKind::AutomaticAbort),
                report.failures.join("; "),
            );
            return self.step(rollout, step, reason, &report).await;
        }
        let Some(progress) = rollout.active_progress() else {
            return Ok(());
        };
        let (began, duration) = (
            progress.step_started_at,
            progress.current().duration.unsigned_abs(),
        );
        let longest = duration * (1 + u32::from(settings.analysis.max_extensions));
        let step = match report.verdict {
            Verdict::Passing if report.counted >= duration => Step::Advance(began),
            Verdict::TooFewSamples if report.counted >= longest => Step::Pause(Some(began)),
            Verdict::NoData if report.counted >= duration => Step::Pause(Some(began)),
            Verdict::Failing => Step::Pause(Some(began)),
            Verdict::Passing | Verdict::TooFewSamples | Verdict::NoData => return Ok(()),
        };
        let reason = describe_step(progress, &report);
        self.step(rollout, step, reason, &report).await
    }

    async fn step(
        &self,
        rollout: &Rollout,
        step: Step,
        reason: String,
        report: &AnalysisReport,
    ) -> Result<(), ChangeError> {
        let author = Author::gateway(Some(reason), Some(report.figures_of(rollout)));
        let rollout = RolloutTarget::Id(rollout.id.clone());
        let request = ChangeRequest {
            command: &Command::Step { rollout, step },
            author: &author,
            may_change: &|_| true,
        };
        self.deployments.change(&request).await.map(drop)
    }
}

/// Describes a step that ends, and why.
fn describe_step(progress: &RolloutProgress, report: &AnalysisReport) -> String {
    format!(
        "end of step {} of {}, {}; {report}",
        progress.step + 1,
        progress.steps.as_slice().len(),
        progress.current()
    )
}

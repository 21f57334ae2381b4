//! Whether the gateway is ready to serve, and whether the store can be read and written.

use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::deployment::deployments::Deployments;
use crate::deployment::error::LoadError;
use crate::deployment::parts::Degradation;
use colonnade_config::Retention;
use colonnade_memory::Pressure;
use colonnade_model::event::EventType;
use colonnade_web::health::Readiness;

/// How often it is checked whether the store can be written.
const SPACE_CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// The subjects of the events `store.degraded` and `store.recovered`.
const READS: &str = "reads of the store";
const WRITES: &str = "writes to the store";

impl Deployments {
    /// Makes `/readyz` report what another part of the gateway degrades. Only the first call has an
    /// effect.
    pub fn report_degradation(&self, degradation: Degradation) {
        let _ = self.health.degradation.set(degradation);
    }

    /// Whether the gateway is ready to serve: see `/readyz`.
    pub fn readiness(&self) -> Readiness {
        let snapshot = self.current();
        if snapshot.live().is_none() {
            return Readiness::NothingLive;
        }
        let mut problems = Vec::new();
        problems.extend(
            self.health
                .degradation
                .get()
                .and_then(|degradation| degradation()),
        );
        if let Some(renderer) = &self.rendering.renderer
            && renderer.is_degraded()
        {
            problems.push("no render worker is available".to_owned());
        }
        match Pressure::current() {
            Pressure::Normal => {}
            Pressure::High => problems.push("memory is short: renders and publishes are refused".to_owned()),
            Pressure::Critical => return Readiness::Overloaded,
        }
        problems.extend(self.health.store_problem.lock().clone());
        problems.extend(self.health.write_problem.lock().clone());
        problems.extend(self.settings_missing_or_mistyped(&snapshot));
        let sections: Vec<_> = snapshot.unavailable().map(|each| each.id.name.as_str()).collect();
        if !sections.is_empty() {
            problems.push(format!("unavailable sections: {}", sections.join(", ")));
        }
        if problems.is_empty() {
            Readiness::Ready
        } else {
            Readiness::Degraded(problems)
        }
    }

    /// Why the store cannot be read or written, as far as this gateway knows.
    pub fn store_problem(&self) -> Option<String> {
        let unreadable = self.health.store_problem.lock().clone();
        unreadable.or_else(|| self.health.write_problem.lock().clone())
    }

    /// Polls the store, checks whether it can be written, and collects garbage in it. Never
    /// returns.
    pub async fn follow_store(&self, keep: Retention) {
        tokio::join!(
            self.poll_store(),
            self.check_store_space(),
            self.collect_garbage_regularly(keep),
        );
    }

    /// Polls the store forever for changes by other gateways. If the store cannot be read, the
    /// error is logged and the snapshot stays.
    pub async fn poll_store(&self) {
        let mut ticks = tokio::time::interval(self.store.poll_interval());
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last_read = colonnade_clock::now();
        // A persistent error is logged once, not at every poll.
        let mut reported = None;
        loop {
            ticks.tick().await;
            let error = self.read(&mut *self.snapshots.last_read.lock().await).await.err();
            *self.health.store_problem.lock() = error.as_ref().map(|error| match error {
                LoadError::LiveStateMissing => "the live state is missing from the store".to_owned(),
                LoadError::OtherTimeline => "the store was restored while the gateway runs".to_owned(),
                _ => format!("the store cannot be read since {last_read:.0}"),
            });
            let error = error.map(|error| error.to_string());
            match (&error, &reported) {
                (Some(error), reported) if reported.as_ref() != Some(error) => {
                    tracing::error!(event = "store_refresh_failed", error = %error);
                    if reported.is_none() {
                        let problem = self.health.store_problem.lock().clone();
                        self.observers
                            .events
                            .report(EventType::StoreDegraded, READS, problem);
                    }
                }
                (None, Some(_)) => {
                    let outage = colonnade_clock::now().duration_since(last_read).as_secs();
                    tracing::info!(event = "store_refreshed", outage_seconds = outage);
                    self.observers
                        .events
                        .report(EventType::StoreRecovered, READS, None);
                }
                _ => {}
            }
            if error.is_none() {
                last_read = colonnade_clock::now();
                self.observers.metrics.store_was_read();
            }
            reported = error;
        }
    }

    /// Checks forever whether the store can be written, so that an operator knows before a rollback
    /// fails.
    async fn check_store_space(&self) {
        let mut ticks = tokio::time::interval(SPACE_CHECK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let error = self.store.check_space().await.err();
            let problem = error.map(|error| error.without_path());
            let before = std::mem::replace(
                &mut *self.health.write_problem.lock(),
                problem.as_ref().map(|_| "the store cannot be written".to_owned()),
            );
            match problem {
                Some(error) if before.is_none() => {
                    tracing::error!(event = "store_not_writable", error);
                    self.observers
                        .events
                        .report(EventType::StoreDegraded, WRITES, Some(error));
                }
                None if before.is_some() => {
                    tracing::info!(event = "store_writable");
                    self.observers
                        .events
                        .report(EventType::StoreRecovered, WRITES, None);
                }
                _ => {}
            }
        }
    }
}

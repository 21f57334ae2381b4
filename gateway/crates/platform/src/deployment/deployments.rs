//! The store and the current snapshot of it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::AbortHandle;
use tokio::time::{MissedTickBehavior, timeout};

use super::snapshot::LoadError;
use super::{Snapshot, Warm};
use crate::metrics::DeploymentMetrics;
use colonnade_diagnostics::Diagnostics;
use colonnade_model::deployment::Deployment;
use colonnade_render::Renderer;
use colonnade_store::{Store, StoreError};
use colonnade_web::health::Readiness;

/// How long a change waits for another one in this process. With the wait for the lock of the store, an operator waits less
/// than 5 s.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(2);

/// Returns what visitors miss because of another part of the gateway, if anything.
pub type Degradation = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// The deployments of a store: changes them, and keeps the current snapshot.
pub struct Deployments {
    pub(super) store: Arc<dyn Store>,
    /// Renders deployments before they go live. `None`: there are no trial renders.
    pub(super) renderer: Option<Arc<Renderer>>,
    /// Renders the documents of live deployments. `None`: the document cache is not warmed.
    pub(super) warmer: Option<Arc<dyn Warm>>,
    pub(super) diagnostics: Arc<Diagnostics>,
    pub(super) metrics: DeploymentMetrics,
    degradation: OnceLock<Degradation>,
    current: ArcSwap<Snapshot>,
    /// Why the last poll of the store failed, for `/readyz`.
    store_problem: parking_lot::Mutex<Option<String>>,
    /// Held during changes and refreshes, so that an older snapshot never replaces a newer one.
    changing: Mutex<()>,
    /// The background task that warms the document cache.
    pub(super) warming: parking_lot::Mutex<Option<AbortHandle>>,
}

impl Deployments {
    /// Reads the store.
    pub async fn open(
        store: Arc<dyn Store>,
        renderer: Option<Arc<Renderer>>,
        warmer: Option<Arc<dyn Warm>>,
        diagnostics: Arc<Diagnostics>,
        metrics: DeploymentMetrics,
    ) -> Result<Self, LoadError> {
        let empty = Snapshot::default();
        let snapshot = Arc::new(empty.refreshed(&*store).await?);
        let deployments = Self {
            store,
            renderer,
            warmer,
            diagnostics,
            metrics,
            degradation: OnceLock::new(),
            current: ArcSwap::new(Arc::clone(&snapshot)),
            store_problem: parking_lot::Mutex::default(),
            changing: Mutex::new(()),
            warming: parking_lot::Mutex::default(),
        };
        deployments.describe(&empty, &snapshot);
        deployments.warm(&empty, &snapshot);
        Ok(deployments)
    }

    /// The current snapshot.
    pub fn current(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Makes `/readyz` report what another part of the gateway degrades. Only the first call has an effect.
    pub fn report_degradation(&self, degradation: Degradation) {
        let _ = self.degradation.set(degradation);
    }

    /// Whether the gateway is ready to serve: see `/readyz`.
    pub fn readiness(&self) -> Readiness {
        let snapshot = self.current();
        if snapshot.live().is_none() {
            return Readiness::NothingLive;
        }
        let mut problems = Vec::new();
        problems.extend(self.degradation.get().and_then(|degradation| degradation()));
        if let Some(renderer) = &self.renderer
            && renderer.is_degraded()
        {
            problems.push("no render worker is available".to_owned());
        }
        problems.extend(self.store_problem.lock().clone());
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

    /// The recent errors, the section log and the traffic of this gateway.
    pub fn diagnostics(&self) -> &Arc<Diagnostics> {
        &self.diagnostics
    }

    /// The metrics of deployments.
    pub fn metrics(&self) -> &DeploymentMetrics {
        &self.metrics
    }

    /// Describes a new snapshot in the metrics.
    fn describe(&self, before: &Snapshot, snapshot: &Snapshot) {
        self.metrics.describe(before, snapshot);
        if let Some(renderer) = &self.renderer {
            let releases = snapshot.visible().iter().flat_map(|loaded| &loaded.releases);
            releases.for_each(|release| renderer.expose_metrics(&release.id.name));
        }
    }

    /// The store.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Polls the store forever for changes by other gateways. If the store cannot be read, the error is logged and the
    /// snapshot stays.
    pub async fn poll_store(&self) {
        let mut ticks = tokio::time::interval(self.store.poll_interval());
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last_read = colonnade_clock::now();
        // A persistent error is logged once, not at every poll.
        let mut reported = None;
        loop {
            ticks.tick().await;
            let error = self.poll().await.err();
            *self.store_problem.lock() = error.as_ref().map(|error| match error {
                LoadError::LiveStateMissing => "the live state is missing from the store".to_owned(),
                LoadError::OtherTimeline => "the store was restored while the gateway runs".to_owned(),
                _ => format!("the store cannot be read since {last_read:.0}"),
            });
            let error = error.map(|error| error.to_string());
            match (&error, &reported) {
                (Some(error), reported) if reported.as_ref() != Some(error) => {
                    tracing::error!(event = "store_refresh_failed", error = %error);
                }
                (None, Some(_)) => {
                    let outage = colonnade_clock::now().duration_since(last_read).as_secs();
                    tracing::info!(event = "store_refreshed", outage_seconds = outage);
                }
                _ => {}
            }
            if error.is_none() {
                last_read = colonnade_clock::now();
                self.metrics.store_was_read();
            }
            reported = error;
        }
    }

    async fn poll(&self) -> Result<(), LoadError> {
        let state = self.store.live_state().await?;
        let current = self.current();
        // An unavailable release may have been repaired.
        if state.as_ref() != current.state() || current.unavailable().next().is_some() {
            let _changing = self.changing.lock().await;
            self.refresh().await?;
        }
        Ok(())
    }

    /// Waits until no other change is being made in this process.
    pub(super) async fn start_change(&self) -> Result<MutexGuard<'_, ()>, StoreError> {
        let waiting = timeout(CHANGE_TIMEOUT, self.changing.lock());
        waiting.await.map_err(|_| StoreError::Locked)
    }

    /// Reads the store again. The caller must hold `changing`.
    pub(super) async fn refresh(&self) -> Result<Arc<Snapshot>, LoadError> {
        let before = self.current();
        let snapshot = Arc::new(before.refreshed(&*self.store).await?);
        self.current.store(Arc::clone(&snapshot));
        self.describe(&before, &snapshot);
        self.record_changes(&before, &snapshot).await;
        self.warm(&before, &snapshot);
        Ok(snapshot)
    }

    /// The records of all deployments in the store by number, and the numbers of those that are damaged.
    pub async fn records(&self) -> Result<(BTreeMap<u64, Deployment>, Vec<u64>), StoreError> {
        let mut records = BTreeMap::new();
        let mut damaged = Vec::new();
        for number in self.store.deployments().await? {
            match self.store.deployment(number).await {
                Err(error) if error.is_damage() => damaged.push(number),
                deployment => records.extend(deployment?.map(|deployment| (number, deployment))),
            }
        }
        Ok((records, damaged))
    }
}

//! The store and the current snapshot of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::{Mutex, watch};
use tokio::time::Instant;

use crate::deployment::change_queue::{ChangeQueue, Changing, Place};
use crate::deployment::error::LoadError;
use crate::deployment::metrics::DeploymentMetrics;
use crate::deployment::parts::{Health, Observers, OperatorSettings, Rendering, Snapshots};
use crate::deployment::rollback_targets::RollbackTargets;
use crate::deployment::snapshot::{Snapshot, concurrently};
use crate::deployment::types::Warm;
use crate::events::EventStream;
use colonnade_diagnostics::Diagnostics;
use colonnade_model::deployment::Deployment;
use colonnade_model::release::{PointReference, ReleaseId};
use colonnade_render::{RenderStatistics, Renderer};
use colonnade_store::{Store, StoreError};

/// The deployments of a store: changes them, and keeps the current snapshot.
pub struct Deployments {
    pub(super) store: Arc<Store>,
    pub(super) snapshots: Snapshots,
    pub(super) changes: ChangeQueue,
    pub(super) rollback_targets: Mutex<RollbackTargets>,
    pub(super) operator: OperatorSettings,
    pub(super) rendering: Rendering,
    pub(super) observers: Observers,
    pub(super) health: Health,
}

impl Deployments {
    /// Reads the store.
    pub async fn open(
        store: Arc<Store>,
        renderer: Option<Arc<Renderer>>,
        warmer: Option<Arc<dyn Warm>>,
        diagnostics: Arc<Diagnostics>,
        metrics: DeploymentMetrics,
    ) -> Result<Self, LoadError> {
        let empty = Snapshot::default();
        let began_at = Instant::now();
        let read = async || {
            let state = store.live_state().await?;
            empty.refreshed(&store, state).await
        };
        let snapshot = match read().await {
            Err(error) if error.is_away() && store.fall_back() => {
                tracing::error!(event = "store_unreachable", error = %error);
                read().await
            }
            snapshot => snapshot,
        };
        let snapshot = Arc::new(snapshot?);
        let deployments = Self {
            store,
            snapshots: Snapshots::new(Arc::clone(&snapshot), began_at),
            changes: ChangeQueue::default(),
            rollback_targets: Mutex::default(),
            operator: OperatorSettings::default(),
            rendering: Rendering {
                renderer,
                warmer,
                warming: parking_lot::Mutex::default(),
            },
            observers: Observers {
                diagnostics,
                metrics,
                events: EventStream::default(),
            },
            health: Health::default(),
        };
        deployments.describe(&empty, &snapshot);
        deployments.warm(&empty, &snapshot);
        Ok(deployments)
    }

    /// The current snapshot.
    pub fn current(&self) -> Arc<Snapshot> {
        self.snapshots.current.load_full()
    }

    /// The revision of the current snapshot, for those who wait for the next one.
    pub fn revision(&self) -> watch::Receiver<u64> {
        self.snapshots.revision.subscribe()
    }

    /// The events of this gateway.
    pub fn events(&self) -> &EventStream {
        &self.observers.events
    }

    /// The render workers that start and respond, and how many are configured; `None` without server
    /// rendering.
    pub fn render_workers(&self) -> Option<(usize, usize)> {
        self.rendering.renderer.as_ref()?.workers()
    }

    /// The recent errors, the section log and the traffic of this gateway.
    pub fn diagnostics(&self) -> &Arc<Diagnostics> {
        &self.observers.diagnostics
    }

    /// What was counted of the renders of a release's extension so far.
    pub fn render_statistics(&self, section: &ReleaseId, point: &PointReference) -> RenderStatistics {
        let renderer = self.rendering.renderer.as_ref();
        renderer.map_or_else(RenderStatistics::default, |renderer| {
            renderer.statistics(section, point)
        })
    }

    /// The metrics of deployments.
    pub fn metrics(&self) -> &DeploymentMetrics {
        &self.observers.metrics
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Waits until no other change is being made in this process. Fails at once if this gateway
    /// makes no changes: other errors would mislead where the store is a replica that lacks what
    /// has been published.
    pub(super) async fn start_change(&self, place: Place) -> Result<Changing<'_>, StoreError> {
        self.store.check_writable()?;
        self.hold_off_changes(place).await
    }

    /// The number of the next deployment. The store can refuse numbers above all that are stored:
    /// those of deleted deployments.
    pub(super) fn next_number(&self, snapshot: &Snapshot) -> u64 {
        snapshot.next_number().max(self.changes.refused() + 1)
    }

    /// Waits until no change is being made in this process.
    pub(super) async fn hold_off_changes(&self, place: Place) -> Result<Changing<'_>, StoreError> {
        self.changes.wait(place).await
    }

    /// The records of these deployments by number, and the numbers of those that are damaged.
    pub async fn records(
        &self,
        numbers: impl IntoIterator<Item = u64>,
    ) -> Result<(BTreeMap<u64, Deployment>, Vec<u64>), StoreError> {
        let mut records = BTreeMap::new();
        let mut damaged = Vec::new();
        let reads = numbers
            .into_iter()
            .map(|number| async move { (number, self.store.deployment(number).await) });
        for (number, read) in concurrently(reads).await {
            match read {
                Err(error) if error.is_damage() => damaged.push(number),
                deployment => records.extend(deployment?.map(|deployment| (number, deployment))),
            }
        }
        Ok((records, damaged))
    }
}

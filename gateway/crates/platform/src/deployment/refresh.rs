//! Keeping the snapshot current: reads of the store, and who shares one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};

use crate::deployment::deployments::Deployments;
use crate::deployment::error::LoadError;
use crate::deployment::parts::LastRead;
use crate::deployment::snapshot::Snapshot;
use colonnade_model::deployment::LiveState;
use colonnade_model::extension_rules::PointRules;

/// How long after a read of the store begins the next one begins, however many requests wait for
/// it. In a bucket, each read costs money.
const MIN_READ_INTERVAL: Duration = Duration::from_millis(500);

/// How often a gateway that only reads looks for objects that arrive late in a replica: previews
/// and the keys of their links.
const LATE_OBJECTS_INTERVAL: Duration = Duration::from_secs(5);

/// For how long after a change it looks for them. Providers promise to replicate an object in less time.
const REPLICATION_TIME: Duration = Duration::from_mins(15);

/// How long a request waits for a read of the store.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

/// The store cannot be read now.
#[derive(Debug, thiserror::Error)]
#[error("the store cannot be read")]
pub struct StoreUnreadable;

impl Deployments {
    /// A snapshot with all changes that were made before `asked_at`, for a request that names what
    /// the current one does not have: another gateway may have deployed it. Requests that wait at
    /// the same time share a read.
    ///
    /// # Errors
    /// If the store cannot be read in time. Whether the requested name exists is then unknown.
    pub async fn current_since(&self, asked_at: Instant) -> Result<Arc<Snapshot>, StoreUnreadable> {
        let is_unreadable = self.health.store_problem.lock().is_some();
        if is_unreadable {
            return Err(StoreUnreadable);
        }
        let read = async {
            let mut last = self.snapshots.last_read.lock().await;
            if last.began_at < asked_at {
                sleep_until(last.began_at + MIN_READ_INTERVAL).await;
                // The poll logs a store that fails.
                let _ = self.read(&mut last).await;
            }
            last.has_succeeded
        };
        match timeout(READ_TIMEOUT, read).await {
            Ok(true) => Ok(self.current()),
            _ => Err(StoreUnreadable),
        }
    }

    pub(super) async fn read(&self, last: &mut LastRead) -> Result<(), LoadError> {
        last.began_at = Instant::now();
        // Stays false if the read is cancelled by its timeout.
        last.has_succeeded = false;
        let result = self.poll(last).await;
        last.has_succeeded = result.is_ok();
        result
    }

    async fn poll(&self, last: &mut LastRead) -> Result<(), LoadError> {
        let (before, began_at) = (self.current(), last.began_at);
        let state = self.store.live_state().await?;
        if before.state() != state.as_ref() {
            last.changed_at = began_at;
        }
        if before.shows(state.as_ref()) && !self.may_lack_late_objects(last) {
            return Ok(());
        }
        last.refreshed_at = began_at;
        let _changing = self.changes.refresh().await;
        if self.is_current(&before) {
            self.refresh_to(state, began_at).await?;
        } else {
            // A change in this process may be newer than what was read.
            self.refresh().await?;
        }
        Ok(())
    }

    /// Whether the store can be a replica in which objects have arrived since they were looked for.
    fn may_lack_late_objects(&self, last: &LastRead) -> bool {
        self.store.check_writable().is_err()
            && last.began_at < last.changed_at + REPLICATION_TIME
            && last.began_at >= last.refreshed_at + LATE_OBJECTS_INTERVAL
    }

    /// A snapshot with all changes that were made before `asked_at`. Changes that waited for one
    /// another share a read of the store. The caller must hold off changes.
    pub(super) async fn newest_since(&self, asked_at: Instant) -> Result<Arc<Snapshot>, LoadError> {
        let newest_at = *self.snapshots.newest_at.lock();
        let Some(newest_at) = newest_at else {
            return self.refresh().await;
        };
        if newest_at >= asked_at {
            return Ok(self.current());
        }
        let began_at = Instant::now();
        let (state, stored) = tokio::try_join!(self.store.live_state(), self.store.deployments())?;
        let current = self.current();
        if current.shows(state.as_ref()) && current.has_all_of(&stored) {
            self.snapshots.newest_at.lock().replace(began_at);
            return Ok(current);
        }
        self.refresh_to(state, began_at).await
    }

    /// Whether no other snapshot has replaced this one.
    pub(super) fn is_current(&self, snapshot: &Arc<Snapshot>) -> bool {
        Arc::ptr_eq(snapshot, &self.snapshots.current.load())
    }

    /// Makes the next change read the whole store: this one failed because of what the snapshot
    /// does not have.
    pub(super) fn invalidate(&self) {
        self.snapshots.newest_at.lock().take();
    }

    /// Reads the store again. The caller must hold off changes.
    pub(super) async fn refresh(&self) -> Result<Arc<Snapshot>, LoadError> {
        let began_at = Instant::now();
        let state = self.store.live_state().await?;
        self.refresh_to(state, began_at).await
    }

    /// Reads what belongs to a live state, of which the read began at `began_at`. The caller must
    /// hold off changes.
    async fn refresh_to(
        &self,
        state: Option<LiveState>,
        began_at: Instant,
    ) -> Result<Arc<Snapshot>, LoadError> {
        let snapshot = self.current().refreshed(&self.store, state).await?;
        Ok(self.replace(snapshot, began_at).await)
    }

    /// Makes a snapshot the current one, which has all changes that were made before `newest_at`.
    /// The caller must hold off changes.
    pub(super) async fn replace(&self, snapshot: Snapshot, newest_at: Instant) -> Arc<Snapshot> {
        let snapshot = Arc::new(snapshot);
        self.snapshots.newest_at.lock().replace(newest_at);
        let before = self.snapshots.current.swap(Arc::clone(&snapshot));
        self.describe(&before, &snapshot);
        self.log_hidden_pages(&before, &snapshot);
        self.snapshots.revision.send_replace(snapshot.revision());
        self.record_changes(&before, &snapshot).await;
        self.warm(&before, &snapshot);
        snapshot
    }

    /// Makes these rules for extension points those of the current snapshot, and of all later ones.
    pub(super) async fn replace_points(&self, points: BTreeMap<String, PointRules>) {
        let _changing = self.changes.refresh().await;
        let before = self.current();
        if let Some(snapshot) = before.with_points(points).map(Arc::new) {
            self.snapshots.current.store(Arc::clone(&snapshot));
            self.warm(&before, &snapshot);
        }
    }

    /// Describes a new snapshot in the metrics.
    pub(super) fn describe(&self, before: &Snapshot, snapshot: &Snapshot) {
        self.observers.metrics.describe(before, snapshot);
        let names = snapshot.visible_releases().map(|release| &*release.id.name);
        let unavailable = snapshot.unavailable().map(|each| &*each.id.name);
        let changed = snapshot
            .rollouts()
            .flat_map(|rollout| &rollout.candidate.deployment.changes);
        let changed = changed.map(String::as_str).collect();
        self.observers
            .diagnostics
            .metrics
            .expose(names.chain(unavailable), &changed);
    }
}

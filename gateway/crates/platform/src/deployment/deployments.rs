//! The store and the current snapshot of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use tokio::sync::{Mutex, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, MissedTickBehavior, sleep_until, timeout};

use crate::deployment::change_queue::{ChangeQueue, Changing, Place};
use crate::deployment::error::LoadError;
use crate::deployment::metrics::DeploymentMetrics;
use crate::deployment::rollback_targets::RollbackTargets;
use crate::deployment::settings::Settings;
use crate::deployment::snapshot::{Snapshot, concurrently};
use crate::deployment::types::Warm;
use crate::events::EventStream;
use colonnade_config::Retention;
use colonnade_diagnostics::Diagnostics;
use colonnade_memory::Pressure;
use colonnade_model::deployment::{Deployment, LiveState};
use colonnade_model::event::EventType;
use colonnade_model::extension_rules::PointRules;
use colonnade_model::release::{PointReference, ReleaseId};
use colonnade_render::{RenderStatistics, Renderer};
use colonnade_store::{Store, StoreError};
use colonnade_web::health::Readiness;

/// How often it is checked whether the store can be written.
const SPACE_CHECK_INTERVAL: Duration = Duration::from_secs(30);

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

/// The subjects of the events `store.degraded` and `store.recovered`.
const READS: &str = "reads of the store";
const WRITES: &str = "writes to the store";

/// Returns what visitors miss because of another part of the gateway, if anything.
pub type Degradation = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// The deployments of a store: changes them, and keeps the current snapshot.
pub struct Deployments {
    pub(super) store: Arc<Store>,
    /// Renders deployments before they go live. `None`: there are no trial renders.
    pub(super) renderer: Option<Arc<Renderer>>,
    /// Renders the documents of live deployments. `None`: the document cache is not warmed.
    pub(super) warmer: Option<Arc<dyn Warm>>,
    pub(super) diagnostics: Arc<Diagnostics>,
    pub(super) metrics: DeploymentMetrics,
    degradation: OnceLock<Degradation>,
    /// The paths of files that the gateway serves in place of pages.
    pub(super) files: OnceLock<BTreeSet<String>>,
    /// What the operator gives to releases. `None`: releases are not checked against it.
    pub(super) settings: ArcSwapOption<Settings>,
    current: ArcSwap<Snapshot>,
    /// The revision of the current snapshot.
    revision: watch::Sender<u64>,
    events: EventStream,
    /// Why the store cannot be written, as `/readyz` says it.
    write_problem: parking_lot::Mutex<Option<String>>,
    /// Why the last poll of the store failed, for `/readyz`.
    store_problem: parking_lot::Mutex<Option<String>>,
    /// The last read of the live state. Held during reads.
    last_read: Mutex<LastRead>,
    /// The snapshot has all changes that were made before. `None`: it lacks something.
    newest_at: parking_lot::Mutex<Option<Instant>>,
    changes: ChangeQueue,
    /// The highest number of a deployment that the store refused to create.
    pub(super) refused: AtomicU64,
    pub(super) rollback_targets: Mutex<RollbackTargets>,
    /// The background task that warms the document cache.
    pub(super) warming: parking_lot::Mutex<Option<AbortHandle>>,
}

/// A read of the live state that has ended, or was given up.
#[derive(Debug, Clone, Copy)]
struct LastRead {
    began_at: Instant,
    has_succeeded: bool,
    /// When the live state was last found to be another one.
    changed_at: Instant,
    /// When all of the store was last read.
    refreshed_at: Instant,
}

/// The store cannot be read now.
#[derive(Debug, thiserror::Error)]
#[error("the store cannot be read")]
pub struct StoreUnreadable;

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
            renderer,
            warmer,
            diagnostics,
            metrics,
            degradation: OnceLock::new(),
            files: OnceLock::new(),
            settings: ArcSwapOption::empty(),
            current: ArcSwap::new(Arc::clone(&snapshot)),
            revision: watch::Sender::new(snapshot.revision()),
            events: EventStream::default(),
            write_problem: parking_lot::Mutex::default(),
            store_problem: parking_lot::Mutex::default(),
            last_read: Mutex::new(LastRead {
                began_at,
                has_succeeded: true,
                changed_at: began_at,
                refreshed_at: began_at,
            }),
            newest_at: parking_lot::Mutex::new(Some(began_at)),
            changes: ChangeQueue::default(),
            refused: AtomicU64::new(0),
            rollback_targets: Mutex::default(),
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

    /// The revision of the current snapshot, for those who wait for the next one.
    pub fn revision(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    /// The events of this gateway.
    pub fn events(&self) -> &EventStream {
        &self.events
    }

    /// Makes `/readyz` report what another part of the gateway degrades. Only the first call has an
    /// effect.
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
        match Pressure::current() {
            Pressure::Normal => {}
            Pressure::High => problems.push("memory is short: renders and publishes are refused".to_owned()),
            Pressure::Critical => return Readiness::Overloaded,
        }
        problems.extend(self.store_problem.lock().clone());
        problems.extend(self.write_problem.lock().clone());
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
        let unreadable = self.store_problem.lock().clone();
        unreadable.or_else(|| self.write_problem.lock().clone())
    }

    /// The render workers that start and respond, and how many are configured; `None` without server
    /// rendering.
    pub fn render_workers(&self) -> Option<(usize, usize)> {
        self.renderer.as_ref()?.workers()
    }

    /// The recent errors, the section log and the traffic of this gateway.
    pub fn diagnostics(&self) -> &Arc<Diagnostics> {
        &self.diagnostics
    }

    /// What was counted of the renders of a release's extension so far.
    pub fn render_statistics(&self, section: &ReleaseId, point: &PointReference) -> RenderStatistics {
        let renderer = self.renderer.as_ref();
        renderer.map_or_else(RenderStatistics::default, |renderer| {
            renderer.statistics(section, point)
        })
    }

    /// The metrics of deployments.
    pub fn metrics(&self) -> &DeploymentMetrics {
        &self.metrics
    }

    /// Describes a new snapshot in the metrics.
    fn describe(&self, before: &Snapshot, snapshot: &Snapshot) {
        self.metrics.describe(before, snapshot);
        let names = snapshot.visible_releases().map(|release| &*release.id.name);
        let unavailable = snapshot.unavailable().map(|each| &*each.id.name);
        let changed = snapshot
            .rollouts()
            .flat_map(|rollout| &rollout.candidate.deployment.changes);
        let changed = changed.map(String::as_str).collect();
        self.diagnostics
            .metrics
            .expose(names.chain(unavailable), &changed);
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
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
            let error = self.read(&mut *self.last_read.lock().await).await.err();
            *self.store_problem.lock() = error.as_ref().map(|error| match error {
                LoadError::LiveStateMissing => "the live state is missing from the store".to_owned(),
                LoadError::OtherTimeline => "the store was restored while the gateway runs".to_owned(),
                _ => format!("the store cannot be read since {last_read:.0}"),
            });
            let error = error.map(|error| error.to_string());
            match (&error, &reported) {
                (Some(error), reported) if reported.as_ref() != Some(error) => {
                    tracing::error!(event = "store_refresh_failed", error = %error);
                    if reported.is_none() {
                        let problem = self.store_problem.lock().clone();
                        self.events.report(EventType::StoreDegraded, READS, problem);
                    }
                }
                (None, Some(_)) => {
                    let outage = colonnade_clock::now().duration_since(last_read).as_secs();
                    tracing::info!(event = "store_refreshed", outage_seconds = outage);
                    self.events.report(EventType::StoreRecovered, READS, None);
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

    /// Polls the store, checks whether it can be written, and collects garbage in it. Never
    /// returns.
    pub async fn follow_store(&self, keep: Retention) {
        tokio::join!(
            self.poll_store(),
            self.check_store_space(),
            self.collect_garbage_regularly(keep),
        );
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
                &mut *self.write_problem.lock(),
                problem.as_ref().map(|_| "the store cannot be written".to_owned()),
            );
            match problem {
                Some(error) if before.is_none() => {
                    tracing::error!(event = "store_not_writable", error);
                    self.events.report(EventType::StoreDegraded, WRITES, Some(error));
                }
                None if before.is_some() => {
                    tracing::info!(event = "store_writable");
                    self.events.report(EventType::StoreRecovered, WRITES, None);
                }
                _ => {}
            }
        }
    }

    /// A snapshot with all changes that were made before `asked_at`, for a request that names what
    /// the current one does not have: another gateway may have deployed it. Requests that wait at
    /// the same time share a read.
    ///
    /// # Errors
    /// If the store cannot be read in time. Whether the requested name exists is then unknown.
    pub async fn current_since(&self, asked_at: Instant) -> Result<Arc<Snapshot>, StoreUnreadable> {
        let is_unreadable = self.store_problem.lock().is_some();
        if is_unreadable {
            return Err(StoreUnreadable);
        }
        let read = async {
            let mut last = self.last_read.lock().await;
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

    async fn read(&self, last: &mut LastRead) -> Result<(), LoadError> {
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
        let newest_at = *self.newest_at.lock();
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
            self.newest_at.lock().replace(began_at);
            return Ok(current);
        }
        self.refresh_to(state, began_at).await
    }

    /// Whether no other snapshot has replaced this one.
    pub(super) fn is_current(&self, snapshot: &Arc<Snapshot>) -> bool {
        Arc::ptr_eq(snapshot, &self.current.load())
    }

    /// The number of the next deployment. The store can refuse numbers above all that are stored:
    /// those of deleted deployments.
    pub(super) fn next_number(&self, snapshot: &Snapshot) -> u64 {
        let refused = self.refused.load(Ordering::Relaxed);
        snapshot.next_number().max(refused + 1)
    }

    /// Makes the next change read the whole store: this one failed because of what the snapshot
    /// does not have.
    pub(super) fn invalidate(&self) {
        self.newest_at.lock().take();
    }

    /// Waits until no other change is being made in this process. Fails at once if this gateway
    /// makes no changes: other errors would mislead where the store is a replica that lacks what
    /// has been published.
    pub(super) async fn start_change(&self, place: Place) -> Result<Changing<'_>, StoreError> {
        self.store.check_writable()?;
        self.hold_off_changes(place).await
    }

    /// Waits until no change is being made in this process.
    pub(super) async fn hold_off_changes(&self, place: Place) -> Result<Changing<'_>, StoreError> {
        self.changes.wait(place).await
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
        self.newest_at.lock().replace(newest_at);
        let before = self.current.swap(Arc::clone(&snapshot));
        self.describe(&before, &snapshot);
        self.log_hidden_pages(&before, &snapshot);
        self.revision.send_replace(snapshot.revision());
        self.record_changes(&before, &snapshot).await;
        self.warm(&before, &snapshot);
        snapshot
    }

    /// Makes these rules for extension points those of the current snapshot, and of all later ones.
    pub(super) async fn replace_points(&self, points: BTreeMap<String, PointRules>) {
        let _changing = self.changes.refresh().await;
        let before = self.current();
        if let Some(snapshot) = before.with_points(points).map(Arc::new) {
            self.current.store(Arc::clone(&snapshot));
            self.warm(&before, &snapshot);
        }
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

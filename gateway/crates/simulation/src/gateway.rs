//! A gateway: the real store and platform, in a process that can crash.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use colonnade_config::RolloutSettings;
use colonnade_model::deployment::LiveState;
use colonnade_platform::deployment::DeploymentMetrics;
use colonnade_platform::deployment::{Deployments, Snapshot};
use colonnade_platform::publish::{PublishRules, Publisher};
use colonnade_platform::rollout::RolloutController;
use colonnade_store::metrics::StoreMetrics;
use colonnade_store::{CacheSettings, Store};
use parking_lot::Mutex;
use tokio::task::AbortHandle;

use crate::network::Link;
use crate::world::World;

/// More than all files of a run.
const CACHE_LIMIT: u64 = 64 * 1024 * 1024;

tokio::task_local! {
    /// By how many seconds the clock of the gateway that runs the current task is wrong.
    static CLOCK_ERROR: Arc<AtomicI64>;
}

/// By how many seconds the clock is wrong that the current task reads.
pub(crate) fn clock_error() -> i64 {
    CLOCK_ERROR
        .try_with(|error| error.load(Ordering::Relaxed))
        .unwrap_or(0)
}

/// A gateway, running or not.
pub(crate) struct Gateway {
    pub(crate) number: usize,
    pub(crate) clock_error: Arc<AtomicI64>,
    world: Arc<World>,
    cache: PathBuf,
    settings: RolloutSettings,
    /// Whether it only reads the replica.
    pub(crate) is_reader: bool,
    process: Mutex<Option<Arc<Process>>>,
}

/// A process of a gateway. It ends with [`Gateway::kill`].
pub(crate) struct Process {
    pub(crate) deployments: Arc<Deployments>,
    pub(crate) publisher: Publisher,
    /// The newest snapshot that was seen, which no older one may follow.
    seen: Mutex<Arc<Snapshot>>,
    tasks: Mutex<Vec<AbortHandle>>,
}

impl Gateway {
    pub(crate) fn new(world: &Arc<World>, number: usize, settings: RolloutSettings, is_reader: bool) -> Self {
        Self {
            number,
            clock_error: Arc::default(),
            world: Arc::clone(world),
            cache: world.folder.path().join(number.to_string()),
            settings,
            is_reader,
            process: Mutex::default(),
        }
    }

    /// Its process, if it runs.
    pub(crate) fn process(&self) -> Option<Arc<Process>> {
        self.process.lock().clone()
    }

    /// Starts a process; false if it cannot start.
    pub(crate) async fn start(&self) -> bool {
        let world = &self.world;
        let link = Link {
            world: Arc::clone(world),
            gateway: self.number,
            to_replica: self.is_reader,
        };
        let cache = CacheSettings {
            folder: self.cache.clone(),
            limit: CACHE_LIMIT,
        };
        let open = async {
            let store = Store::open_client(Arc::new(link), self.is_reader, cache, StoreMetrics::default());
            let store = Arc::new(store.await.map_err(|error| error.to_string())?);
            let opened = Deployments::open(store, None, None, Arc::default(), DeploymentMetrics::default());
            opened.await.map_err(|error| error.to_string())
        };
        let opened = CLOCK_ERROR.scope(Arc::clone(&self.clock_error), open).await;
        let deployments = match opened {
            Ok(deployments) => Arc::new(deployments),
            Err(error) => {
                world.trace.add(self, format_args!("does not start: {error}"));
                return false;
            }
        };
        let revision = deployments.current().revision();
        world
            .trace
            .add(self, format_args!("starts with revision {revision}"));
        let process = Arc::new(Process {
            seen: Mutex::new(deployments.current()),
            publisher: Publisher::new(PublishRules::default()),
            tasks: Mutex::default(),
            deployments,
        });
        let polling = Arc::clone(&process.deployments);
        self.run(&process, async move { polling.poll_store().await });
        let rollouts = RolloutController::new(&process.deployments, self.settings.clone());
        self.run(&process, async move { rollouts.run().await });
        *self.process.lock() = Some(process);
        true
    }

    /// Ends its process at once, whatever it is doing.
    pub(crate) fn kill(&self) {
        if let Some(process) = self.process.lock().take() {
            process.tasks.lock().drain(..).for_each(|task| task.abort());
            self.world.trace.add(self, format_args!("crashes"));
        }
    }

    /// Starts a task of a process with its clock.
    fn run<T: Send + 'static>(
        &self,
        process: &Process,
        task: impl Future<Output = T> + Send + 'static,
    ) -> tokio::task::JoinHandle<T> {
        let task = tokio::spawn(CLOCK_ERROR.scope(Arc::clone(&self.clock_error), task));
        process.tasks.lock().push(task.abort_handle());
        task
    }

    /// What a call to the process returns; `None` if the gateway does not run, or crashes
    /// meanwhile.
    pub(crate) async fn call<T, F>(&self, call: impl FnOnce(Arc<Process>) -> F) -> Option<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let process = self.process()?;
        self.run(&process, call(Arc::clone(&process))).await.ok()
    }

    /// The snapshot that it serves now, if it runs. It must be one of the states that were live,
    /// and none before the last.
    pub(crate) fn snapshot(&self) -> Option<Arc<Snapshot>> {
        let process = self.process()?;
        let snapshot = process.deployments.current();
        let mut seen = process.seen.lock();
        let ledger = self.world.ledger.lock();
        let expected = ledger.state(snapshot.revision()).map(|(_, state)| state);
        if snapshot.state() != expected {
            let state = snapshot.state();
            self.world
                .violated(&format!("{self} serves {state:?}, which was never live"));
        }
        if snapshot.revision() < seen.revision() {
            let (before, now) = (seen.revision(), snapshot.revision());
            self.world
                .violated(&format!("{self} serves revision {now} after revision {before}"));
        }
        // Nothing is damaged. Releases of an older state can be deleted at once if nothing is
        // retained.
        let is_retained = self.world.retain_hours() > 0
            || ledger.current().map(LiveState::revision) == Some(snapshot.revision());
        if is_retained && let Some(missing) = snapshot.unavailable().next() {
            let revision = snapshot.revision();
            self.world.violated(&format!(
                "{self} serves revision {revision} without {}",
                missing.id
            ));
        }
        *seen = Arc::clone(&snapshot);
        Some(snapshot)
    }
}

impl fmt::Display for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("g{}", self.number))
    }
}

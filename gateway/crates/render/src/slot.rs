//! Slots of render workers: each keeps one worker process running and gives it queued renders.
//!
//! Two queues: paths that a release lists come first. All others, which anyone can make up, get a quarter of the queue and
//! of the workers. While they wait, they also get a quarter of the renders, so that neither queue starves the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::Instant;

use colonnade_admission::{Full, GiveWay, Limits, Newcomer, Permit, Pool};
use colonnade_config::RenderSettings;
use colonnade_web::client::ClientKey;
use colonnade_web::request_scope::{self, RequestScope};

use super::pool::{RenderFailure, RenderOutput, RenderTask};
use super::process::WorkerProcess;
use super::protocol::FailureCause;
use crate::metrics::RenderMetrics;

/// The delay before the next attempt to start a worker after one failed.
const START_RETRY_DELAY: Duration = Duration::from_secs(1);

/// The time that a worker must survive after one that failed, before it gets renders: what stopped the one before may stop it,
/// too.
const PROBATION: Duration = Duration::from_secs(1);

/// How many renders of listed paths a worker may start before one of another path that waits.
const MAX_LISTED_IN_A_ROW: usize = 3;

/// A render in the queue.
pub(super) struct QueuedRender {
    pub(super) task: RenderTask,
    /// The latest time at which a worker may start it.
    pub(super) deadline: Instant,
    pub(super) result: oneshot::Sender<Result<RenderOutput, RenderFailure>>,
    /// The request that waits for it.
    pub(super) request: Option<RequestScope>,
    /// Its permit of `unlisted_slots`, while a worker renders it.
    #[expect(dead_code, reason = "it is released on drop")]
    pub(super) slot: Option<OwnedSemaphorePermit>,
}

/// A queued render gives way by being dropped.
impl GiveWay for QueuedRender {
    fn give_way(&self, newcomer: Newcomer) -> bool {
        newcomer == Newcomer::HoldsLess
    }
}

impl QueuedRender {
    fn finish(self, result: Result<RenderOutput, RenderFailure>) {
        // The caller may have left.
        let _ = self.result.send(result);
    }
}

/// What the workers share.
pub(super) struct Workers {
    /// The renders of listed paths, queued and running.
    listed: Pool<QueuedRender>,
    /// Those of all other paths.
    unlisted: Pool<QueuedRender>,
    /// The workers that may render unlisted paths.
    unlisted_slots: Arc<Semaphore>,
    /// The renders of listed paths that began since the last one of another path.
    listed_in_a_row: AtomicUsize,
    settings: RenderSettings,
    metrics: RenderMetrics,
    /// The number of workers that did not start or respond, and have not been replaced.
    failed: AtomicUsize,
}

impl Workers {
    pub(super) fn new(settings: RenderSettings, metrics: RenderMetrics) -> Self {
        Self {
            listed: Pool::default(),
            unlisted: Pool::default(),
            unlisted_slots: Arc::new(Semaphore::new(share_of_unlisted(settings.workers))),
            listed_in_a_row: AtomicUsize::new(0),
            settings,
            metrics,
            failed: AtomicUsize::new(0),
        }
    }

    /// Adds a render to the queue. The permit must be held until it is done.
    pub(super) async fn enqueue(
        &self,
        client: Option<ClientKey>,
        is_listed: bool,
        render: QueuedRender,
        timeout: Duration,
    ) -> Result<Permit<QueuedRender>, Full> {
        let RenderSettings {
            workers,
            max_queue_length: length,
            ..
        } = self.settings;
        let (queue, total) = if is_listed {
            (&self.listed, length + workers)
        } else {
            let total = share_of_unlisted(length) + share_of_unlisted(workers);
            (&self.unlisted, total)
        };
        let limits = Limits {
            total,
            per_client: usize::MAX,
            per_network: usize::MAX,
            max_wait: timeout,
            max_hopeful: 0,
        };
        queue.acquire(client, Some(render), limits).await
    }

    /// Waits for the next render.
    async fn next(&self) -> QueuedRender {
        let unlisted = async {
            // The semaphore is never closed.
            let slot = Arc::clone(&self.unlisted_slots).acquire_owned().await.ok();
            let render = self.unlisted.take().await;
            self.listed_in_a_row.store(0, Ordering::Relaxed);
            QueuedRender { slot, ..render }
        };
        let listed = async {
            let render = self.listed.take().await;
            self.listed_in_a_row.fetch_add(1, Ordering::Relaxed);
            render
        };
        if self.listed_in_a_row.load(Ordering::Relaxed) < MAX_LISTED_IN_A_ROW {
            tokio::select! {
                biased;
                render = listed => render,
                render = unlisted => render,
            }
        } else {
            tokio::select! {
                biased;
                render = unlisted => render,
                render = listed => render,
            }
        }
    }

    /// Whether a worker runs, or has not failed yet.
    pub(super) fn are_available(&self) -> bool {
        self.failed.load(Ordering::Relaxed) < self.settings.workers
    }

    /// Counts a worker that did not start or respond.
    fn record_failure(&self) {
        let failed = self.failed.fetch_add(1, Ordering::Relaxed) + 1;
        if failed == self.settings.workers {
            tracing::error!(event = "render_workers_unavailable");
        }
    }

    fn record_recovery(&self) {
        if self.failed.fetch_sub(1, Ordering::Relaxed) == self.settings.workers {
            tracing::info!(event = "render_workers_recovered");
        }
    }

    /// Fails the queued renders if there is no worker for them.
    fn clear_queue(&self) {
        while !self.are_available()
            && let Some(render) = self.listed.try_take().or_else(|| self.unlisted.try_take())
        {
            render.finish(Err(no_worker()));
        }
    }
}

/// The part of the queue or of the workers that unlisted paths may use.
fn share_of_unlisted(number: usize) -> usize {
    (number / 4).max(1)
}

/// One worker, which is replaced when it dies.
pub(super) struct WorkerSlot {
    workers: Arc<Workers>,
    /// Whether the last worker did not start or respond.
    has_failed: bool,
}

impl WorkerSlot {
    pub(super) fn new(workers: Arc<Workers>) -> Self {
        Self {
            workers,
            has_failed: false,
        }
    }

    /// Keeps the worker running and gives it queued renders.
    pub(super) async fn run(mut self) {
        let workers = Arc::clone(&self.workers);
        // Started in advance, so that the first render does not wait for it.
        let mut worker = self.start().await;
        loop {
            let mut render = workers.next().await;
            let request = render.request.take();
            let served = self.serve(worker, render);
            worker = match request {
                Some(request) => request_scope::within(request, served).await,
                None => served.await,
            };
        }
    }

    /// Serves a queued render. Returns the worker for the next one.
    async fn serve(&mut self, mut worker: WorkerProcess, render: QueuedRender) -> WorkerProcess {
        if render.deadline <= Instant::now() {
            let message = "the render was queued for too long; try again";
            render.finish(Err(RenderFailure::new(FailureCause::QueueFull, message)));
            return worker;
        }
        if !worker.is_usable() {
            let Some(new) = self.try_start().await else {
                render.finish(Err(no_worker()));
                return self.start().await;
            };
            worker = new;
        }
        let result = worker.render(&render.task, &self.workers.settings).await;
        if render.task.has_personal_data {
            // The freed memory of the process still contains it.
            drop(worker);
            render.finish(result);
            return self.start().await;
        }
        // After an exception the worker's state is known. Other failures may leave it in any state.
        match &result {
            Err(failure) if failure.cause != FailureCause::Exception => {
                // Kill it before a new one starts, and count the restart before the result is sent.
                drop(worker);
                self.workers.metrics.record_restart();
                tracing::warn!(event = "render_worker_restarted", cause = failure.cause.label());
                if failure.cause == FailureCause::WorkerUnresponsive {
                    self.fail();
                }
                render.finish(result);
                self.start().await
            }
            _ => {
                render.finish(result);
                worker
            }
        }
    }

    /// Starts the worker, and retries until it succeeds.
    async fn start(&mut self) -> WorkerProcess {
        loop {
            if let Some(worker) = self.try_start().await {
                return worker;
            }
            tokio::time::sleep(START_RETRY_DELAY).await;
        }
    }

    /// Starts the worker, counts the outcome, and logs the first failure of a series.
    async fn try_start(&mut self) -> Option<WorkerProcess> {
        let started = self.start_process().await;
        self.workers.metrics.record_start(started.is_ok());
        match started {
            Ok(worker) => {
                if std::mem::take(&mut self.has_failed) {
                    self.workers.record_recovery();
                }
                Some(worker)
            }
            Err(failure) => {
                if !self.has_failed {
                    tracing::error!(event = "render_worker_start_failed", error = failure.message);
                }
                self.fail();
                None
            }
        }
    }

    async fn start_process(&self) -> Result<WorkerProcess, RenderFailure> {
        let mut worker = WorkerProcess::start(&self.workers.settings).await?;
        if self.has_failed {
            tokio::time::sleep(PROBATION).await;
            worker.ping().await?;
        }
        Ok(worker)
    }

    /// Gives no render to this worker until it is replaced.
    fn fail(&mut self) {
        if !std::mem::replace(&mut self.has_failed, true) {
            self.workers.record_failure();
        }
        self.workers.clear_queue();
    }
}

/// The failure of a render while no worker starts and responds.
pub(super) fn no_worker() -> RenderFailure {
    RenderFailure::new(FailureCause::NoWorker, "no render worker is available")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use colonnade_config::RenderSettings;
    use colonnade_model::release::ServerModules;
    use tokio::sync::oneshot;
    use tokio::time::Instant;

    use super::{QueuedRender, Workers};
    use crate::metrics::RenderMetrics;
    use crate::pool::RenderTask;

    fn queued(path: &str) -> QueuedRender {
        let shell = ServerModules {
            release: "shell@1.0.0".to_owned(),
            sources: Vec::new(),
        };
        QueuedRender {
            task: RenderTask {
                shell: Arc::new(shell),
                section: None,
                request: path.to_owned(),
                has_personal_data: false,
            },
            deadline: Instant::now(),
            result: oneshot::channel().0,
            request: None,
            slot: None,
        }
    }

    #[tokio::test]
    async fn unlisted_paths_get_every_fourth_render() {
        let workers = Workers::new(RenderSettings::default(), RenderMetrics::default());
        let mut permits = Vec::new();
        for path in ["l1", "l2", "l3", "l4", "l5", "u1", "u2", "l6", "l7"] {
            let is_listed = path.starts_with('l');
            let permit = workers.enqueue(None, is_listed, queued(path), Duration::MAX);
            permits.push(permit.await.expect("a place in the queue"));
        }
        let mut order = Vec::new();
        for _ in &permits {
            order.push(workers.next().await.task.request);
        }
        assert_eq!(order.join(" "), "l1 l2 l3 u1 l4 l5 l6 u2 l7");
    }
}

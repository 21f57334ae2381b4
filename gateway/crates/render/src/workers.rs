//! The render workers, with the queues before them.
//!
//! Three queues: paths that a release lists come first. All others, which anyone can make up, get a
//! quarter of the queue and of the workers. Extensions that have just exceeded a limit, or failed with
//! several props, come last, and get one worker, so that pages do not wait for them. While the last two
//! wait, they also get a quarter of the jobs, so that no queue starves the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::JoinSet;
use tokio::time::Instant;

use colonnade_admission::{Full, Limits, Permit, Pool, Waiter, Yield};
use colonnade_config::RenderSettings;
use colonnade_web::request_scope::{self, RequestScope};

use crate::job::{Job, JobOutput};
use crate::metrics::RenderMetrics;
use crate::process::WorkerProcess;
use crate::why::{Failure, Why};

/// The delay before the next attempt to start a worker after one failed.
const START_RETRY_DELAY: Duration = Duration::from_secs(1);

/// The time that a worker must survive before it gets jobs, if the previous worker failed: the
/// cause may still exist.
const PROBATION: Duration = Duration::from_secs(1);

/// How many jobs of listed paths the workers may start before one of another path that waits.
const MAX_LISTED_IN_A_ROW: usize = 3;

/// The workers. Dropping it stops them.
pub(super) struct Workers {
    queue: Arc<Queue>,
    #[expect(dead_code, reason = "dropping it aborts the tasks")]
    slots: JoinSet<()>,
}

impl Workers {
    /// Starts the workers.
    pub(super) fn start(settings: RenderSettings, metrics: &RenderMetrics) -> Self {
        let queue = Arc::new(Queue::new(settings, metrics.clone()));
        let mut slots = JoinSet::new();
        for _ in 0..settings.workers {
            slots.spawn(Slot::new(Arc::clone(&queue)).run());
        }
        Self { queue, slots }
    }

    /// False while no worker starts and responds.
    pub(super) fn are_available(&self) -> bool {
        self.queue.has_workers()
    }

    /// Runs a job.
    ///
    /// It fails at once while no worker process starts and responds, or if the queue is full and no
    /// job of another client yields. It fails as soon as it must yield itself, and if no
    /// worker starts it within `queue_timeout`. A job of the gateway itself waits for a place in
    /// the queue.
    pub(super) async fn run(&self, job: Arc<Job>, queue_timeout: Duration) -> Result<JobOutput, Failure> {
        if !self.are_available() {
            return Err(no_worker());
        }
        let (sender, receiver) = oneshot::channel();
        let job = QueuedJob {
            job,
            deadline: Instant::now() + queue_timeout,
            result: sender,
            request: request_scope::current(),
            slot: None,
        };
        let queue_full = || Failure::new(Why::QueueFull, "the render queue is full; try again");
        // Held until the worker is done.
        let _permit = self
            .queue
            .push(job, queue_timeout)
            .await
            .map_err(|_| queue_full())?;
        // A queued job that yields is dropped.
        receiver.await.unwrap_or_else(|_| Err(queue_full()))
    }
}

/// A job in the queue.
struct QueuedJob {
    job: Arc<Job>,
    /// The latest time at which a worker may start it.
    deadline: Instant,
    result: oneshot::Sender<Result<JobOutput, Failure>>,
    /// The request that waits for it.
    request: Option<RequestScope>,
    /// Its permit of `unlisted_slots` or `suspect_slot`, while a worker runs it.
    #[expect(dead_code, reason = "it is released on drop")]
    slot: Option<OwnedSemaphorePermit>,
}

/// A queued job yields by being dropped.
impl Yield for QueuedJob {
    fn yield_to(&self, waiter: Waiter) -> bool {
        waiter == Waiter::HoldsLess
    }
}

impl QueuedJob {
    fn finish(self, result: Result<JobOutput, Failure>) {
        // The caller may have left.
        let _ = self.result.send(result);
    }
}

/// The queues, and what the workers share.
struct Queue {
    /// The jobs of listed paths, queued and running.
    listed: Pool<QueuedJob>,
    /// Those of all other paths.
    unlisted: Pool<QueuedJob>,
    /// The workers that may render unlisted paths.
    unlisted_slots: Arc<Semaphore>,
    /// Those of extensions that have just failed.
    suspect: Pool<QueuedJob>,
    /// The worker that may render them.
    suspect_slot: Arc<Semaphore>,
    /// The jobs of listed paths that were started since the last one of another queue.
    listed_in_a_row: AtomicUsize,
    settings: RenderSettings,
    metrics: RenderMetrics,
    /// The number of workers that did not start or respond, and have not been replaced.
    failed: AtomicUsize,
}

impl Queue {
    fn new(settings: RenderSettings, metrics: RenderMetrics) -> Self {
        Self {
            listed: Pool::default(),
            unlisted: Pool::default(),
            unlisted_slots: Arc::new(Semaphore::new(share_of_unlisted(settings.workers))),
            suspect: Pool::default(),
            suspect_slot: Arc::new(Semaphore::new(1)),
            listed_in_a_row: AtomicUsize::new(0),
            settings,
            metrics,
            failed: AtomicUsize::new(0),
        }
    }

    /// Adds a job. The permit must be held until it is done.
    async fn push(&self, job: QueuedJob, timeout: Duration) -> Result<Permit<QueuedJob>, Full> {
        let RenderSettings {
            workers,
            max_queue_length: length,
            ..
        } = self.settings;
        let (queue, total) = if job.job.is_suspect {
            (&self.suspect, share_of_unlisted(length) + 1)
        } else if job.job.is_listed() {
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
            max_waiting: 0,
        };
        queue.acquire(job.job.subject.client, Some(job), limits).await
    }

    /// Waits for the next job.
    async fn next(&self) -> QueuedJob {
        let unlisted = self.take_other(&self.unlisted, &self.unlisted_slots);
        let suspect = self.take_other(&self.suspect, &self.suspect_slot);
        let listed = async {
            let job = self.listed.take().await;
            self.listed_in_a_row.fetch_add(1, Ordering::Relaxed);
            job
        };
        if self.listed_in_a_row.load(Ordering::Relaxed) < MAX_LISTED_IN_A_ROW {
            tokio::select! {
                biased;
                job = listed => job,
                job = unlisted => job,
                job = suspect => job,
            }
        } else {
            tokio::select! {
                biased;
                job = unlisted => job,
                job = suspect => job,
                job = listed => job,
            }
        }
    }

    /// Waits for the next job of a queue that gets some workers only.
    async fn take_other(&self, queue: &Pool<QueuedJob>, slots: &Arc<Semaphore>) -> QueuedJob {
        // The semaphore is never closed.
        let slot = Arc::clone(slots).acquire_owned().await.ok();
        let job = queue.take().await;
        self.listed_in_a_row.store(0, Ordering::Relaxed);
        QueuedJob { slot, ..job }
    }

    /// Whether a worker runs, or has not failed yet.
    fn has_workers(&self) -> bool {
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

    /// Fails the queued jobs if there is no worker for them.
    fn clear(&self) {
        while !self.has_workers()
            && let Some(job) = [&self.listed, &self.unlisted, &self.suspect]
                .into_iter()
                .find_map(Pool::try_take)
        {
            job.finish(Err(no_worker()));
        }
    }
}

/// The part of the queue or of the workers that unlisted paths may use.
fn share_of_unlisted(number: usize) -> usize {
    (number / 4).max(1)
}

/// One worker, which is replaced when it dies.
struct Slot {
    queue: Arc<Queue>,
    /// Whether the last worker did not start or respond.
    has_failed: bool,
}

impl Slot {
    fn new(queue: Arc<Queue>) -> Self {
        Self {
            queue,
            has_failed: false,
        }
    }

    /// Keeps the worker running and gives it queued jobs.
    async fn run(mut self) {
        let queue = Arc::clone(&self.queue);
        // Started in advance, so that the first job does not wait for it.
        let mut worker = self.start().await;
        loop {
            let mut job = queue.next().await;
            let request = job.request.take();
            let served = self.serve(worker, job);
            worker = match request {
                Some(request) => request_scope::within(request, served).await,
                None => served.await,
            };
        }
    }

    /// Serves a queued job. Returns the worker for the next one.
    async fn serve(&mut self, mut worker: WorkerProcess, queued: QueuedJob) -> WorkerProcess {
        if queued.deadline <= Instant::now() {
            let message = "the render was queued for too long; try again";
            queued.finish(Err(Failure::new(Why::QueueFull, message)));
            return worker;
        }
        if !worker.is_usable() {
            let Some(new) = self.try_start().await else {
                queued.finish(Err(no_worker()));
                return self.start().await;
            };
            worker = new;
        }
        let result = worker.run(&queued.job, &self.queue.settings).await;
        if queued.job.has_personal_data {
            // The freed memory of the process still contains it.
            drop(worker);
            queued.finish(result);
            return self.start().await;
        }
        // After an exception the worker's state is known. Other failures may leave it in any state.
        match &result {
            Err(failure) if failure.why != Why::Exception => {
                // Kill it before a new one starts, and count the restart before the result is sent.
                drop(worker);
                self.queue.metrics.record_restart();
                tracing::warn!(event = "render_worker_restarted", cause = failure.why.label());
                if failure.why == Why::WorkerUnresponsive {
                    self.fail();
                }
                queued.finish(result);
                self.start().await
            }
            _ => {
                queued.finish(result);
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
        self.queue.metrics.record_start(started.is_ok());
        match started {
            Ok(worker) => {
                if std::mem::take(&mut self.has_failed) {
                    self.queue.record_recovery();
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

    async fn start_process(&self) -> Result<WorkerProcess, Failure> {
        let mut worker = WorkerProcess::start(&self.queue.settings).await?;
        if self.has_failed {
            tokio::time::sleep(PROBATION).await;
            worker.ping().await?;
        }
        Ok(worker)
    }

    /// Gives no job to this worker until it is replaced.
    fn fail(&mut self) {
        if !std::mem::replace(&mut self.has_failed, true) {
            self.queue.record_failure();
        }
        self.queue.clear();
    }
}

/// The failure of a job while no worker starts and responds.
fn no_worker() -> Failure {
    Failure::new(Why::NoWorker, "no render worker is available")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use colonnade_config::RenderSettings;
    use colonnade_model::release::{ReleaseId, SHELL, ServerModules};
    use tokio::sync::oneshot;
    use tokio::time::Instant;

    use super::{Queue, QueuedJob};
    use crate::job::{Job, Subject};
    use crate::metrics::RenderMetrics;
    use crate::request::{CircuitKey, ReleasePair};

    fn queued(path: &str, is_listed: bool) -> QueuedJob {
        let shell = ReleaseId {
            name: SHELL.to_owned(),
            version: "1.0.0".to_owned(),
        };
        let modules = ServerModules {
            release: shell.to_string(),
            sources: Vec::new(),
        };
        let releases = ReleasePair {
            section: shell.clone(),
            shell,
        };
        let job = Job {
            subject: Subject {
                client: None,
                circuit: CircuitKey {
                    releases,
                    point: None,
                    is_listed,
                },
                props: None,
                pattern: None,
            },
            shell: Arc::new(modules),
            section: None,
            argument: path.to_owned(),
            has_personal_data: false,
            is_suspect: path.starts_with('s'),
            cache_key: None,
        };
        QueuedJob {
            job: Arc::new(job),
            deadline: Instant::now(),
            result: oneshot::channel().0,
            request: None,
            slot: None,
        }
    }

    #[tokio::test]
    async fn other_queues_get_every_fourth_render() {
        let queue = Queue::new(RenderSettings::default(), RenderMetrics::default());
        let mut permits = Vec::new();
        for path in ["s1", "l1", "l2", "l3", "l4", "l5", "u1", "u2", "l6", "l7", "l8"] {
            let permit = queue.push(queued(path, path.starts_with('l')), Duration::MAX);
            permits.push(permit.await.expect("a place in the queue"));
        }
        let mut order = Vec::new();
        for _ in &permits {
            order.push(queue.next().await.job.argument.clone());
        }
        assert_eq!(order.join(" "), "l1 l2 l3 u1 l4 l5 l6 u2 l7 l8 s1");
    }
}

//! The render workers, with the queues before them.
//!
//! Three queues: paths that a release lists come first. All others, which anyone can make up, get a
//! quarter of the queue and of the workers and, while they wait, of the jobs. Extensions that no document
//! waits for come last, and get one worker while another one is free, if there is another one, so that
//! pages hardly wait for them. While no other one is free, they get one of many jobs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};

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

/// How many jobs the workers may start before one of an extension that no document waits for. One that
/// fails is not tried again for some time, so this bounds what it costs pages.
const MAX_AWAITED_IN_A_ROW: usize = 30;

/// How many after one with a budget, which costs pages less.
const MAX_AWAITED_AFTER_FIRST_TRY: usize = 5;

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

    /// The workers that start and respond, and all.
    pub(super) fn count(&self) -> (usize, usize) {
        let configured = self.queue.settings.workers;
        let failed = self.queue.failed.load(Ordering::Relaxed);
        (configured.saturating_sub(failed), configured)
    }

    /// Waits until each worker is replaced, because it has ended with an overdue job.
    pub(super) async fn are_replaced(&self) {
        let all = self.queue.settings.workers;
        let mut replaced = self.queue.replaced.subscribe();
        // The sender lives as long as the queue.
        let _ = replaced.wait_for(|replaced| *replaced >= all).await.is_ok();
    }

    /// Runs a job.
    ///
    /// It fails at once while no worker process starts and responds, or if the queue is full and no
    /// job of another client yields. It fails as soon as it must yield itself, and if no
    /// worker takes it within `queue_timeout`. A job of the gateway itself waits for a place in
    /// the queue.
    pub(super) async fn run(&self, job: Arc<Job>, queue_timeout: Duration) -> Result<JobOutput, Failure> {
        if !self.are_available() {
            return Err(no_worker());
        }
        let (sender, mut receiver) = oneshot::channel();
        let queue_deadline = Instant::now() + queue_timeout;
        let job = QueuedJob {
            job,
            result: sender,
            request: request_scope::current(),
            slot: None,
        };
        let queue_full = || Failure::new(Why::QueueFull, "the render queue is full; try again");
        let permit = self
            .queue
            .push(job, queue_timeout)
            .await
            .map_err(|_| queue_full())?;
        let done = if let Ok(done) = timeout_at(queue_deadline, &mut receiver).await {
            done
        } else {
            // A job that no worker has taken leaves the queue.
            drop(permit);
            receiver.await
        };
        // A queued job that yields or leaves is dropped.
        done.unwrap_or_else(|_| Err(queue_full()))
    }
}

/// A job in the queue.
struct QueuedJob {
    job: Arc<Job>,
    result: oneshot::Sender<Result<JobOutput, Failure>>,
    /// The request that waits for it.
    request: Option<RequestScope>,
    /// Its permit of `unlisted_slots` or `postponed_slot`, while a worker runs it.
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
    /// Those of extensions that no document waits for.
    postponed: Pool<QueuedJob>,
    /// The worker that may render them.
    postponed_slot: Arc<Semaphore>,
    /// The number of workers that wait for a job.
    idle: watch::Sender<usize>,
    /// The number of workers that are replaced now, because they have ended with an overdue job.
    replaced: watch::Sender<usize>,
    /// The jobs of listed paths that were started since the last one of another queue.
    listed_in_a_row: AtomicUsize,
    /// The jobs that documents wait for and that were started since the last postponed one.
    awaited_in_a_row: AtomicUsize,
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
            postponed: Pool::default(),
            postponed_slot: Arc::new(Semaphore::new(1)),
            idle: watch::Sender::default(),
            replaced: watch::Sender::default(),
            listed_in_a_row: AtomicUsize::new(0),
            awaited_in_a_row: AtomicUsize::new(0),
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
        let (queue, total) = if job.job.is_postponed() {
            (&self.postponed, share_of_unlisted(length) + 1)
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
            // A job that a worker runs cannot yield, and holds its permit until its result is read.
            max_waiting: workers,
        };
        queue.acquire(job.job.subject.client, Some(job), limits).await
    }

    /// Waits for the next job.
    async fn next(&self) -> QueuedJob {
        loop {
            let job = match self.take_overdue() {
                Some(job) => job,
                None => self.take().await,
            };
            if !job.job.is_postponed() {
                self.awaited_in_a_row.fetch_add(1, Ordering::Relaxed);
                return job;
            }
            // Its circuit may have opened since.
            let circuits = &self.metrics.circuits;
            if circuits.open_until(&job.job.subject.circuit).is_none() {
                let awaited = match job.job.budget {
                    Some(_) => MAX_AWAITED_IN_A_ROW - MAX_AWAITED_AFTER_FIRST_TRY,
                    None => 0,
                };
                self.awaited_in_a_row.store(awaited, Ordering::Relaxed);
                return job;
            }
        }
    }

    /// A postponed job, after many others.
    fn take_overdue(&self) -> Option<QueuedJob> {
        if self.awaited_in_a_row.load(Ordering::Relaxed) < MAX_AWAITED_IN_A_ROW {
            return None;
        }
        let slot = Arc::clone(&self.postponed_slot).try_acquire_owned().ok()?;
        let job = self.postponed.try_take()?;
        Some(QueuedJob {
            slot: Some(slot),
            ..job
        })
    }

    /// Waits for the next job, in the order of the queues.
    async fn take(&self) -> QueuedJob {
        self.idle.send_modify(|idle| *idle += 1);
        let listed = async {
            let job = self.listed.take().await;
            self.listed_in_a_row.fetch_add(1, Ordering::Relaxed);
            job
        };
        let job = if self.listed_in_a_row.load(Ordering::Relaxed) < MAX_LISTED_IN_A_ROW {
            tokio::select! {
                biased;
                job = listed => job,
                job = self.take_unlisted() => job,
                job = self.take_postponed() => job,
            }
        } else {
            tokio::select! {
                biased;
                job = self.take_unlisted() => job,
                job = listed => job,
                job = self.take_postponed() => job,
            }
        };
        self.idle.send_modify(|idle| *idle -= 1);
        job
    }

    /// Waits for the next job of an unlisted path, which gets some workers only.
    async fn take_unlisted(&self) -> QueuedJob {
        // The semaphore is never closed.
        let slot = Arc::clone(&self.unlisted_slots).acquire_owned().await.ok();
        let job = self.unlisted.take().await;
        self.listed_in_a_row.store(0, Ordering::Relaxed);
        QueuedJob { slot, ..job }
    }

    /// Waits for the next job that no document waits for, while another worker is free.
    async fn take_postponed(&self) -> QueuedJob {
        let others = usize::from(self.settings.workers > 1);
        let mut idle = self.idle.subscribe();
        loop {
            // The sender lives as long as the queue.
            let _ = idle.wait_for(|idle| *idle > others).await.is_ok();
            let job = async {
                let slot = Arc::clone(&self.postponed_slot).acquire_owned().await.ok();
                let job = self.postponed.take().await;
                QueuedJob { slot, ..job }
            };
            tokio::select! {
                biased;
                _ = idle.wait_for(|idle| *idle <= others) => {}
                job = job => return job,
            }
        }
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
            && let Some(job) = [&self.listed, &self.unlisted, &self.postponed]
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
        if !worker.is_usable() {
            let Some(new) = self.try_start().await else {
                queued.finish(Err(no_worker()));
                return self.start().await;
            };
            worker = new;
        }
        let has_budget = queued.job.has_budget(&self.queue.settings);
        let result = worker.run(&queued.job, &self.queue.settings).await;
        if queued.job.has_personal_data {
            // The freed memory of the process still contains it.
            drop(worker);
            queued.finish(result);
            return self.start().await;
        }
        // After an exception, or once a budget is used up, the worker's state is known. Other failures may
        // leave it in any state.
        let is_known = match result.as_ref().map_err(|failure| failure.why) {
            Ok(_) | Err(Why::Exception) => true,
            Err(Why::CpuLimit) => has_budget && worker.is_usable(),
            Err(_) => false,
        };
        match &result {
            Err(failure) if !is_known => {
                // Kill it before a new one starts, and count the restart before the result is sent.
                drop(worker);
                self.queue.metrics.record_restart();
                tracing::warn!(event = "render_worker_restarted", cause = failure.why.label());
                if failure.why == Why::WorkerUnresponsive {
                    self.fail();
                }
                let replaced = usize::from(has_budget && failure.why == Why::CpuLimit);
                self.queue.replaced.send_modify(|all| *all += replaced);
                queued.finish(result);
                let worker = self.start().await;
                self.queue.replaced.send_modify(|all| *all -= replaced);
                worker
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
            sleep(START_RETRY_DELAY).await;
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
            sleep(PROBATION).await;
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
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    use colonnade_config::RenderSettings;
    use colonnade_model::release::{ReleaseId, SHELL, ServerModules};
    use futures_util::poll;
    use tokio::sync::{SetOnce, oneshot};
    use tokio::task::JoinSet;

    use super::{MAX_AWAITED_AFTER_FIRST_TRY, MAX_AWAITED_IN_A_ROW, Queue, QueuedJob, Workers};
    use crate::circuit_breaker::RenderCircuitBreaker;
    use crate::job::{FIRST_TRY, Job, Subject};
    use crate::metrics::RenderMetrics;
    use crate::request::{CircuitKey, ReleasePair};
    use crate::why::Why;

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
            budget: None,
            postponed: SetOnce::new_with(path.starts_with('p').then_some(())),
            cache_key: None,
            started_at: SetOnce::new(),
        };
        QueuedJob {
            job: Arc::new(job),
            result: oneshot::channel().0,
            request: None,
            slot: None,
        }
    }

    #[tokio::test]
    async fn unlisted_paths_get_every_fourth_render() {
        let queue = Queue::new(RenderSettings::default(), RenderMetrics::default());
        let mut permits = Vec::new();
        for path in ["p1", "l1", "l2", "l3", "l4", "l5", "u1", "u2", "l6", "l7", "l8"] {
            let permit = queue.push(queued(path, path.starts_with('l')), Duration::MAX);
            permits.push(permit.await.expect("a place in the queue"));
        }
        let mut order = Vec::new();
        for _ in 1..permits.len() {
            order.push(queue.next().await.job.argument.clone());
        }
        assert_eq!(order.join(" "), "l1 l2 l3 u1 l4 l5 l6 u2 l7 l8");
        // While the other worker is busy, it waits.
        let mut next = pin!(queue.next());
        assert!(poll!(&mut next).is_pending());
        assert_eq!(queue.next().await.job.argument, "p1");
    }

    #[tokio::test]
    async fn postponed_job_is_started_while_pages_always_wait() {
        for (budget, pages_between) in [
            (None, MAX_AWAITED_IN_A_ROW),
            (Some(FIRST_TRY), MAX_AWAITED_AFTER_FIRST_TRY),
        ] {
            let queue = Queue::new(RenderSettings::default(), RenderMetrics::default());
            let mut permits = Vec::new();
            for path in ["p1", "p2"] {
                let mut queued = queued(path, false);
                Arc::get_mut(&mut queued.job).unwrap().budget = budget;
                permits.push(queue.push(queued, Duration::MAX).await.unwrap());
            }
            let mut order = Vec::new();
            for _ in &permits {
                let mut pages = 0;
                loop {
                    let _page = queue.push(queued("l1", true), Duration::MAX).await.unwrap();
                    let next = queue.next().await;
                    if next.job.is_postponed() {
                        break;
                    }
                    pages += 1;
                }
                order.push(pages);
            }
            assert_eq!(order, [MAX_AWAITED_IN_A_ROW, pages_between]);
        }
    }

    #[tokio::test]
    async fn idle_worker_leaves_overdue_postponed_job() {
        let settings = RenderSettings {
            workers: 2,
            ..RenderSettings::default()
        };
        let queue = Queue::new(settings, RenderMetrics::default());
        let mut idle = pin!(queue.next());
        assert!(poll!(&mut idle).is_pending());
        let _postponed = queue.push(queued("p1", false), Duration::MAX).await.unwrap();
        queue
            .awaited_in_a_row
            .store(MAX_AWAITED_IN_A_ROW, Ordering::Relaxed);
        assert!(poll!(pin!(queue.next())).is_ready());
    }

    #[tokio::test]
    async fn postponed_job_of_open_circuit_is_dropped() {
        let metrics = RenderMetrics::default();
        let breaker = RenderCircuitBreaker::new(1, Duration::from_hours(1), metrics.circuits.clone());
        let queue = Queue::new(RenderSettings::default(), metrics);
        let postponed = queued("p1", false);
        breaker.record_failure(&postponed.job.subject.circuit, None);
        let _postponed = queue.push(postponed, Duration::MAX).await.unwrap();
        let _page = queue.push(queued("l1", true), Duration::MAX).await.unwrap();
        queue
            .awaited_in_a_row
            .store(MAX_AWAITED_IN_A_ROW, Ordering::Relaxed);
        assert_eq!(queue.next().await.job.argument, "l1");
        assert!(queue.postponed.try_take().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn job_that_no_worker_starts_ends_as_queue_full() {
        let settings = RenderSettings::default();
        let workers = Workers {
            queue: Arc::new(Queue::new(settings, RenderMetrics::default())),
            slots: JoinSet::new(),
        };
        let job = queued("p1", false).job;
        let failure = workers.run(job, Duration::from_secs(1)).await.unwrap_err();
        assert_eq!(failure.why, Why::QueueFull);
        assert!(workers.queue.postponed.try_take().is_none());
    }
}

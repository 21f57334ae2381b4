//! The pool of render workers, with the queue before them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use colonnade_diagnostics::ErrorClass;
use colonnade_model::release::ServerModules;
use colonnade_web::client::ClientKey;
use colonnade_web::request_scope;
use colonnade_web::response::RequestId;

use super::process::WorkerProcess;
use super::protocol::FailureCause;
use super::queue::{FairQueue, QueueFull};
use crate::metrics::RenderMetrics;

/// The delay before the next attempt to start a worker after one failed.
const START_RETRY_DELAY: Duration = Duration::from_secs(1);

/// A pool of workers. Dropping it stops them.
pub(crate) struct WorkerPool {
    queue: Arc<FairQueue<QueuedRender>>,
}

/// A render in the queue.
struct QueuedRender {
    task: RenderTask,
    /// The latest time at which a worker may start it.
    deadline: Instant,
    result: oneshot::Sender<Result<RenderOutput, RenderFailure>>,
    /// The request that waits for it.
    request: Option<RequestId>,
}

/// What a worker renders.
#[derive(Debug, Clone)]
pub(crate) struct RenderTask {
    /// The shell's modules.
    pub shell: Arc<ServerModules>,
    /// The section's modules; `None` for the shell's not-found page.
    pub section: Option<Arc<ServerModules>>,
    /// The argument of the shell's `render` function.
    pub request: Value,
}

/// The result of a successful render.
#[derive(Debug)]
pub(crate) struct RenderOutput {
    /// The return value of `render`, as JSON.
    pub page: Vec<u8>,
    /// The CPU time of the render.
    pub cpu_time: Duration,
}

/// The result of a failed render.
#[derive(Debug, Clone)]
pub(crate) struct RenderFailure {
    /// The cause.
    pub cause: FailureCause,
    /// The error message. It may contain personal data.
    pub message: String,
    /// The class of the thrown error.
    pub class: Option<ErrorClass>,
}

impl RenderFailure {
    pub(super) fn new(cause: FailureCause, message: &str) -> Self {
        Self {
            cause,
            message: message.to_owned(),
            class: None,
        }
    }
}

impl WorkerPool {
    /// Starts the workers.
    pub(crate) fn start(settings: colonnade_config::RenderSettings, metrics: &RenderMetrics) -> Self {
        let queue = Arc::new(FairQueue::new(settings.max_queue_length));
        for _ in 0..settings.workers {
            tokio::spawn(run_worker(Arc::clone(&queue), settings, metrics.clone()));
        }
        Self { queue }
    }

    /// Renders for a client, or for the gateway itself (`None`).
    ///
    /// The render fails if no worker starts it within `queue_timeout`. If the queue is full, it fails at once, or with
    /// `wait_for_slot` waits for a free slot.
    pub(crate) async fn render(
        &self,
        client: Option<ClientKey>,
        task: RenderTask,
        queue_timeout: Duration,
        wait_for_slot: bool,
    ) -> Result<RenderOutput, RenderFailure> {
        let (sender, receiver) = oneshot::channel();
        let deadline = Instant::now() + queue_timeout;
        let render = QueuedRender {
            task,
            deadline,
            result: sender,
            request: request_scope::current(),
        };
        let queued = if wait_for_slot {
            let queued = timeout_at(deadline, self.queue.push(client, render)).await;
            queued.unwrap_or(Err(QueueFull::Total))
        } else {
            self.queue.try_push(client, render)
        };
        queued.map_err(|full| match full {
            QueueFull::Total => {
                RenderFailure::new(FailureCause::QueueFull, "the render queue is full; try again")
            }
            QueueFull::Client => RenderFailure::new(
                FailureCause::ClientQueueFull,
                "too many renders of the same client are queued",
            ),
        })?;
        let stopped = |_| {
            let message = "the render worker stopped";
            Err(RenderFailure::new(FailureCause::WorkerCrashed, message))
        };
        receiver.await.unwrap_or_else(stopped)
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.queue.close();
    }
}

/// Keeps one worker running and gives it queued renders.
async fn run_worker(
    queue: Arc<FairQueue<QueuedRender>>,
    settings: colonnade_config::RenderSettings,
    metrics: RenderMetrics,
) {
    // Started in advance, so that the first render does not wait for it.
    let mut worker = start_worker(&metrics).await;
    while let Some(mut render) = queue.pop().await {
        let request = render.request.take();
        let work = serve(worker, render, &settings, &metrics);
        worker = request_scope::within(request, work).await;
    }
}

/// Serves a queued render. Returns the worker for the next one.
async fn serve(
    mut worker: WorkerProcess,
    render: QueuedRender,
    settings: &colonnade_config::RenderSettings,
    metrics: &RenderMetrics,
) -> WorkerProcess {
    if render.deadline <= Instant::now() {
        let message = "the render was queued for too long; try again";
        let failure = RenderFailure::new(FailureCause::QueueFull, message);
        let _ = render.result.send(Err(failure));
        return worker;
    }
    if !worker.is_usable() {
        worker = start_worker(metrics).await;
    }
    let result = worker.render(&render.task, settings).await;
    // After an exception the worker's state is known. Other failures may leave it in any state.
    let must_restart = matches!(&result, Err(failure) if failure.cause != FailureCause::Exception);
    if must_restart {
        // Kill it before a new one starts, and count the restart before the result is sent.
        drop(worker);
        metrics.record_restart();
        tracing::warn!(event = "render_worker_restarted");
        let _ = render.result.send(result);
        start_worker(metrics).await
    } else {
        let _ = render.result.send(result);
        worker
    }
}

/// Starts a worker, and retries until it succeeds.
async fn start_worker(metrics: &RenderMetrics) -> WorkerProcess {
    loop {
        match WorkerProcess::start().await {
            Ok(worker) => {
                metrics.record_start();
                return worker;
            }
            Err(error) => {
                tracing::error!(event = "render_worker_start_failed", error = %error);
                tokio::time::sleep(START_RETRY_DELAY).await;
            }
        }
    }
}

//! The pool of render workers, with the queue before them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::Instant;

use colonnade_diagnostics::ErrorClass;
use colonnade_model::release::ServerModules;
use colonnade_web::client::ClientKey;
use colonnade_web::request_scope;

use super::protocol::FailureCause;
use super::slot::{QueuedRender, WorkerSlot, Workers, no_worker};
use crate::metrics::RenderMetrics;

/// A pool of workers. Dropping it stops them.
pub(crate) struct WorkerPool {
    workers: Arc<Workers>,
    #[expect(dead_code, reason = "dropping it aborts the tasks")]
    slots: JoinSet<()>,
}

/// What a worker renders.
#[derive(Debug, Clone)]
pub(crate) struct RenderTask {
    /// The shell's modules.
    pub shell: Arc<ServerModules>,
    /// The section's modules; `None` for the shell's not-found page.
    pub section: Option<Arc<ServerModules>>,
    /// The argument of the shell's `render` function, as JSON.
    pub request: String,
    /// Whether the argument contains what a visitor typed. Then the worker ends with the render.
    pub has_personal_data: bool,
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
        let workers = Arc::new(Workers::new(settings, metrics.clone()));
        let mut slots = JoinSet::new();
        for _ in 0..settings.workers {
            slots.spawn(WorkerSlot::new(Arc::clone(&workers)).run());
        }
        Self { workers, slots }
    }

    /// False while no worker starts and responds.
    pub(crate) fn is_available(&self) -> bool {
        self.workers.are_available()
    }

    /// Renders for a client, or for the gateway itself (`None`). `is_listed`: see [`super::RenderRequest`].
    ///
    /// The render fails at once while no worker process starts and responds, or if the queue is full and no other client
    /// gives way. It fails as soon as it must give way itself, and if no worker begins it within `queue_timeout`. A render
    /// of the gateway itself waits for a place in the queue.
    pub(crate) async fn render(
        &self,
        client: Option<ClientKey>,
        is_listed: bool,
        task: RenderTask,
        queue_timeout: Duration,
    ) -> Result<RenderOutput, RenderFailure> {
        if !self.is_available() {
            return Err(no_worker());
        }
        let (sender, receiver) = oneshot::channel();
        let render = QueuedRender {
            task,
            deadline: Instant::now() + queue_timeout,
            result: sender,
            request: request_scope::current(),
            slot: None,
        };
        let queue_full =
            || RenderFailure::new(FailureCause::QueueFull, "the render queue is full; try again");
        let queued = self.workers.enqueue(client, is_listed, render, queue_timeout);
        // Held until the worker is done.
        let _permit = queued.await.map_err(|_| queue_full())?;
        // A queued render that gives way is dropped.
        receiver.await.unwrap_or_else(|_| Err(queue_full()))
    }
}

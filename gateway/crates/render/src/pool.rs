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

use super::protocol::FailureCause;
use super::queue::QueueFull;
use super::slot::{QueuedRender, WorkerSlot, Workers, no_worker};
use crate::metrics::RenderMetrics;

/// A pool of workers. Dropping it stops them.
pub(crate) struct WorkerPool {
    workers: Arc<Workers>,
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
        for _ in 0..settings.workers {
            tokio::spawn(WorkerSlot::new(Arc::clone(&workers)).run());
        }
        Self { workers }
    }

    /// False while no worker starts and responds.
    pub(crate) fn is_available(&self) -> bool {
        self.workers.are_available()
    }

    /// Renders for a client, or for the gateway itself (`None`).
    ///
    /// The render fails at once while no worker process starts and responds, and if no worker begins it within `queue_timeout`. If the
    /// queue is full, it fails at once, or with `wait_for_slot` waits for a free slot.
    pub(crate) async fn render(
        &self,
        client: Option<ClientKey>,
        task: RenderTask,
        queue_timeout: Duration,
        wait_for_slot: bool,
    ) -> Result<RenderOutput, RenderFailure> {
        if !self.is_available() {
            return Err(no_worker());
        }
        let (sender, receiver) = oneshot::channel();
        let deadline = Instant::now() + queue_timeout;
        let render = QueuedRender {
            task,
            deadline,
            result: sender,
            request: request_scope::current(),
        };
        let queued = if wait_for_slot {
            let queued = timeout_at(deadline, self.workers.queue.push(client, render)).await;
            queued.unwrap_or(Err(QueueFull::Total))
        } else {
            self.workers.queue.try_push(client, render)
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
        self.workers.queue.close();
    }
}

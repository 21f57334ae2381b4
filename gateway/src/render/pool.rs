//! The render workers as the gateway sees them: a few child processes, a short queue before them, and a deadline.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};

use super::protocol::{Cause, Job, MAX_FRAME, Modules, Order, Report, frame, too_long};
use super::queue::{Full, Queue};
use crate::config;
use crate::metrics::RenderMetrics;
use crate::net::Client;

/// How many releases a worker takes the modules of before another takes its place.
const MAX_RELEASES: usize = 64;

/// How long to wait before starting a worker again that could not be started.
const BACKOFF: Duration = Duration::from_secs(1);

/// How long starting a worker may take.
const START: Duration = Duration::from_secs(10);

/// How often a render is looked at that its document no longer waits for.
const CHECK: Duration = Duration::from_millis(100);

/// The CPU time that a worker may take besides its renders' budget: it loads modules, and gets the next engine ready.
const BESIDES: Duration = Duration::from_millis(500);

/// After so long a worker is killed that has said nothing, whatever the reason. It is no measure of renders: on a busy
/// machine a healthy one can take many times its CPU time.
const SILENCE: Duration = Duration::from_secs(30);

/// A render that was asked for.
struct Ticket {
    task: Task,
    /// Until when it may wait for a worker.
    deadline: Instant,
    answer: oneshot::Sender<Result<Done, Failure>>,
}

/// What is to be rendered, with everything it takes.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    /// The shell's modules.
    pub(crate) shell: Arc<Modules>,
    /// The section's; none for the shell's own page.
    pub(crate) section: Option<Arc<Modules>>,
    /// What the shell's `render` is called with.
    pub(crate) request: Value,
}

/// A render that succeeded.
#[derive(Debug)]
pub(crate) struct Done {
    /// What `render` returned, as JSON.
    pub(crate) page: Vec<u8>,
    /// The CPU time it took.
    pub(crate) cpu: Duration,
}

/// A render that did not.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    /// Why.
    pub(crate) cause: Cause,
    /// In the words of whoever failed; may hold anything.
    pub(crate) message: String,
}

/// Workers that render. Dropping it ends them.
pub(crate) struct Pool {
    queue: Arc<Queue<Ticket>>,
}

impl Pool {
    /// Starts the workers.
    pub(crate) fn start(settings: config::Render, metrics: &RenderMetrics) -> Self {
        let queue = Arc::new(Queue::new(settings.queue));
        for _ in 0..settings.workers {
            tokio::spawn(work(Arc::clone(&queue), settings, metrics.clone()));
        }
        Self { queue }
    }

    /// Renders for a client, or for the gateway itself: it may wait this long for a worker. Where the queue is full, `waits`
    /// says whether to wait for a place in it, too.
    pub(crate) async fn render(
        &self,
        client: Option<Client>,
        task: Task,
        patience: Duration,
        waits: bool,
    ) -> Result<Done, Failure> {
        let (answer, answered) = oneshot::channel();
        let deadline = Instant::now() + patience;
        let ticket = Ticket {
            task,
            deadline,
            answer,
        };
        let queued = if waits {
            let queued = timeout_at(deadline, self.queue.put(client, ticket)).await;
            queued.unwrap_or(Err(Full::All))
        } else {
            self.queue.try_put(client, ticket)
        };
        queued.map_err(|full| match full {
            Full::All => Failure::new(Cause::Busy, "too many renders are waiting; try again"),
            Full::Client => Failure::new(Cause::ClientBusy, "too many renders of one client are waiting"),
        })?;
        let gone = |_| Err(Failure::new(Cause::Crashed, "the worker is gone"));
        answered.await.unwrap_or_else(gone)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl Failure {
    pub(super) fn new(cause: Cause, message: &str) -> Self {
        Self {
            cause,
            message: message.to_owned(),
        }
    }
}

/// Keeps one worker running and gives it what is waiting.
async fn work(queue: Arc<Queue<Ticket>>, settings: config::Render, metrics: RenderMetrics) {
    // Started before there is anything to do, so that whoever asks first does not wait for it.
    let mut worker = started().await;
    loop {
        let Some(ticket) = queue.next().await else {
            return;
        };
        if ticket.deadline <= Instant::now() {
            let late = Failure::new(Cause::Busy, "it waited for a worker for too long; try again");
            let _ = ticket.answer.send(Err(late));
            continue;
        }
        if !worker.is_fit() {
            worker = started().await;
        }
        let outcome = worker.render(&ticket, &settings).await;
        let used_up = match &outcome {
            Ok(_) => false,
            // What throws is done; whatever else went wrong may have left anything behind.
            Err(failure) => failure.cause != Cause::Threw,
        };
        if used_up {
            // Killed at once, however long another takes to start; and counted before anybody hears of the failure.
            drop(worker);
            metrics.replaced();
            tracing::warn!(event = "render_worker_replaced");
            let _ = ticket.answer.send(outcome);
            worker = started().await;
        } else {
            let _ = ticket.answer.send(outcome);
        }
    }
}

/// A worker, as soon as one can be started.
async fn started() -> Worker {
    loop {
        match Worker::start().await {
            Ok(worker) => return worker,
            Err(error) => {
                tracing::error!(event = "render_worker_not_started", error = %error);
                tokio::time::sleep(BACKOFF).await;
            }
        }
    }
}

/// A child process that renders. It is killed when dropped.
struct Worker {
    process: Child,
    input: ChildStdin,
    output: ChildStdout,
    loaded: HashSet<String>,
}

impl Worker {
    async fn start() -> io::Result<Self> {
        let mut process = Command::new(program()?)
            .arg("render-worker")
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let mut worker = Self {
            process,
            input,
            output,
            loaded: HashSet::new(),
        };
        let report = timeout_at(Instant::now() + START, worker.read::<Report>()).await;
        match report.map_err(|_| io::ErrorKind::TimedOut)?? {
            Report::Started { is_confined } => {
                if !is_confined && cfg!(target_os = "linux") {
                    tracing::warn!(event = "render_worker_not_confined");
                }
                Ok(worker)
            }
            other => Err(io::Error::other(format!("it began with {other:?}"))),
        }
    }

    /// Whether it is alive still, and has room for the modules of more releases.
    fn is_fit(&mut self) -> bool {
        self.loaded.len() < MAX_RELEASES && matches!(self.process.try_wait(), Ok(None))
    }

    /// Renders one ticket; any failure but a throw leaves the worker unfit for more.
    async fn render(&mut self, ticket: &Ticket, settings: &config::Render) -> Result<Done, Failure> {
        let process = self.process.id();
        let budget = cpu_time(process).map(|used| used + 2 * settings.cpu + BESIDES);
        let silence = Instant::now() + SILENCE;
        let mut exchange = pin!(self.exchange(&ticket.task, settings));
        loop {
            match timeout(CHECK, &mut exchange).await {
                Ok(Err(error)) => return Err(Failure::new(Cause::Crashed, &error.to_string())),
                Ok(Ok(outcome)) => return outcome,
                // The engine watches the budget itself, but not in its own native code.
                Err(_)
                    if cpu_time(process).is_some_and(|used| budget.is_some_and(|budget| used > budget)) =>
                {
                    return Err(Failure::new(
                        Cause::Time,
                        "it could not be interrupted and was killed",
                    ));
                }
                Err(_) if Instant::now() > silence => {
                    return Err(Failure::new(Cause::Silent, "it did not answer and was killed"));
                }
                Err(_) => {}
            }
        }
    }

    async fn exchange(
        &mut self,
        task: &Task,
        settings: &config::Render,
    ) -> io::Result<Result<Done, Failure>> {
        self.load(&task.shell).await?;
        if let Some(section) = &task.section {
            self.load(section).await?;
        }
        let job = Job {
            shell: task.shell.release.clone(),
            section: task.section.as_ref().map(|section| section.release.clone()),
            request: task.request.clone(),
            cpu_ms: u64::try_from(settings.cpu.as_millis()).unwrap_or(u64::MAX),
            memory: settings.memory,
        };
        match self.ask(&Order::Render(job)).await? {
            Report::Rendered { cpu_us } => Ok(Ok(Done {
                page: self.read_raw().await?,
                cpu: Duration::from_micros(cpu_us),
            })),
            Report::Failed { cause, message } => Ok(Err(Failure { cause, message })),
            other => Err(io::Error::other(format!("it answered with {other:?}"))),
        }
    }

    async fn load(&mut self, modules: &Arc<Modules>) -> io::Result<()> {
        if !self.loaded.insert(modules.release.clone()) {
            return Ok(());
        }
        match self.ask(&Order::Load(Modules::clone(modules))).await? {
            Report::Loaded => Ok(()),
            other => Err(io::Error::other(format!("it answered modules with {other:?}"))),
        }
    }

    async fn ask(&mut self, order: &Order) -> io::Result<Report> {
        self.input.write_all(&frame(order)?).await?;
        self.read().await
    }

    async fn read<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        Ok(serde_json::from_slice(&self.read_raw().await?)?)
    }

    async fn read_raw(&mut self) -> io::Result<Vec<u8>> {
        let length = self.output.read_u32_le().await?;
        if length > MAX_FRAME {
            return Err(too_long());
        }
        let mut bytes = vec![0; length as usize];
        self.output.read_exact(&mut bytes).await?;
        Ok(bytes)
    }
}

/// The CPU time of a process so far, where the system says (`proc_pid_stat(5)`).
fn cpu_time(process: Option<u32>) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process?)).ok()?;
    // Its name, in brackets, may hold anything; user and system time are the 14th and 15th field.
    let (_, fields) = stat.rsplit_once(") ")?;
    let times = fields.split(' ').skip(11).take(2);
    let ticks = times
        .map(|ticks| ticks.parse::<u64>().ok())
        .sum::<Option<u64>>()?;
    Some(Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).ok()?)
}

/// The gateway's own binary: the one that runs, also where another has taken its place in the file system.
fn program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        Ok(PathBuf::from("/proc/self/exe"))
    } else {
        std::env::current_exe()
    }
}

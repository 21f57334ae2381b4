//! A render worker process, seen from the gateway.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, timeout};

use colonnade_config::RenderSettings;
use colonnade_model::release::ServerModules;
use colonnade_web::request_scope;

use crate::job::{Job, JobOutput};
use crate::protocol::{
    JobMessage, MAX_FRAME, OVERDUE, WorkerRequest, WorkerResponse, encode, frame_too_long,
};
use crate::why::{Failure, Why};

/// The number of releases whose modules a worker loads before it is replaced.
const MAX_LOADED_RELEASES: usize = 64;

/// How long starting a worker may take. See also [`STALLED_CHECKS`].
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// The interval at which a worker that has not responded yet is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The number of consecutive checks, 3 s, after which a worker that uses no CPU time is killed. On
/// a busy machine a healthy worker is slow, but uses some.
const STALLED_CHECKS: u32 = 30;

/// The CPU time a worker may use in addition to the limit of a render: to load modules and to
/// prepare the next sandbox.
const EXTRA_CPU_TIME: Duration = Duration::from_millis(500);

/// The time after which an unresponsive worker is killed. It does not limit renders: on a busy
/// machine a healthy render can take many times its CPU time.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// A render worker. Dropping it kills the process.
pub(super) struct WorkerProcess {
    process: Child,
    input: ChildStdin,
    output: ChildStdout,
    /// The IDs of the releases whose modules are loaded.
    loaded: HashSet<String>,
    /// Whether it has not responded to a job.
    is_busy: bool,
}

impl WorkerProcess {
    /// Starts a worker and waits until it is ready.
    pub(super) async fn start(settings: &RenderSettings) -> Result<Self, Failure> {
        let mut worker = Self::spawn(settings).map_err(|error| crashed(&error))?;
        let pid = worker.process.id();
        let response = worker.read_message::<WorkerResponse>();
        match wait_for_response(pid, START_TIMEOUT, None, response).await? {
            WorkerResponse::Started { is_sandboxed } => {
                if !is_sandboxed && cfg!(target_os = "linux") {
                    tracing::warn!(event = "render_worker_unsandboxed");
                }
                Ok(worker)
            }
            other => Err(crashed(&unexpected_response(&other))),
        }
    }

    fn spawn(settings: &RenderSettings) -> io::Result<Self> {
        let mut process = Command::new(program()?)
            .args(["render-worker", &settings.memory_limit_bytes.to_string()])
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
        Ok(Self {
            process,
            input,
            output,
            loaded: HashSet::new(),
            is_busy: false,
        })
    }

    /// Fails if the worker does not respond.
    pub(super) async fn ping(&mut self) -> Result<(), Failure> {
        let pid = self.process.id();
        let response = self.request(&WorkerRequest::Ping);
        match wait_for_response(pid, START_TIMEOUT, None, response).await? {
            WorkerResponse::Pong => Ok(()),
            other => Err(crashed(&unexpected_response(&other))),
        }
    }

    /// Whether the process is alive, waits for a job, and may load the modules of more releases.
    pub(super) fn is_usable(&mut self) -> bool {
        let is_idle = !self.is_busy && matches!(self.process.try_wait(), Ok(None));
        is_idle && self.loaded.len() < MAX_LOADED_RELEASES
    }

    /// Runs a job. After any failure the worker must not be used again, except an exception, or if the
    /// job has used up its budget and the worker is usable.
    pub(super) async fn run(&mut self, job: &Job, settings: &RenderSettings) -> Result<JobOutput, Failure> {
        let pid = self.process.id();
        let max_cpu_time = cpu_time(pid).map(|used| used + 2 * job.cpu_limit(settings) + EXTRA_CPU_TIME);
        self.is_busy = true;
        let response = self.request_render(job, settings);
        wait_for_response(pid, RESPONSE_TIMEOUT, max_cpu_time, response).await?
    }

    async fn request_render(
        &mut self,
        job: &Job,
        settings: &RenderSettings,
    ) -> io::Result<Result<JobOutput, Failure>> {
        self.load(&job.shell).await?;
        if let Some(section) = &job.section {
            self.load(section).await?;
        }
        // Not before: a worker that replaces one has no modules, and the job is not to blame.
        let _ = job.started_at.set(Instant::now());
        let message = JobMessage {
            shell: job.shell.release.clone(),
            section: job.section.as_ref().map(|section| section.release.clone()),
            argument: job.argument.clone(),
            cpu_limit_us: u64::try_from(job.cpu_limit(settings).as_micros()).unwrap_or(u64::MAX),
            has_budget: job.has_budget(settings),
            memory_limit: settings.memory_limit_bytes,
            max_bytes: job.max_bytes(),
        };
        // Megabytes, if the page has results.
        let frame = request_scope::run_blocking(move || encode(&WorkerRequest::Render(message))).await?;
        let response = match self.send(&frame).await {
            Ok(response) => response,
            Err(error)
                if error.kind() == io::ErrorKind::UnexpectedEof
                    && self.process.wait().await?.code() == Some(OVERDUE) =>
            {
                let message = "the render exceeded its CPU time, and its worker ended";
                return Ok(Err(Failure::new(Why::CpuLimit, message)));
            }
            Err(error) => return Err(error),
        };
        self.is_busy = false;
        match response {
            WorkerResponse::Rendered { cpu_us } => Ok(Ok(JobOutput {
                json: self.read_frame().await?,
                cpu_time: Duration::from_micros(cpu_us),
            })),
            WorkerResponse::Failed(failure) => Ok(Err(failure)),
            other => Err(unexpected_response(&other)),
        }
    }

    /// Loads the modules of a release, unless they are loaded.
    async fn load(&mut self, modules: &Arc<ServerModules>) -> io::Result<()> {
        if !self.loaded.insert(modules.release.clone()) {
            return Ok(());
        }
        // Megabytes, and each worker gets them.
        let request = WorkerRequest::Load(Arc::clone(modules));
        let frame = request_scope::run_blocking(move || encode(&request)).await?;
        match self.send(&frame).await? {
            WorkerResponse::Loaded => Ok(()),
            other => Err(unexpected_response(&other)),
        }
    }

    async fn request(&mut self, request: &WorkerRequest) -> io::Result<WorkerResponse> {
        self.send(&encode(request)?).await
    }

    async fn send(&mut self, frame: &[u8]) -> io::Result<WorkerResponse> {
        self.input.write_all(frame).await?;
        self.read_message().await
    }

    async fn read_message<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        Ok(serde_json::from_slice(&self.read_frame().await?)?)
    }

    async fn read_frame(&mut self) -> io::Result<Vec<u8>> {
        let length = self.output.read_u32_le().await?;
        if length > MAX_FRAME {
            return Err(frame_too_long());
        }
        let mut bytes = vec![0; length as usize];
        self.output.read_exact(&mut bytes).await?;
        Ok(bytes)
    }
}

/// Waits for the response of the worker with this process ID. Fails if it uses more CPU time in
/// total than `max_cpu_time`, or does not respond.
async fn wait_for_response<T>(
    pid: Option<u32>,
    response_timeout: Duration,
    max_cpu_time: Option<Duration>,
    response: impl Future<Output = io::Result<T>>,
) -> Result<T, Failure> {
    let deadline = Instant::now() + response_timeout;
    let (mut last_used, mut stalled_checks) = (None, 0);
    let mut response = pin!(response);
    loop {
        if let Ok(result) = timeout(CHECK_INTERVAL, &mut response).await {
            return result.map_err(|error| crashed(&error));
        }
        let used = cpu_time(pid);
        // The engine enforces the limit of CPU time itself, but not while it executes its own
        // native code.
        if used.is_some_and(|used| max_cpu_time.is_some_and(|max| used > max)) {
            return Err(Failure::new(
                Why::CpuLimit,
                "the render exceeded its CPU time and was killed",
            ));
        }
        // Counts checks instead of time: if the gateway itself is stopped, the worker is not to
        // blame.
        let has_stalled = used.is_some() && used == last_used;
        stalled_checks = if has_stalled { stalled_checks + 1 } else { 0 };
        last_used = used;
        if stalled_checks >= STALLED_CHECKS || Instant::now() > deadline {
            return Err(Failure::new(
                Why::WorkerUnresponsive,
                "the render worker did not respond and was killed",
            ));
        }
    }
}

fn crashed(error: &io::Error) -> Failure {
    Failure::new(Why::WorkerCrashed, &error.to_string())
}

fn unexpected_response(response: &WorkerResponse) -> io::Error {
    io::Error::other(format!("unexpected response of the render worker: {response:?}"))
}

/// The CPU time that a process has used, if the system reports it (`proc_pid_stat(5)`).
fn cpu_time(pid: Option<u32>) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid?)).ok()?;
    // The second field, the name in parentheses, can contain any characters. Fields 14 and 15 are
    // the user and system time.
    let (_, fields) = stat.rsplit_once(") ")?;
    let times = fields.split(' ').skip(11).take(2);
    let ticks = times
        .map(|ticks| ticks.parse::<u64>().ok())
        .sum::<Option<u64>>()?;
    Some(Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).ok()?)
}

/// The path of the gateway's own binary: the running one, even if the file was replaced.
fn program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        Ok(PathBuf::from("/proc/self/exe"))
    } else {
        std::env::current_exe()
    }
}

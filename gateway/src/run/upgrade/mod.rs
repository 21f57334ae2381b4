//! Upgrades: a new process of the current binary and configuration takes over the listening
//! sockets, without a pause.
//!
//! 1. The running process starts the new one with the same arguments and passes it the listening
//!    sockets.
//! 2. The new process starts all its parts, and reports that it is ready, or why it cannot start
//!    ([`takeover`]).
//! 3. The running process hands over, and says what it serves ([`served`]). The new process may
//!    still refuse.
//! 4. The new process reports that it serves, and accepts connections from now on. The running one
//!    drains.
//!
//! Until the fourth step the new process accepts nothing, so that a failure changes nothing. Both
//! processes share the sockets themselves, so that no connection that waits for `accept` is lost.

pub(super) mod control;
pub(super) mod served;
pub(super) mod takeover;

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::{Arc, Weak};
use std::time::Duration;

use colonnade_edge::CurrentSettings;
use colonnade_web::health::{Lifecycle, ShutdownSignal};
use command_fds::{CommandFdExt as _, FdMapping, FdMappingCollision};
use prometheus_client::metrics::counter::Counter;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, UnixStream};
use tokio::process::{Child, Command};
use tokio::signal::unix::Signal;
use tokio::sync::{Mutex, Notify, watch};
use tokio::time::timeout;

use crate::run::listeners::OpenListeners;
use crate::run::service_manager;
use crate::run::signals::{self, Shutdown};
use served::Serving;
use takeover::{READY, SERVING, VARIABLE};

/// The first file descriptor that `LISTEN_FDS` counts (`sd_listen_fds(3)`).
const FIRST_SOCKET: i32 = 3;

/// The maximum length of the reason that a new process gives, in bytes.
const MAX_REASON: u64 = 64 * 1024;

/// How long a process that has closed its connection may take to exit.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Variables that a service manager sets for one process. The first ones would also keep the new
/// process from taking the sockets.
const OWN_VARIABLES: [&str; 4] = [
    "LISTEN_PID",
    "LISTEN_FDNAMES",
    "LISTEN_FDS_FIRST_FD",
    "WATCHDOG_PID",
];

/// Why an upgrade failed. The running process continues.
#[derive(Debug, thiserror::Error)]
pub(super) enum UpgradeError {
    #[error("another upgrade is running")]
    AlreadyRunning,
    #[error("the gateway is shutting down")]
    ShuttingDown,
    #[error("the gateway is process 1, whose exit ends its container: start a new container instead")]
    FirstProcess,
    #[error("cannot start {program}: {source}", program = program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error("the new process failed: {0}")]
    Failed(String),
    #[error("the new process exited before it was ready: {0}")]
    Exited(ExitStatus),
    #[error("the new process was not ready within {} ms (`limits.upgrade_timeout_ms`)", .0.as_millis())]
    Timeout(Duration),
    #[error("lost the connection to the new process: {0}")]
    Connection(#[from] io::Error),
    #[error(transparent)]
    Descriptors(#[from] FdMappingCollision),
}

/// Upgrades the running process.
pub(super) struct Upgrader {
    program: PathBuf,
    /// The listening sockets, in the order of their descriptors. The listeners close them when they
    /// drain.
    sockets: Vec<Weak<TcpListener>>,
    serving: Arc<Serving>,
    settings: CurrentSettings,
    lifecycle: watch::Sender<Lifecycle>,
    replaced: Arc<Notify>,
    failures: Counter,
    /// Locked during an upgrade.
    running: Mutex<()>,
}

/// A process that has not taken over yet. Dropping it kills the process.
struct NewProcess {
    process: Child,
    has_taken_over: bool,
}

impl Drop for NewProcess {
    fn drop(&mut self) {
        if !self.has_taken_over {
            // Fails only if the process has exited.
            let _ = self.process.start_kill();
        }
    }
}

impl Upgrader {
    /// `program` is the binary to start. `shutdown` ends this process once it is replaced.
    pub(super) fn new(
        program: PathBuf,
        listeners: &OpenListeners,
        settings: CurrentSettings,
        shutdown: &Shutdown,
        failures: Counter,
    ) -> Self {
        Self {
            program,
            sockets: listeners.sockets().into_iter().map(Arc::downgrade).collect(),
            serving: Arc::clone(&listeners.serving),
            settings,
            lifecycle: shutdown.lifecycle.clone(),
            replaced: Arc::clone(&shutdown.replaced),
            failures,
            running: Mutex::default(),
        }
    }

    /// Upgrades on every SIGUSR2. Never returns.
    pub(super) async fn run(self: Arc<Self>, mut signal: Signal) {
        while signal.recv().await.is_some() {
            let upgrader = Arc::clone(&self);
            // A second signal is refused meanwhile.
            tokio::spawn(async move {
                if upgrader.upgrade().await.is_ok() {
                    upgrader.drain();
                }
            });
        }
    }

    /// Starts a new process and hands over to it. Returns its process ID. Then the caller must call
    /// [`Upgrader::drain`].
    pub(super) async fn upgrade(&self) -> Result<u32, UpgradeError> {
        let outcome = match self.running.try_lock() {
            Ok(_lock) => self.upgrade_once().await,
            Err(_) => Err(UpgradeError::AlreadyRunning),
        };
        match &outcome {
            Ok(pid) => tracing::info!(event = "upgrade_complete", pid),
            Err(error) => {
                tracing::error!(event = "upgrade_failed", error = %error);
                // In the other cases another process serves soon, or none.
                if !matches!(error, UpgradeError::AlreadyRunning | UpgradeError::ShuttingDown) {
                    self.failures.inc();
                }
            }
        }
        outcome
    }

    /// Closes the listeners of this process, drains its connections, and then ends it.
    pub(super) fn drain(&self) {
        self.replaced.notify_one();
    }

    async fn upgrade_once(&self) -> Result<u32, UpgradeError> {
        if std::process::id() == 1 {
            return Err(UpgradeError::FirstProcess);
        }
        let deadline = self.settings.load().limits.upgrade_timeout;
        let (mut connection, mut new) = {
            let sockets: Option<Vec<_>> = self.sockets.iter().map(Weak::upgrade).collect();
            let sockets = sockets.ok_or(UpgradeError::ShuttingDown)?;
            if *self.lifecycle.borrow() != Lifecycle::Running {
                return Err(UpgradeError::ShuttingDown);
            }
            tracing::info!(event = "upgrade_started", program = %self.program.display());
            self.start(&sockets)?
        };
        let pid = new.process.id().unwrap_or_default();
        let handover = async {
            wait_for_report(READY, &mut connection, &mut new).await?;
            // Before the new process sends messages of its own.
            service_manager::main_process(pid).await;
            takeover::hand_over(&mut connection, &self.serving.now()).await?;
            wait_for_report(SERVING, &mut connection, &mut new).await
        };
        let mut shutdown = ShutdownSignal(self.lifecycle.subscribe());
        let outcome = tokio::select! {
            outcome = timeout(deadline, handover) => outcome.unwrap_or(Err(UpgradeError::Timeout(deadline))),
            _ = shutdown.stopping() => Err(UpgradeError::ShuttingDown),
        };
        // A shutdown that begins now would stop only this process.
        let outcome = outcome.and_then(|()| {
            let is_first = signals::end(&self.lifecycle, Lifecycle::Replaced);
            is_first.then_some(()).ok_or(UpgradeError::ShuttingDown)
        });
        if let Err(error) = outcome {
            service_manager::main_process(std::process::id()).await;
            return Err(error);
        }
        new.has_taken_over = true;
        Ok(pid)
    }

    /// Starts the new process, and returns the connection to it.
    fn start(&self, sockets: &[Arc<TcpListener>]) -> Result<(UnixStream, NewProcess), UpgradeError> {
        let (ours, theirs) = StdUnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let mut mappings = Vec::new();
        for (child_fd, socket) in (FIRST_SOCKET..).zip(sockets) {
            let parent_fd = socket.as_fd().try_clone_to_owned()?;
            mappings.push(FdMapping { parent_fd, child_fd });
        }
        let arguments: Vec<OsString> = env::args_os().skip(1).collect();
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env(VARIABLE, "1")
            .env("LISTEN_FDS", sockets.len().to_string())
            .stdin(OwnedFd::from(theirs))
            .fd_mappings(mappings)?;
        for variable in OWN_VARIABLES {
            command.env_remove(variable);
        }
        let process = command.spawn().map_err(|source| UpgradeError::Start {
            program: self.program.clone(),
            source,
        })?;
        let new = NewProcess {
            process,
            has_taken_over: false,
        };
        Ok((UnixStream::from_std(ours)?, new))
    }
}

/// Reads a report of the new process, which must be the expected one.
async fn wait_for_report(
    expected: u8,
    connection: &mut UnixStream,
    new: &mut NewProcess,
) -> Result<(), UpgradeError> {
    let mut report = Vec::new();
    let mut reader = connection.take(MAX_REASON);
    while reader.read_buf(&mut report).await? > 0 {
        if report == [expected] {
            return Ok(());
        }
    }
    // A new process that was passed something else as its binary reports nothing.
    if report.is_empty()
        && let Ok(status) = timeout(EXIT_TIMEOUT, new.process.wait()).await
    {
        return Err(UpgradeError::Exited(status?));
    }
    Err(UpgradeError::Failed(
        String::from_utf8_lossy(&report).into_owned(),
    ))
}

/// The path that the running binary was started with. The file may be replaced later, or the path
/// may lead through a symbolic link that changes: an upgrade starts what is there then.
pub(super) fn program() -> io::Result<PathBuf> {
    let started_as = env::args_os().next().map(PathBuf::from);
    match started_as {
        Some(path) if path.components().count() > 1 => std::path::absolute(path),
        // Found in `PATH`.
        _ => env::current_exe(),
    }
}

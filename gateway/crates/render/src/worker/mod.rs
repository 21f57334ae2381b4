//! The render worker: a child process that executes the server modules of releases.
//!
//! It is the gateway's own binary, without an environment or open files except its pipes. A seccomp
//! filter allows only system calls for memory, time and the pipes. A faulty release ends in an
//! error response or, at worst, in the death of this process.

mod cpu_time;
mod limits;
mod sandbox;
mod server_module;
#[cfg(test)]
mod tests;
mod url_functions;
mod watchdog;

use std::collections::HashMap;
use std::io::{BufReader, BufWriter, stdin, stdout};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use colonnade_model::release::ServerModules;

use crate::protocol::{JobMessage, WorkerRequest, WorkerResponse, read_message, write_frame, write_message};
use crate::why::{Failure, Why};
use sandbox::{LOAD_MEMORY_LIMIT, ReleaseModules, Sandbox, UsedSandbox};
use server_module::ServerModule;
use watchdog::Watchdog;

/// The stack size of the thread that executes scripts, in bytes. Deep trees recurse in native code.
const STACK_SIZE: usize = 32 * 1024 * 1024;

/// Responds to requests until the gateway closes the pipe. `memory_limit` is the most memory that a
/// render may get, in bytes.
pub fn main(memory_limit: usize) -> ExitCode {
    // While modules are loaded, a script may use more than a render.
    let script_memory = memory_limit.saturating_add(LOAD_MEMORY_LIMIT) as u64;
    if limits::lower_priority()
        .and_then(|()| limits::limit_resources(script_memory))
        .is_err()
    {
        return ExitCode::FAILURE;
    }
    let thread = Watchdog::start().and_then(|watchdog| {
        let serve = move || serve(Worker::new(watchdog));
        std::thread::Builder::new().stack_size(STACK_SIZE).spawn(serve)
    });
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Serves requests; true if the gateway closed the pipe, false after an I/O error.
fn serve(mut worker: Worker) -> bool {
    // Without the filter the other restrictions still apply. The gateway logs a warning.
    let is_sandboxed = limits::install_seccomp_filter().is_ok();
    let (mut input, mut output) = (BufReader::new(stdin().lock()), BufWriter::new(stdout().lock()));
    if write_message(&mut output, &WorkerResponse::Started { is_sandboxed }).is_err() {
        return false;
    }
    loop {
        let (response, page) = match read_message(&mut input) {
            Ok(Some(request)) => worker.handle(request),
            Ok(None) => return true,
            Err(_) => return false,
        };
        if write_message(&mut output, &response).is_err() {
            return false;
        }
        if let Some(page) = page
            && write_frame(&mut output, page.as_bytes()).is_err()
        {
            return false;
        }
        // In the meantime the gateway processes the response.
        worker.used = None;
        worker.prepare_sandbox();
    }
}

struct Worker {
    watchdog: Arc<Watchdog>,
    /// The loaded modules, by release ID.
    releases: HashMap<String, Rc<ReleaseModules>>,
    /// A sandbox with the modules of this shell, in which nothing has been rendered.
    spare: Option<(String, Sandbox)>,
    /// The sandbox of the last render, until the response is sent.
    used: Option<UsedSandbox>,
    last_shell: Option<String>,
}

impl Worker {
    fn new(watchdog: Arc<Watchdog>) -> Self {
        Self {
            watchdog,
            releases: HashMap::new(),
            spare: None,
            used: None,
            last_shell: None,
        }
    }

    /// The response to a request and, after a successful render, the page.
    fn handle(&mut self, request: WorkerRequest) -> (WorkerResponse, Option<String>) {
        match request {
            WorkerRequest::Ping => (WorkerResponse::Pong, None),
            WorkerRequest::Load(modules) => {
                let ServerModules { release, sources } = Arc::unwrap_or_clone(modules);
                let modules = sources.into_iter();
                let modules = modules.map(|(name, source)| (name, ServerModule::new(source)));
                self.releases.insert(release, Rc::new(modules.collect()));
                (WorkerResponse::Loaded, None)
            }
            WorkerRequest::Render(job) => match self.render(&job) {
                Ok((page, cpu_us)) => (WorkerResponse::Rendered { cpu_us }, Some(page)),
                Err(failure) => (WorkerResponse::Failed(failure), None),
            },
        }
    }

    /// The page as JSON, and the CPU time of the render in microseconds.
    fn render(&mut self, job: &JobMessage) -> Result<(String, u64), Failure> {
        let not_loaded = |what: &str| {
            let message = format!("the {what}'s server modules are not loaded");
            Failure::new(Why::WorkerCrashed, &message)
        };
        let sandbox = self.sandbox(&job.shell).ok_or_else(|| not_loaded("shell"))??;
        self.last_shell = Some(job.shell.clone());
        if let Some(release) = &job.section {
            let modules = self.releases.get(release);
            sandbox.load(Rc::clone(modules.ok_or_else(|| not_loaded("section"))?))?;
        }
        let (rendered, used) = if job.has_budget {
            let budget = Duration::from_micros(job.cpu_limit_us);
            self.watchdog.watch(budget, || sandbox.render(job))
        } else {
            sandbox.render(job)
        };
        self.used = Some(used);
        rendered
    }

    /// A new sandbox with the modules of a shell; `None` if they are not loaded.
    fn sandbox(&mut self, shell: &str) -> Option<Result<Sandbox, Failure>> {
        match self.spare.take() {
            Some((release, sandbox)) if release == shell => Some(Ok(sandbox)),
            _ => Some(Sandbox::new(Rc::clone(self.releases.get(shell)?))),
        }
    }

    /// Prepares a sandbox for the next render.
    fn prepare_sandbox(&mut self) {
        let Some(shell) = self.last_shell.clone().filter(|_| self.spare.is_none()) else {
            return;
        };
        if let Some(Ok(sandbox)) = self.sandbox(&shell) {
            self.spare = Some((shell, sandbox));
        }
    }
}

//! The render worker: a child process of the gateway's own binary, which runs the server modules of releases.
//!
//! It has no environment, no open files but its pipes, and asks the system for nothing but memory. What a release does
//! wrong ends here: with an answer where that is possible, with the process where it is not.

mod address;
mod limits;
mod sandbox;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::{BufReader, BufWriter, stdin, stdout};
use std::process::ExitCode;
use std::sync::Arc;

use super::protocol::{Cause, Modules, Order, Report, read, write, write_raw};
use sandbox::{Sandbox, Sources};

/// The stack of the thread that runs scripts. Deep trees recurse in native code.
const STACK: usize = 32 * 1024 * 1024;

/// Answers orders until there are no more.
pub(crate) fn main() -> ExitCode {
    if limits::stand_back()
        .and_then(|()| limits::limit_resources())
        .is_err()
    {
        return ExitCode::FAILURE;
    }
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(serve);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Whether it ended because the gateway was done.
fn serve() -> bool {
    // Where the system cannot do it, the other walls still stand, and the gateway says so.
    let is_confined = limits::forbid_system_calls().is_ok();
    let (mut input, mut output) = (BufReader::new(stdin().lock()), BufWriter::new(stdout().lock()));
    let mut worker = Worker::default();
    if write(&mut output, &Report::Started { is_confined }).is_err() {
        return false;
    }
    loop {
        let (report, page) = match read(&mut input) {
            Ok(Some(order)) => worker.carry_out(order),
            Ok(None) => return true,
            Err(_) => return false,
        };
        if write(&mut output, &report).is_err() {
            return false;
        }
        if let Some(page) = page
            && write_raw(&mut output, page.as_bytes()).is_err()
        {
            return false;
        }
        // While the gateway is busy with the answer.
        worker.prepare();
    }
}

#[derive(Default)]
struct Worker {
    releases: HashMap<String, Arc<Sources>>,
    /// A sandbox with the modules of this shell in it, which nothing has been rendered in.
    spare: Option<(String, Sandbox)>,
    last_shell: Option<String>,
}

impl Worker {
    /// What to report, and the page that goes with it.
    fn carry_out(&mut self, order: Order) -> (Report, Option<String>) {
        match order {
            Order::Load(Modules { release, sources }) => {
                self.releases
                    .insert(release, Arc::new(sources.into_iter().collect()));
                (Report::Loaded, None)
            }
            Order::Render(job) => {
                let Some(sandbox) = self.sandbox(&job.shell) else {
                    return failed(Cause::Crashed, "the shell's modules are not there".to_owned());
                };
                self.last_shell = Some(job.shell.clone());
                let section = match &job.section {
                    Some(name) => match self.releases.get(name) {
                        Some(sources) => Some(Arc::clone(sources)),
                        None => {
                            return failed(Cause::Crashed, "the section's modules are not there".to_owned());
                        }
                    },
                    None => None,
                };
                match sandbox.and_then(|sandbox| sandbox.render(section, &job)) {
                    Ok((page, cpu_us)) => (Report::Rendered { cpu_us }, Some(page)),
                    Err((cause, message)) => failed(cause, message),
                }
            }
        }
    }

    /// A fresh sandbox with a shell in it; `None` if that shell was never loaded.
    fn sandbox(&mut self, shell: &str) -> Option<Result<Sandbox, sandbox::Failure>> {
        match self.spare.take() {
            Some((there, sandbox)) if there == shell => Some(Ok(sandbox)),
            _ => Some(Sandbox::new(Arc::clone(self.releases.get(shell)?))),
        }
    }

    fn prepare(&mut self) {
        let Some(shell) = self.last_shell.clone().filter(|_| self.spare.is_none()) else {
            return;
        };
        if let Some(Ok(sandbox)) = self.sandbox(&shell) {
            self.spare = Some((shell, sandbox));
        }
    }
}

fn failed(cause: Cause, message: String) -> (Report, Option<String>) {
    (Report::Failed { cause, message }, None)
}

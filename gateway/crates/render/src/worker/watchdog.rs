//! Ends the worker if a job goes on beyond its budget. The engine looks at the clock only between calls and
//! turns of loops, not in its own native code.

use std::io;
use std::process::exit;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::protocol::OVERDUE;
use crate::worker::cpu_time;

/// The CPU time that a job gets beyond its budget. In it the engine looks at the clock, as a rule.
const GRACE: Duration = Duration::from_millis(10);

#[derive(Default)]
pub(super) struct Watchdog {
    /// The CPU time of the process at which it ends, while a job with a budget runs.
    deadline: Mutex<Option<Duration>>,
    started: Condvar,
}

impl Watchdog {
    /// Starts its thread, and waits until the thread runs: a thread that starts needs system calls that
    /// the seccomp filter denies.
    pub(super) fn start() -> io::Result<Arc<Self>> {
        let (watchdog, running) = (Arc::<Self>::default(), Arc::new(Barrier::new(2)));
        let (own, is_running) = (Arc::clone(&watchdog), Arc::clone(&running));
        std::thread::Builder::new().spawn(move || {
            is_running.wait();
            own.run();
        })?;
        running.wait();
        Ok(watchdog)
    }

    /// Runs a job with this budget.
    pub(super) fn watch<T>(&self, budget: Duration, job: impl FnOnce() -> T) -> T {
        *self.deadline.lock() = Some(cpu_time::of_process() + budget + GRACE);
        self.started.notify_one();
        let done = job();
        *self.deadline.lock() = None;
        done
    }

    fn run(&self) {
        let mut deadline = self.deadline.lock();
        loop {
            match *deadline {
                None => self.started.wait(&mut deadline),
                // Less time cannot pass: no other thread of the process uses any.
                Some(end) => match end.checked_sub(cpu_time::of_process()) {
                    Some(left) => drop(self.started.wait_for(&mut deadline, left)),
                    None => exit(OVERDUE),
                },
            }
        }
    }
}

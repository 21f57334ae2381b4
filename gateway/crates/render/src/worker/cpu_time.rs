//! The CPU time that the worker has used.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// That of the process.
pub(super) fn of_process() -> Duration {
    cpu_time(ClockId::ProcessCPUTime)
}

/// That of this thread.
pub(super) fn of_thread() -> Duration {
    cpu_time(ClockId::ThreadCPUTime)
}

fn cpu_time(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

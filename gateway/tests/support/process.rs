//! Process state and memory usage from `/proc`, and resource limits.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the file descriptor limit to the maximum and returns it. The gateway inherits the limit.
pub(crate) fn raise_descriptor_limit() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    limit.maximum.unwrap_or(u64::MAX)
}

/// A line of `/proc/<pid>/status`.
pub(crate) fn status(pid: u32, key: &str) -> String {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.unwrap().trim_start_matches(':').trim().to_owned()
}

/// The resident memory of a process, in KiB.
pub(crate) fn resident_kib(pid: u32) -> u64 {
    status(pid, "VmRSS").trim_end_matches(" kB").parse().unwrap()
}

/// The smallest growth in four rounds of what `measure` returns in KiB. A leak per request grows memory in every round; an
/// allocator arena for a new thread does so only in some. Does not detect tables that grow occasionally.
pub(crate) fn min_growth_kib(measure: impl Fn() -> u64, mut round: impl FnMut(usize)) -> u64 {
    (0..4)
        .map(|number| {
            let before = measure();
            round(number);
            measure().saturating_sub(before)
        })
        .min()
        .unwrap()
}

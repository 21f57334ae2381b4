//! What the kernel says of a process, and what it keeps in memory.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Asks the system for as many file descriptors as it grants, for a test that opens very many connections. Back comes how
/// many that are: the gateway is granted as many.
pub(crate) fn descriptors() -> u64 {
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

/// What a process has in memory, in KiB.
pub(crate) fn resident_kib(pid: u32) -> u64 {
    status(pid, "VmRSS").trim_end_matches(" kB").parse().unwrap()
}

/// What a process gains, in KiB, in the round of four in which it gains least. What leaks by the piece leaks in every
/// round; an allocator that takes memory for one more thread does so in some of them, whenever that thread has its first
/// turn. A table that only grows is not found so: it grows now and then.
pub(crate) fn least_growth_kib(pid: u32, mut round: impl FnMut(usize)) -> u64 {
    (0..4)
        .map(|number| {
            let before = resident_kib(pid);
            round(number);
            resident_kib(pid).saturating_sub(before)
        })
        .min()
        .unwrap()
}

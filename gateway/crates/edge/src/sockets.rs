//! Limits of the operating system for sockets.

use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::TcpStream;

/// Logs a warning if the system limits the backlog of listeners to fewer connections.
pub fn check_backlog(backlog: u32) {
    // Only Linux has this file.
    let max = std::fs::read_to_string("/proc/sys/net/core/somaxconn").ok();
    if let Some(max) = max.and_then(|max| max.trim().parse::<u32>().ok())
        && max < backlog
    {
        tracing::warn!(event = "backlog_limited", backlog, somaxconn = max);
    }
}

/// How many bytes the system takes before it can send them.
#[cfg(target_os = "linux")]
const MAX_UNSENT_BYTES: u32 = 64 * 1024;

/// Limits what the system takes before it can send it. A socket that is full then accepts more
/// after each such part, rather than after a third of its send buffer, so a client that reads
/// slowly makes visible progress. It also uses less memory.
pub(crate) fn limit_unsent_bytes(stream: &TcpStream) {
    // On failure, and on other systems, the steps are larger.
    #[cfg(target_os = "linux")]
    let _ = socket2::SockRef::from(stream).set_tcp_notsent_lowat(MAX_UNSENT_BYTES);
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}

/// File descriptors reserved for the store, the render workers and everything else that is not a
/// connection.
const RESERVED: u64 = 256;

/// Raises the soft limit of file descriptors to the hard limit. Returns the number of connections
/// that it allows.
pub fn raise_file_descriptor_limit() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // On failure the soft limit applies.
    let _ = setrlimit(Resource::Nofile, limit);
    let granted = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let connections = granted.saturating_sub(RESERVED).max(granted / 2);
    usize::try_from(connections).unwrap_or(usize::MAX)
}

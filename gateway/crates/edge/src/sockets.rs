//! Listening sockets: inherited from a supervisor, or newly bound.

use std::io;
use std::net::SocketAddr;

use listenfd::ListenFd;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpStream};

/// The sockets that a supervisor such as systemd opened for the gateway (`LISTEN_FDS`, see
/// `sd_listen_fds(3)`): the first is for the site, the second for the admin API, the third for redirects. They
/// outlive the process, so a restart refuses no connection.
pub struct InheritedSockets(ListenFd);

impl InheritedSockets {
    /// Takes the inherited sockets of this process.
    pub fn from_env() -> Self {
        Self(ListenFd::from_env())
    }

    /// Returns the inherited socket at this index, or a new one bound to `address`, and the address it
    /// listens on. At most `backlog` connections wait to be accepted.
    ///
    /// # Errors
    ///
    /// The inherited file descriptor is not a TCP listener, or binding fails.
    pub async fn take_or_bind(
        &mut self,
        index: usize,
        address: SocketAddr,
        backlog: u32,
    ) -> io::Result<(TcpListener, SocketAddr)> {
        let socket = match self.0.take_tcp_listener(index)? {
            Some(socket) => {
                socket.set_nonblocking(true)?;
                TcpListener::from_std(socket)?
            }
            None => TcpListener::bind(address).await?,
        };
        // Also changes the backlog of a socket that listens already.
        rustix::net::listen(&socket, i32::try_from(backlog).unwrap_or(i32::MAX))?;
        let bound = socket.local_addr()?;
        Ok((socket, bound))
    }

    /// Closes the inherited socket at this index, if there is one: connections that nobody accepts would wait.
    pub fn close(&mut self, index: usize) {
        let _ = self.0.take_tcp_listener(index);
    }
}

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

/// Limits what the system takes before it can send it. A socket that is full then accepts more after each such part, rather
/// than after a third of its send buffer, so a client that reads slowly makes visible progress. It also uses less memory.
pub(crate) fn limit_unsent_bytes(stream: &TcpStream) {
    // On failure, and on other systems, the steps are larger.
    #[cfg(target_os = "linux")]
    let _ = socket2::SockRef::from(stream).set_tcp_notsent_lowat(MAX_UNSENT_BYTES);
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}

/// File descriptors reserved for the store, the render workers and everything else that is not a connection.
const RESERVED: u64 = 256;

/// Raises the soft limit of file descriptors to the hard limit. Returns the number of connections that it
/// allows.
pub fn raise_file_descriptor_limit() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // On failure the soft limit applies.
    let _ = setrlimit(Resource::Nofile, limit);
    let granted = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let connections = granted.saturating_sub(RESERVED).max(granted / 2);
    usize::try_from(connections).unwrap_or(usize::MAX)
}

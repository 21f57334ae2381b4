//! Listening sockets: inherited from a supervisor, or newly bound.

use std::io;
use std::net::SocketAddr;

use listenfd::ListenFd;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::TcpListener;

/// The sockets that a supervisor such as systemd opened for the gateway (`LISTEN_FDS`, see
/// `sd_listen_fds(3)`): the first is for the site, the second for the admin API. They outlive the process, so
/// a restart refuses no connection.
pub struct InheritedSockets(ListenFd);

impl InheritedSockets {
    /// Takes the inherited sockets of this process.
    pub fn from_env() -> Self {
        Self(ListenFd::from_env())
    }

    /// Returns the inherited socket at this index, or a new one bound to `address`, and the address it
    /// listens on.
    ///
    /// # Errors
    ///
    /// The inherited file descriptor is not a TCP listener, or binding fails.
    pub async fn take_or_bind(
        &mut self,
        index: usize,
        address: SocketAddr,
    ) -> io::Result<(TcpListener, SocketAddr)> {
        let socket = match self.0.take_tcp_listener(index)? {
            Some(socket) => {
                socket.set_nonblocking(true)?;
                TcpListener::from_std(socket)?
            }
            None => TcpListener::bind(address).await?,
        };
        let bound = socket.local_addr()?;
        Ok((socket, bound))
    }
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

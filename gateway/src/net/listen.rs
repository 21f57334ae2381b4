//! The sockets: those the gateway was started with, or new ones.

use std::io;
use std::net::SocketAddr;

use listenfd::ListenFd;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::TcpListener;

/// The sockets a supervisor such as systemd has opened for the gateway (`LISTEN_FDS`, see `sd_listen_fds(3)`): the first
/// is for the site, the second for the admin API. They outlive the process, so a restart refuses no connection.
pub(crate) struct Inherited(ListenFd);

impl Inherited {
    /// Those of this process.
    pub(crate) fn take() -> Self {
        Self(ListenFd::from_env())
    }

    /// The socket of this number, or else a new one at this address; and where it really listens.
    pub(crate) async fn or_bind(
        &mut self,
        number: usize,
        address: SocketAddr,
    ) -> io::Result<(TcpListener, SocketAddr)> {
        let socket = match self.0.take_tcp_listener(number) {
            Ok(Some(socket)) => {
                socket.set_nonblocking(true)?;
                TcpListener::from_std(socket)?
            }
            // There are no more, or there never were any.
            Ok(None) => TcpListener::bind(address).await?,
            Err(error) => return Err(error),
        };
        let bound = socket.local_addr()?;
        Ok((socket, bound))
    }
}

/// File descriptors that are for the store, the render workers and whatever else is no connection.
const RESERVED: u64 = 256;

/// Asks the system for as many file descriptors as it grants. Back comes how many connections that allows.
pub(crate) fn raise_descriptors() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Where it is not granted, what there is must do.
    let _ = setrlimit(Resource::Nofile, limit);
    let granted = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let connections = granted.saturating_sub(RESERVED).max(granted / 2);
    usize::try_from(connections).unwrap_or(usize::MAX)
}

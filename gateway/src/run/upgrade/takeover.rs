//! The new process of an upgrade: reports to the old one, and takes over from it.

use std::error::Error;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream as StdUnixStream;

use listenfd::ListenFd;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

use crate::run::upgrade::served::Served;

/// The variable that tells a process that its standard input is the connection to the process it
/// replaces.
pub(super) const VARIABLE: &str = "COLONNADE_UPGRADE";

/// The report of a process that is ready. Any other report says why it is not.
pub(super) const READY: u8 = b'+';

/// The report of a process that has taken over: the old one drains.
pub(super) const SERVING: u8 = b'=';

/// The answer to the first report: the new process may take over. [`Served`] follows, as JSON after
/// its length.
const HAND_OVER: u8 = b'!';

/// Hands over to the new process, and tells it what this one serves.
pub(super) async fn hand_over(connection: &mut UnixStream, served: &Served) -> io::Result<()> {
    let served = serde_json::to_vec(served)?;
    let length = u32::try_from(served.len()).map_err(io::Error::other)?;
    connection.write_u8(HAND_OVER).await?;
    connection.write_u32(length).await?;
    connection.write_all(&served).await
}

/// The listening sockets that the old process has passed on (`LISTEN_FDS`, see `sd_listen_fds(3)`),
/// if this process takes over from one.
pub(in crate::run) fn sockets(takeover: Option<&Takeover>) -> ListenFd {
    takeover.map_or_else(ListenFd::empty, |_| ListenFd::from_env())
}

/// The connection of a new process to the process that it replaces.
pub(crate) struct Takeover(StdUnixStream);

impl Takeover {
    /// The connection, if this process was started by an upgrade.
    pub(crate) fn from_env() -> io::Result<Option<Self>> {
        if std::env::var_os(VARIABLE).is_none() {
            return Ok(None);
        }
        let connection = io::stdin().as_fd().try_clone_to_owned()?;
        Ok(Some(Self(StdUnixStream::from(connection))))
    }

    /// Reports why this process cannot take over.
    pub(crate) fn fail(&self, error: &dyn Error) {
        // If the old process has ended, the report has no reader.
        let _ = (&self.0).write_all(error.to_string().as_bytes());
    }

    /// Reports that this process is ready, and waits until the old one hands over. Returns what the
    /// old one serves.
    ///
    /// # Errors
    ///
    /// The old process has ended: its operator stopped it, so that this one must not start to
    /// serve.
    pub(in crate::run) async fn take_over(&self) -> io::Result<Served> {
        self.0.set_nonblocking(true)?;
        let mut connection = UnixStream::from_std(self.0.try_clone()?)?;
        connection.write_u8(READY).await?;
        if connection.read_u8().await? != HAND_OVER {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let length = connection.read_u32().await?;
        let mut served = Vec::new();
        (&mut connection)
            .take(length.into())
            .read_to_end(&mut served)
            .await?;
        Ok(serde_json::from_slice(&served)?)
    }

    /// Reports that this process has taken over.
    pub(crate) fn serving(&self) {
        // If the old process has ended, this one serves alone.
        let _ = (&self.0).write_all(&[SERVING]);
    }
}

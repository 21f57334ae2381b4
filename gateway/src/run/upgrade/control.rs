//! The control socket: `gateway upgrade` asks the running process for an upgrade, and reads the
//! outcome.

use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};

use crate::run::upgrade::{UpgradeError, Upgrader};

/// The only request.
const UPGRADE: &str = "upgrade\n";

/// The start of the answer to a request that succeeded. The process ID follows. Any other answer is
/// an error.
const UPGRADED: &str = "upgraded ";

/// The delay after a failed `accept`.
const BACKOFF: Duration = Duration::from_millis(100);

/// Why `gateway upgrade` failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ControlError {
    #[error("no gateway with this configuration is running: {path}: {source}", path = path.display())]
    NotRunning { path: PathBuf, source: io::Error },
    #[error("lost the connection to the gateway: {0}")]
    Connection(#[from] io::Error),
    #[error("{0}")]
    Refused(String),
}

/// Asks the gateway with this control socket for an upgrade. Returns the ID of the new process.
pub(crate) fn request_upgrade(path: &Path) -> Result<String, ControlError> {
    let mut connection = StdUnixStream::connect(path).map_err(|source| ControlError::NotRunning {
        path: path.to_owned(),
        source,
    })?;
    connection.write_all(UPGRADE.as_bytes())?;
    connection.shutdown(Shutdown::Write)?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    match answer.strip_prefix(UPGRADED) {
        Some(pid) => Ok(pid.to_owned()),
        None if answer.is_empty() => Err(ControlError::Connection(io::ErrorKind::UnexpectedEof.into())),
        None => Err(ControlError::Refused(answer)),
    }
}

/// Opens the control socket at `path`. With `replaces`, another process has it, and this one
/// replaces that. Without the socket the gateway serves, but only SIGUSR2 upgrades it.
pub(in crate::run) async fn open(path: &Path, replaces: bool) -> Option<UnixListener> {
    // A socket that a process left behind refuses connections.
    let opened = if !replaces && UnixStream::connect(path).await.is_ok() {
        Err(io::Error::other(
            "another gateway has it: set `listen.control_socket`",
        ))
    } else {
        listen(path)
    };
    opened
        .inspect_err(|error| {
            tracing::warn!(event = "control_socket_failed", path = %path.display(), error = %error);
        })
        .ok()
}

/// Serves the control socket.
pub(in crate::run) async fn serve(listener: Option<UnixListener>, upgrader: Arc<Upgrader>) {
    let Some(listener) = listener else { return };
    loop {
        match listener.accept().await {
            Ok((connection, _)) if is_permitted(&connection) => {
                tokio::spawn(answer(connection, Arc::clone(&upgrader)));
            }
            Ok(_) => {}
            Err(_) => tokio::time::sleep(BACKOFF).await,
        }
    }
}

/// Opens the socket under another name first, so that `path` always leads to a process that
/// listens.
fn listen(path: &Path) -> io::Result<UnixListener> {
    let mut new_path = path.to_owned().into_os_string();
    new_path.push(format!(".{}", std::process::id()));
    // Left behind by a process that had the same ID and crashed.
    let _ = std::fs::remove_file(&new_path);
    let listener = UnixListener::bind(&new_path)?;
    std::fs::rename(&new_path, path)?;
    Ok(listener)
}

/// Whether the peer is the gateway's user or root.
fn is_permitted(connection: &UnixStream) -> bool {
    let own = rustix::process::geteuid().as_raw();
    connection
        .peer_cred()
        .is_ok_and(|peer| peer.uid() == own || peer.uid() == 0)
}

/// Answers the request of a connection.
async fn answer(mut connection: UnixStream, upgrader: Arc<Upgrader>) {
    let mut request = String::new();
    let length = UPGRADE.len() as u64;
    let read = (&mut connection).take(length).read_to_string(&mut request).await;
    if read.is_err() || request != UPGRADE {
        return;
    }
    let outcome: Result<u32, UpgradeError> = upgrader.upgrade().await;
    let answer = match &outcome {
        Ok(pid) => format!("{UPGRADED}{pid}"),
        Err(error) => error.to_string(),
    };
    // A client that has left changes nothing.
    let _ = connection.write_all(answer.as_bytes()).await;
    if outcome.is_ok() {
        upgrader.drain();
    }
}

//! What the gateway and a render worker say to each other, over the worker's standard input and output.
//!
//! Each message is a frame: its length as four bytes, little-endian, then that many bytes of JSON. The gateway speaks
//! first; every order is answered by one report, in order, and a report of a page by a frame with the page besides.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most bytes of a frame: more than any release's server modules may have, and more than a document ever has.
pub(crate) const MAX_FRAME: u32 = 64 * 1024 * 1024;

/// What the gateway wants of a worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "camelCase")]
pub(crate) enum Order {
    /// Take these modules in, so that renders can name them.
    Load(Modules),
    /// Render a page with modules that were loaded.
    Render(Job),
}

/// The server modules of one release.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Modules {
    /// The release: `name@version`.
    pub(crate) release: String,
    /// Source text by specifier.
    pub(crate) sources: Vec<(String, String)>,
}

/// One page to be rendered.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    /// The release of the shell.
    pub(crate) shell: String,
    /// The release of the section; none for the shell's own not-found page.
    pub(crate) section: Option<String>,
    /// What the shell's `render` is called with.
    pub(crate) request: Value,
    /// The CPU time it may take, in milliseconds.
    pub(crate) cpu_ms: u64,
    /// The memory it may take on top of what its modules take, in bytes.
    pub(crate) memory: usize,
}

/// How an order was carried out.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "camelCase")]
pub(crate) enum Report {
    /// The worker is there, and whether it gave up its system calls.
    Started { is_confined: bool },
    /// The worker has the modules now.
    Loaded,
    /// It succeeded; what `render` returned is a frame of its own, as the JSON it is.
    Rendered { cpu_us: u64 },
    /// It failed.
    Failed { cause: Cause, message: String },
}

/// Why a render failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Cause {
    /// The section or the shell threw, or never came to an end of its promises.
    Threw,
    /// It used more CPU time than it may.
    Time,
    /// It used more memory than it may.
    Memory,
    /// The worker died.
    Crashed,
    /// The worker said nothing for so long that it was killed, though it had CPU time left.
    Silent,
    /// Too many renders were waiting, or it waited for too long.
    Busy,
    /// Too many renders of one client were waiting.
    ClientBusy,
    /// It was not there in time for whoever asked; it is kept when it is.
    Late,
    /// The modules could not be read from the store.
    Store,
    /// The section failed too often lately and is left alone.
    Resting,
}

impl Cause {
    /// Whether it says anything about what was to be rendered.
    pub(super) fn is_own(self) -> bool {
        !matches!(
            self,
            Self::Silent | Self::Busy | Self::ClientBusy | Self::Late | Self::Store | Self::Resting
        )
    }

    /// What it is called in the log and in metrics.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Threw => "threw",
            Self::Time => "time",
            Self::Memory => "memory",
            Self::Crashed => "crashed",
            Self::Silent => "silent",
            Self::Busy => "busy",
            Self::ClientBusy => "client_busy",
            Self::Late => "late",
            Self::Store => "store",
            Self::Resting => "resting",
        }
    }
}

/// Writes a frame.
pub(super) fn write(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = frame(message)?;
    to.write_all(&bytes)?;
    to.flush()
}

/// Writes a frame of bytes as they are.
pub(super) fn write_raw(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| too_long())?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(bytes)?;
    to.flush()
}

/// A message as a frame.
pub(super) fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = u32::try_from(bytes.len() - 4)
        .ok()
        .filter(|length| *length <= MAX_FRAME)
        .ok_or_else(too_long)?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// Reads a frame; `None` when the other side is done.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_FRAME {
        return Err(too_long());
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    Ok(Some(serde_json::from_slice(&bytes)?))
}

/// A frame is longer than it may be.
pub(super) fn too_long() -> io::Error {
    io::Error::other(format!("a frame has more than {MAX_FRAME} bytes"))
}

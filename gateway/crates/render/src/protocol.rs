//! The protocol between the gateway and a render worker, over the worker's standard input and
//! output.
//!
//! A frame is a length in bytes (`u32`, little-endian) and that many bytes of JSON. The worker
//! starts with
//! [`WorkerResponse::Started`]. From then on it sends one response per request, in order. A
//! [`WorkerResponse::Rendered`] is followed by a second frame with the page. A worker whose job goes on
//! beyond its budget exits instead, with the code [`OVERDUE`].

use std::io::{self, Read, Write};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use colonnade_model::release::ServerModules;

use crate::why::Failure;

/// The maximum length of a frame in bytes. Server modules of a release and rendered pages are
/// always smaller.
pub(crate) const MAX_FRAME: u32 = 64 * 1024 * 1024;

/// The exit code of a worker whose job goes on beyond its budget.
pub(crate) const OVERDUE: i32 = 3;

/// A request to a worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum WorkerRequest {
    /// Load these modules, so that renders can refer to them.
    Load(Arc<ServerModules>),
    /// Render a page or an extension with loaded modules.
    Render(JobMessage),
    /// Respond.
    Ping,
}

/// A job for a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct JobMessage {
    /// The ID of the shell's release.
    pub shell: String,
    /// The ID of the section's release; `None` for the shell's not-found page.
    pub section: Option<String>,
    /// The argument of the shell's `render` function, as JSON. A string, so that the results in it
    /// stay byte for byte.
    pub argument: String,
    /// The limit of its CPU time, in microseconds.
    pub cpu_limit_us: u64,
    /// Whether this is a budget: the worker ends soon after it is used up.
    pub has_budget: bool,
    /// The limit of its memory, in addition to that of the loaded shell, in bytes.
    pub memory_limit: usize,
    /// The most bytes that `render` may return, as JSON.
    pub max_bytes: usize,
}

/// A worker's response.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum WorkerResponse {
    /// The worker is ready. `is_sandboxed`: its seccomp filter is installed.
    Started { is_sandboxed: bool },
    /// The modules are loaded.
    Loaded,
    /// The worker responds.
    Pong,
    /// The render succeeded. The next frame is the return value of `render`, as JSON.
    Rendered { cpu_us: u64 },
    /// The render failed.
    Failed(Failure),
}

/// Writes a message as a frame.
pub(super) fn write_message(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = encode(message)?;
    to.write_all(&bytes)?;
    to.flush()
}

/// Writes a frame with this content.
pub(super) fn write_frame(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| frame_too_long())?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(bytes)?;
    to.flush()
}

/// A message as a frame.
///
/// # Errors
/// If it is longer than `MAX_FRAME`.
pub(super) fn encode(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = u32::try_from(bytes.len() - 4)
        .ok()
        .filter(|length| *length <= MAX_FRAME)
        .ok_or_else(frame_too_long)?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// Reads a message; `None` at the end of the stream.
pub(super) fn read_message<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_FRAME {
        return Err(frame_too_long());
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    Ok(Some(serde_json::from_slice(&bytes)?))
}

/// The error of a frame that is longer than `MAX_FRAME`.
pub(super) fn frame_too_long() -> io::Error {
    io::Error::other(format!("a frame exceeds {MAX_FRAME} bytes"))
}

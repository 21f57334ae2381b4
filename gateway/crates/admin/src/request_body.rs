//! Reading request bodies, in memory or to a temporary file, within a size limit and a timeout.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http_body::Body as _;
use tempfile::TempDir;
use tokio::time::Instant;

use colonnade_web::body::{ReadBodyError, RequestBody, next_chunk, read_to_end};
use colonnade_web::request_scope;

use crate::AdminError;

/// The timeout for a body in memory.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// The bytes per second of an upload. It holds a place that others may wait for.
const MIN_UPLOAD_RATE: u32 = 64 * 1024;

/// A body in a temporary file. Dropping it deletes the file.
pub(super) struct Upload {
    /// The whole body, positioned at its start.
    pub(super) file: File,
    _folder: TempDir,
}

/// Reads a body of at most `limit` bytes into memory.
pub(super) async fn read(body: RequestBody, limit: usize) -> Result<Vec<u8>, AdminError> {
    read_to_end(body, limit, READ_TIMEOUT)
        .await
        .map_err(|error| read_error(error, limit as u64))
}

/// Writes a body of at most `limit` bytes to a file in `folder`. The client must send
/// [`MIN_UPLOAD_RATE`] bytes per second, and may fall behind by `max_lag`. Only the time that the
/// gateway waits for it counts.
pub(super) async fn save(
    mut body: RequestBody,
    limit: u64,
    max_lag: Duration,
    folder: TempDir,
) -> Result<Upload, AdminError> {
    let check_size = |size| {
        if size > limit {
            Err(AdminError::TooLarge(limit))
        } else {
            Ok(())
        }
    };
    check_size(body.size_hint().lower())?;
    let path = folder.path().join("upload");
    let mut file = File::create_new(path).map_err(AdminError::Upload)?;
    let (mut size, mut patience) = (0, max_lag);
    loop {
        let waits_since = Instant::now();
        let chunk = next_chunk(Pin::new(&mut body), waits_since + patience).await;
        let Some(data) = chunk.map_err(|error| read_error(error, limit))? else {
            break;
        };
        let earned = Duration::from_secs(data.len() as u64) / MIN_UPLOAD_RATE;
        patience = (patience + earned)
            .saturating_sub(waits_since.elapsed())
            .min(max_lag);
        size += data.len() as u64;
        check_size(size)?;
        file = write(file, data).await?;
    }
    file.seek(SeekFrom::Start(0)).map_err(AdminError::Upload)?;
    Ok(Upload {
        file,
        _folder: folder,
    })
}

fn read_error(error: ReadBodyError, limit: u64) -> AdminError {
    match error {
        ReadBodyError::TooLarge => AdminError::TooLarge(limit),
        ReadBodyError::TimedOut => AdminError::Timeout,
        ReadBodyError::Broken(error) => AdminError::Body(error.to_string()),
    }
}

async fn write(mut file: File, data: Bytes) -> Result<File, AdminError> {
    let task = request_scope::spawn_blocking(move || file.write_all(&data).map(|()| file));
    let written = task
        .await
        .map_err(|_| AdminError::Upload(io::ErrorKind::Interrupted.into()))?;
    written.map_err(AdminError::Upload)
}

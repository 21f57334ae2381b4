//! Reading request bodies, in memory or to a temporary file, within a size limit and a timeout.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http_body::Body as _;
use tempfile::TempDir;
use tokio::time::Instant;

use colonnade_web::body::{ReadBodyError, ReadTimeout, RequestBody, next_chunk, read_to_end};
use colonnade_web::request_scope;

use super::AdminError;

/// The timeout for each part of a body.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// A body in a temporary file. Dropping it deletes the file.
pub(super) struct Upload {
    /// The whole body, positioned at its start.
    pub(super) file: File,
    _folder: TempDir,
}

/// Reads a body of at most `limit` bytes into memory.
pub(super) async fn read(body: RequestBody, limit: usize) -> Result<Vec<u8>, AdminError> {
    read_to_end(body, limit, ReadTimeout::PerChunk(READ_TIMEOUT))
        .await
        .map_err(|error| read_error(error, limit as u64))
}

/// Writes a body of at most `limit` bytes to a file in `folder`.
pub(super) async fn save(mut body: RequestBody, limit: u64, folder: TempDir) -> Result<Upload, AdminError> {
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
    let mut size = 0;
    loop {
        let chunk = next_chunk(Pin::new(&mut body), Instant::now() + READ_TIMEOUT).await;
        let Some(data) = chunk.map_err(|error| read_error(error, limit))? else {
            break;
        };
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

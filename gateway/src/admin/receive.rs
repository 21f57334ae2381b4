//! Receiving the bodies of operators' requests: within limits, and never waiting for ever.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::time::Duration;

use bytes::Bytes;
use http_body::Body as _;
use http_body_util::BodyExt as _;
use tempfile::TempDir;

use super::AdminError;
use crate::net::RequestBody;

/// How long the next part of a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(30);

/// A body written to a file, which goes with its folder.
pub(super) struct Upload {
    /// The body, whole.
    pub(super) file: File,
    _folder: TempDir,
}

/// Receives a body in memory.
pub(super) async fn text(mut body: RequestBody, limit: usize) -> Result<Vec<u8>, AdminError> {
    let mut text = Vec::new();
    while let Some(data) = next(&mut body).await? {
        text.extend_from_slice(&data);
        if text.len() > limit {
            return Err(AdminError::TooLarge(limit as u64));
        }
    }
    Ok(text)
}

/// Receives a body in a file of this folder.
pub(super) async fn file(mut body: RequestBody, limit: u64, folder: TempDir) -> Result<Upload, AdminError> {
    let too_large = |size| {
        if size > limit {
            Err(AdminError::TooLarge(limit))
        } else {
            Ok(())
        }
    };
    too_large(body.size_hint().lower())?;
    let path = folder.path().join("upload");
    let mut file = File::create_new(path).map_err(AdminError::Upload)?;
    let mut size = 0;
    while let Some(data) = next(&mut body).await? {
        size += data.len() as u64;
        too_large(size)?;
        file = write(file, data).await?;
    }
    file.seek(SeekFrom::Start(0)).map_err(AdminError::Upload)?;
    Ok(Upload {
        file,
        _folder: folder,
    })
}

async fn next(body: &mut RequestBody) -> Result<Option<Bytes>, AdminError> {
    loop {
        let frame = tokio::time::timeout(PATIENCE, body.frame())
            .await
            .map_err(|_| AdminError::Stalled)?;
        let Some(frame) = frame else {
            return Ok(None);
        };
        let frame = frame.map_err(|error| AdminError::Body(error.to_string()))?;
        // What is no data is trailers, which say nothing here.
        if let Ok(data) = frame.into_data() {
            return Ok(Some(data));
        }
    }
}

async fn write(mut file: File, data: Bytes) -> Result<File, AdminError> {
    let task = tokio::task::spawn_blocking(move || file.write_all(&data).map(|()| file));
    let written = task
        .await
        .map_err(|_| AdminError::Upload(std::io::ErrorKind::Interrupted.into()))?;
    written.map_err(AdminError::Upload)
}

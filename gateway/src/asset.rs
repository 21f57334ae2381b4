//! Assets: the public files of releases, from each release's own file list, so what is not listed is not there.

use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderValue};

use crate::deployment::Snapshot;
use crate::negotiate::coding;
use crate::reply::{IMMUTABLE, Reply, Representation, represent};
use crate::rescue::Error;
use crate::store::Store;

/// Answers with a file. `segments` are those of the path behind `/assets/`.
pub(crate) async fn answer(
    store: &dyn Store,
    snapshot: &Snapshot,
    segments: &[String],
    request: &HeaderMap,
) -> Result<Reply, Error> {
    let [name, version, file @ ..] = segments else {
        return Err(Error::NotFound);
    };
    let release = snapshot.release(name, version).ok_or(Error::NotFound)?;
    let path = file.join("/");
    let file = release.files.get(&path).ok_or(Error::NotFound)?;
    let wanted = coding(request, &file.codings);
    let path = format!("client/{path}");
    let Some(bytes) = store.file(&release.id, &path, wanted).await? else {
        tracing::error!(event = "file_lost", release = %release.id, file = %path, coding = %wanted);
        return Err(Error::NotFound);
    };
    let representation = Representation {
        coding: wanted,
        etag: HeaderValue::try_from(file.etag(wanted)).expect("base64 may stand in a header"),
        bytes,
    };
    let headers = HeaderMap::from_iter([(CACHE_CONTROL, IMMUTABLE)]);
    Ok(represent(request, &file.media_type, headers, representation))
}

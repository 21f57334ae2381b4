//! Assets: the public files of releases, from each release's own file list, so what is not listed is not there.

use http::header::CACHE_CONTROL;
use http::{HeaderMap, HeaderValue};

use crate::deployment::{Served, Snapshot};
use crate::negotiate::coding;
use crate::preview::Preview;
use crate::reply::{IMMUTABLE, Reply, Representation, represent};
use crate::rescue::Error;
use crate::store::Store;

/// Nobody but the browser of a preview sees it, and that only while the preview lasts.
const PREVIEWED: HeaderValue = HeaderValue::from_static("private, no-store");

/// The release of a file, if the sender of these headers may have it, and who may keep it. What only previews show is
/// for those who see such a preview.
pub(crate) fn release<'a>(
    snapshot: &'a Snapshot,
    segments: &[String],
    request: &HeaderMap,
) -> Option<(&'a Served, HeaderValue)> {
    let [name, version, ..] = segments else {
        return None;
    };
    let release = snapshot.release(name, version)?;
    if snapshot.is_public(&release.id) {
        return Some((release, IMMUTABLE));
    }
    let set = Preview::of(snapshot, request).set()?;
    let is_shown = set.deployment.releases.get(name) == Some(version);
    is_shown.then_some((release, PREVIEWED))
}

/// Answers with a file. `segments` are those of the path behind `/assets/`.
pub(crate) async fn answer(
    store: &dyn Store,
    snapshot: &Snapshot,
    segments: &[String],
    request: &HeaderMap,
) -> Result<Reply, Error> {
    let (release, cache_control) = release(snapshot, segments, request).ok_or(Error::NotFound)?;
    let path = segments[2..].join("/");
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
    let headers = HeaderMap::from_iter([(CACHE_CONTROL, cache_control)]);
    Ok(represent(request, &file.media_type, headers, representation))
}

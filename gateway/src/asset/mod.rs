//! Assets: the public files of releases, from each release's own file list, so what is not listed is not there.
//!
//! No `Access-Control-Allow-Origin` is sent: this site loads its own files, for which `crossorigin=anonymous` needs none,
//! and no other site is to read them.

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz;
mod hot;
mod ranges;
mod send;

use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use crate::config;
use crate::deployment::{Served, Snapshot};
use crate::negotiate::coding;
use crate::preview::Preview;
use crate::reply::{IMMUTABLE, Reply};
use crate::rescue::Error;
use crate::store::Store;
use hot::Hot;
use send::{Asked, send};

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
    let (release, is_public) = snapshot.release(name, version)?;
    if is_public {
        return Some((release, IMMUTABLE));
    }
    let set = Preview::of(snapshot, request).set()?;
    let is_shown = set.deployment.releases.get(name) == Some(version);
    is_shown.then_some((release, PREVIEWED))
}

/// Answers with files, and keeps those that are asked for.
pub(crate) struct Assets {
    hot: Hot,
}

impl Assets {
    /// With a cache as it is configured.
    pub(crate) fn new(config: config::Assets) -> Self {
        Self {
            hot: Hot::new(config.cache),
        }
    }

    /// Answers with a file. `segments` are those of the path behind `/assets/`.
    pub(crate) async fn answer(
        &self,
        store: &dyn Store,
        snapshot: &Snapshot,
        segments: &[String],
        request: &Parts,
    ) -> Result<Reply, Error> {
        let Parts { method, headers, .. } = request;
        let (release, cache_control) = release(snapshot, segments, headers).ok_or(Error::NotFound)?;
        let path = segments[2..].join("/");
        let file = release.files.get(&path).ok_or(Error::NotFound)?;
        let wanted = coding(headers, &file.codings);
        let read = self.hot.get(store, release, &path, file, wanted).await;
        let Some(form) = read.map_err(Error::File)? else {
            tracing::error!(event = "file_lost", release = %release.id, file = %path, coding = %wanted);
            return Err(Error::NotFound);
        };
        let asked = Asked {
            method,
            headers,
            media_type: &file.media_type,
            published: &release.published,
            cache_control,
        };
        Ok(send(asked, &form))
    }
}

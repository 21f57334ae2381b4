//! Assets: the public files of releases. Only files in a release's file list are served.
//!
//! No `Access-Control-Allow-Origin` is sent: the site loads its own files, for which
//! `crossorigin=anonymous` does not need it, and other sites may not read them.

mod file_cache;
mod file_response;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod range;

use http::HeaderValue;
use http::header::CACHE_CONTROL;

use colonnade_config::AssetSettings;
use colonnade_platform::deployment::Snapshot;
use colonnade_platform::preview::Preview;
use colonnade_store::Store;
use colonnade_store::loaded::LoadedRelease;
use colonnade_web::content_negotiation::preferred_coding;
use colonnade_web::cookie::Cookies;
use colonnade_web::problem::HttpError;
use colonnade_web::response::{Response, ServedBy};

use crate::call::Call;
use crate::content_security_policy::worker_policy;
use crate::error::SiteError;
use file_cache::FileCache;
use file_response::{FileRequest, file_response};

/// The `Cache-Control` of files that only a preview shows: they must not outlive the preview.
const PREVIEW_CACHE_CONTROL: HeaderValue = HeaderValue::from_static("private, no-store");

/// Serves files, and caches them in memory.
pub(crate) struct Assets {
    cache: FileCache,
}

impl Assets {
    /// A server of assets with a cache of the configured size.
    pub(crate) fn new(settings: AssetSettings) -> Self {
        Self {
            cache: FileCache::new(settings.cache_bytes, worker_policy(settings)),
        }
    }

    /// Halves the cache while memory is short.
    pub(crate) fn shrink_cache(&self) {
        self.cache.shrink();
    }

    /// Responds with a file. The parameter of the call is the decoded path after `/assets/`.
    pub(crate) async fn respond(&self, store: &Store, call: Call<'_>) -> Result<Response, SiteError> {
        let Call {
            snapshot,
            parameter: path,
            cookies,
            head,
            ..
        } = call;
        let (release, path, is_public) =
            find(snapshot, path, cookies).ok_or_else(|| not_found(snapshot, path))?;
        let file = release.files.get(path).ok_or(HttpError::NotFound)?;
        let coding = preferred_coding(&head.headers, &file.codings);
        let prepared = self.cache.get(store, release, file, coding).await;
        let prepared = prepared.map_err(|cause| SiteError::Store {
            section: release.id.name.clone(),
            cause,
        });
        let Some(prepared) = prepared? else {
            tracing::error!(event = "asset_missing", release = %release.id, file = %path, coding = %coding);
            return Err(HttpError::NotFound.into());
        };
        let request = FileRequest {
            method: &head.method,
            headers: &head.headers,
            published_at: &release.published_at,
        };
        let mut response = file_response(&request, &prepared);
        if !is_public && !response.status().is_client_error() {
            response
                .headers_mut()
                .insert(CACHE_CONTROL, PREVIEW_CACHE_CONTROL);
        }
        ServedBy::of(&mut response).section = Some(release.id.name.clone());
        Ok(response)
    }
}

/// The error for a path without a release.
fn not_found(snapshot: &Snapshot, path: &str) -> SiteError {
    let mut segments = path.split('/');
    match segments.next().zip(segments.next()) {
        Some((name, version)) if snapshot.is_unavailable(name, version) => SiteError::SectionUnavailable {
            deployment: None,
            section: Some(name.to_owned()),
        },
        _ => HttpError::NotFound.into(),
    }
}

/// The release that a path names, the path of the file in it, and whether every visitor may load
/// it. Releases that only a preview shows are visible only with a cookie of that preview.
fn find<'a, 'p>(
    snapshot: &'a Snapshot,
    path: &'p str,
    cookies: Cookies<'_>,
) -> Option<(&'a LoadedRelease, &'p str, bool)> {
    let (name, rest) = path.split_once('/')?;
    let (version, path) = rest.split_once('/')?;
    let (release, is_public) = snapshot.release(name, version)?;
    if is_public {
        return Some((release, path, true));
    }
    let preview = Preview::from_cookies(snapshot, cookies);
    let shown_version = preview.deployment()?.deployment.releases.get(name)?;
    (shown_version == version).then_some((release, path, false))
}

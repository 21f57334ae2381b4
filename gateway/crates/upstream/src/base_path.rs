//! Paths that an upstream names below its base URLs, as paths of the site: `/v1/2` becomes
//! `/api/events/2`.
//!
//! An upstream that ignores `X-Forwarded-Prefix` names its own paths in redirects and cookies.
//! Below a base URL without a path nothing tells them from the site's paths, so only full URLs are
//! rewritten there.

use colonnade_config::Upstream;
use colonnade_model::pattern::RequestPath;
use url::Url;

/// The path of the site for a path that may be one of the upstream; `None` if it is a path of the
/// site already.
pub(crate) fn site_path(path: &str, upstream: &Upstream) -> Option<String> {
    if below(path, &upstream.path).is_some() {
        return None;
    }
    let has_path = |base: &&Url| base.path() != "/";
    join(path, upstream, upstream.urls.iter().filter(has_path))
}

/// The path of the site for a full URL; `None` if it is not below a base URL.
pub(crate) fn site_path_of_url(url: &Url, upstream: &Upstream) -> Option<String> {
    let is_same = |base: &&Url| base.origin() == url.origin();
    join(url.path(), upstream, upstream.urls.iter().filter(is_same))
}

/// Replaces the longest of the base paths that a path is below.
fn join<'a>(path: &str, upstream: &Upstream, bases: impl Iterator<Item = &'a Url>) -> Option<String> {
    let suffixes = bases.filter_map(|base| below(path, base.path().trim_end_matches('/')));
    let suffix = suffixes.min_by_key(|suffix| suffix.len())?;
    Some([&upstream.path, suffix].concat())
}

/// The decoded segments of the path of an upstream.
pub(crate) fn prefix_segments(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(str::to_owned).collect()
}

/// Whether a path is below these segments, however it is encoded.
pub(crate) fn has_prefix(path: &RequestPath, prefix: &[String]) -> bool {
    let mut segments = path.segments();
    prefix.iter().all(|part| segments.next() == Some(part))
}

/// What follows a folder in the path of something in it, or of the folder itself.
pub(crate) fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

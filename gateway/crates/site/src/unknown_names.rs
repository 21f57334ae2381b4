//! Requests that name what another gateway may have deployed since this one last read the store.
//!
//! A document comes from one gateway, and its assets and page data from any. Deployments and
//! releases never change, so a gateway that knows them answers at once.

use colonnade_model::deployment::SetName;
use colonnade_model::pattern::RequestPath;
use colonnade_model::release::{is_name, is_version};
use colonnade_platform::deployment::Snapshot;
use colonnade_platform::preview::{self, Preview, may_become_valid};
use colonnade_web::cookie::Cookies;

/// Whether a path names a release, a deployment or a preview that the snapshot does not have, but
/// the store may have.
pub(crate) fn has_unknown_name(snapshot: &Snapshot, path: &RequestPath, cookies: Cookies<'_>) -> bool {
    let mut segments = path.segments();
    let first = segments.next();
    match (first, segments.next(), segments.next(), segments.next()) {
        (Some("assets"), Some(name), Some(version), Some(_)) => {
            is_unknown_release(snapshot, name, version, cookies) && is_name(name) && is_version(version)
        }
        (Some("_page" | "_remotes"), Some(name), None, _) => name
            .parse::<SetName>()
            .is_ok_and(|set| snapshot.may_offer_elsewhere(&set)),
        (Some("_preview"), Some(token), None, _) => may_become_valid(snapshot, token),
        _ => false,
    }
}

/// Whether the preview cookie is not valid in the snapshot, but may be.
pub(crate) fn has_unknown_preview(snapshot: &Snapshot, cookies: Cookies<'_>) -> bool {
    let token = cookies.get(preview::COOKIE);
    token.is_some_and(|token| may_become_valid(snapshot, token))
}

fn is_unknown_release(snapshot: &Snapshot, name: &str, version: &str, cookies: Cookies<'_>) -> bool {
    match snapshot.release(name, version) {
        Some((_, true)) => false,
        // Only previews show it, unless another gateway has deployed it since.
        Some((_, false)) => Preview::from_cookies(snapshot, cookies).deployment().is_none(),
        None => !snapshot.is_unavailable(name, version),
    }
}

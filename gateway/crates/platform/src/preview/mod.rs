//! Previews: a signed link shows a deployment that is not live.
//!
//! The link contains a signed token, which becomes a cookie. The token names a stored deployment,
//! never a URL to load code from.

#[cfg(any(test, feature = "testing"))]
pub mod fuzz;
mod token;

pub use colonnade_model::rotating_keys::{KeyPurpose, MAX_PREVIEW_LIFETIME, RotatingKeys};

use std::sync::Arc;

use jiff::Timestamp;

use crate::deployment::Snapshot;
use colonnade_model::deployment::SetName;
use colonnade_model::pattern::RequestPath;
use colonnade_store::loaded::LoadedDeployment;
use colonnade_web::cookie::Cookies;
pub use token::PreviewClaims;

/// The most characters of a link's path: the token must fit into a URL and a cookie.
const MAX_PATH: usize = 512;

/// The path prefix of preview links; the token follows.
pub const PATH: &str = "/_preview/";

/// The cookie that contains a preview token.
pub const COOKIE: &str = "colonnade-preview";

/// The state of a request's preview cookie.
#[derive(Debug)]
pub enum Preview {
    /// There is no cookie.
    None,
    /// The token is forged, altered or expired, or its deployment was deleted.
    Ended,
    /// The token is valid and shows this deployment.
    Active(Arc<LoadedDeployment>),
}

impl Preview {
    /// Reads the cookie of a request.
    pub fn from_cookies(snapshot: &Snapshot, cookies: Cookies<'_>) -> Self {
        let Some(token) = cookies.get(COOKIE) else {
            return Self::None;
        };
        match verify_token(snapshot, token) {
            Some((_, loaded)) => Self::Active(loaded),
            None => Self::Ended,
        }
    }

    /// The previewed deployment, if the token is valid.
    pub fn deployment(&self) -> Option<&Arc<LoadedDeployment>> {
        match self {
            Self::Active(loaded) => Some(loaded),
            Self::None | Self::Ended => None,
        }
    }
}

/// Whether a request may access a set: visitors get it or got it before, or the preview cookie
/// names its deployment.
pub fn is_visible(snapshot: &Snapshot, cookies: Cookies<'_>, set: &SetName) -> bool {
    let has_offered = snapshot
        .state()
        .is_some_and(|state| state.visible.has_offered(set));
    has_offered
        || Preview::from_cookies(snapshot, cookies)
            .deployment()
            .is_some_and(|seen| seen.set == *set)
}

/// Signs the token of a preview; `None` if no key is valid for signing.
pub fn sign_token(keys: &RotatingKeys, deployment: u64, path: String, expires: Timestamp) -> Option<String> {
    let claims = PreviewClaims {
        deployment,
        expires: expires.as_second(),
        path,
    };
    claims.sign(keys.active(KeyPurpose::Previews, colonnade_clock::now())?)
}

/// Whether a path is valid for a link: an unreserved path of this site that cannot redirect to
/// another host.
pub fn is_valid_path(path: &str) -> bool {
    path.len() <= MAX_PATH
        && RequestPath::parse(path).is_ok_and(|parsed| !parsed.has_empty_segment() && !parsed.is_reserved())
}

/// Whether a token that is not valid in a snapshot can be in a later one: its key or its deployment
/// is not known yet.
pub fn may_become_valid(snapshot: &Snapshot, token: &str) -> bool {
    let keys = snapshot.preview_keys();
    let is_key_known = token
        .split_once('.')
        .is_some_and(|(id, _)| keys.get(id).is_some());
    if !is_key_known {
        return PreviewClaims::has_format(token);
    }
    PreviewClaims::verify(token, keys, colonnade_clock::now())
        .is_some_and(|claims| claims.deployment > snapshot.newest())
}

/// The claims of a valid token, and its deployment.
pub fn verify_token(snapshot: &Snapshot, token: &str) -> Option<(PreviewClaims, Arc<LoadedDeployment>)> {
    let claims = PreviewClaims::verify(token, snapshot.preview_keys(), colonnade_clock::now())?;
    let loaded = snapshot.set(&SetName::of_live(claims.deployment))?;
    Some((claims, loaded))
}

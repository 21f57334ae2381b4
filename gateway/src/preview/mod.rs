//! Previews: a deployment that is not live, for whoever has a link.
//!
//! The link carries a signed token, which becomes a cookie. It names a deployment of the store and nothing else:
//! never an address that code could be loaded from.

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzz;
mod keys;
mod token;

pub(crate) use keys::Keys;

use std::sync::Arc;

use http::header::REFERRER_POLICY;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use jiff::{SignedDuration, Timestamp};

use crate::clock;
use crate::cookie;
use crate::deployment::{Set, Snapshot};
use crate::pattern::RequestPath;
use crate::reply::{Reply, redirect};
use crate::rescue::Error;
use token::Pass;

/// The longest a preview may last.
pub(crate) const MAX_LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The most characters of the path a link leads to: a token has to fit into an address and a cookie.
const MAX_PATH: usize = 512;

/// The path whose only parameter is a token.
pub(crate) const PATH: &str = "/_preview/";

/// Tells search engines to leave alone what a preview shows.
pub(crate) const ROBOTS: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-robots-tag"),
    HeaderValue::from_static("noindex, nofollow"),
);

const COOKIE: &str = "colonnade-preview";

/// What a request's preview cookie comes to.
#[derive(Debug)]
pub(crate) enum Preview<'a> {
    /// There is none.
    None,
    /// It is forged, altered or over, or what it shows is not kept any more.
    Over,
    /// It shows this deployment.
    Of(&'a Arc<Set>),
}

impl<'a> Preview<'a> {
    /// Reads the cookie of a request.
    pub(crate) fn of(snapshot: &'a Snapshot, headers: &HeaderMap) -> Self {
        let Some(token) = cookie::get(headers, COOKIE) else {
            return Self::None;
        };
        match verified(snapshot, token) {
            Some((_, set)) => Self::Of(set),
            None => Self::Over,
        }
    }

    /// The deployment it shows.
    pub(crate) fn set(&self) -> Option<&'a Arc<Set>> {
        match self {
            Self::Of(set) => Some(set),
            Self::None | Self::Over => None,
        }
    }
}

/// Whether the sender of these headers may be told of a deployment: everybody may, unless it was made for a preview.
pub(crate) fn may_see(snapshot: &Snapshot, headers: &HeaderMap, set: &Set) -> bool {
    let is_previewed = || {
        Preview::of(snapshot, headers)
            .set()
            .is_some_and(|seen| seen.number() == set.number())
    };
    !set.deployment.preview || is_previewed()
}

/// Whether a token may be of a preview that is younger than this view of the store.
pub(crate) fn is_news(snapshot: &Snapshot, token: &str) -> bool {
    let keys = snapshot.preview_keys();
    match Pass::verify(token, keys, clock::now()) {
        Some(pass) => snapshot.is_before(pass.deployment),
        None => Pass::key(token).is_some_and(|id| keys.get(id).is_none()),
    }
}

/// The same of a request's preview cookie, if it has one.
pub(crate) fn has_news(snapshot: &Snapshot, headers: &HeaderMap) -> bool {
    cookie::get(headers, COOKIE).is_some_and(|token| is_news(snapshot, token))
}

/// Signs the token of a preview; `None` if there is no key that signs now.
pub(crate) fn sign(keys: &Keys, deployment: u64, path: String, expires: Timestamp) -> Option<String> {
    let pass = Pass {
        deployment,
        expires: expires.as_second(),
        path,
    };
    pass.sign(keys.signing(clock::now())?)
}

/// Whether the keys have to be rotated before anything is signed; the keys to be kept then.
pub(crate) fn rotated(keys: &Keys) -> Option<Keys> {
    let now = clock::now();
    keys.signing(now).is_none().then(|| keys.rotated(now))
}

/// Whether a link may lead to this path: a path of this site, which cannot name another host.
pub(crate) fn is_path(path: &str) -> bool {
    path.len() <= MAX_PATH
        && RequestPath::parse(path).is_ok_and(|parsed| !parsed.has_empty_segment() && !parsed.is_reserved())
}

/// Follows a preview's link: the token becomes a cookie, and the browser goes where it leads.
pub(crate) fn enter(snapshot: &Snapshot, token: &str, secure: bool) -> Result<Reply, Error> {
    let (pass, _) = verified(snapshot, token).ok_or(Error::PreviewOver)?;
    let mut reply = redirect(StatusCode::SEE_OTHER, &pass.path).ok_or(Error::PreviewOver)?;
    let headers = reply.headers_mut();
    let seconds = pass.expires - clock::now().as_second();
    cookie::set(headers, COOKIE, token, seconds, secure);
    // The address of the link must not get about.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.extend([ROBOTS]);
    Ok(reply)
}

/// Ends a preview in the browser that asks.
pub(crate) fn leave(secure: bool) -> Result<Reply, Error> {
    let mut reply = redirect(StatusCode::SEE_OTHER, "/").ok_or(Error::NotFound)?;
    forget(reply.headers_mut(), secure);
    Ok(reply)
}

/// Has the browser forget its preview cookie.
pub(crate) fn forget(headers: &mut HeaderMap, secure: bool) {
    cookie::set(headers, COOKIE, "", 0, secure);
}

fn verified<'a>(snapshot: &'a Snapshot, token: &str) -> Option<(Pass, &'a Arc<Set>)> {
    let pass = Pass::verify(token, snapshot.preview_keys(), clock::now())?;
    let set = snapshot.set(pass.deployment)?;
    Some((pass, set))
}

//! Cookies between visitors and an upstream. The gateway's own cookies never reach an upstream, and
//! no upstream can set them.

use std::borrow::Cow;

use colonnade_config::Upstream;
use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};

use crate::base_path::site_path;

/// What the names of the gateway's cookies begin with, after the prefixes that browsers give a
/// meaning.
const OWN_PREFIX: &str = "colonnade-";

/// Prefixes of names (RFC 6265bis, section 4.1.3). Browsers ignore their case.
const PREFIXES: [&str; 2] = ["__host-", "__secure-"];

/// Removes the gateway's cookies from a request's.
pub(crate) fn remove_own(headers: &mut HeaderMap) {
    let fields: Vec<HeaderValue> = headers.get_all(COOKIE).iter().cloned().collect();
    headers.remove(COOKIE);
    let pairs = fields
        .iter()
        .flat_map(|field| field.as_bytes().split(|byte| *byte == b';'));
    let kept = pairs
        .map(<[u8]>::trim_ascii)
        .filter(|pair| !pair.is_empty() && !is_own(name(pair)));
    // One field: over HTTP/2 each cookie may have had its own (RFC 9113, section 8.2.3).
    let joined = kept.collect::<Vec<_>>().join(&b"; "[..]);
    if let Ok(value) = HeaderValue::from_bytes(&joined)
        && !value.is_empty()
    {
        headers.insert(COOKIE, value);
    }
}

/// Keeps the `Set-Cookie` fields that an upstream may set: cookies with a name that is not one of
/// the gateway's. A cookie without a name would be sent back as if its value were a name and a
/// value.
pub(crate) fn settable(headers: &HeaderMap) -> impl Iterator<Item = &HeaderValue> {
    headers.get_all(SET_COOKIE).iter().filter(|field| {
        let pair = field
            .as_bytes()
            .split(|byte| *byte == b';')
            .next()
            .unwrap_or_default();
        pair.contains(&b'=') && !name(pair).is_empty() && !is_own(name(pair))
    })
}

/// A `Set-Cookie` field whose `Path` is a path of the site, if the upstream has named one of its
/// own.
pub(crate) fn with_site_path(field: &HeaderValue, upstream: &Upstream) -> HeaderValue {
    let rewritten = |part: &[u8]| {
        let (name, value) = std::str::from_utf8(part).ok()?.split_once('=')?;
        let is_path = name.trim().eq_ignore_ascii_case("path");
        let path = is_path.then(|| site_path(value.trim(), upstream)).flatten()?;
        Some(format!(" Path={path}").into_bytes())
    };
    let parts = field.as_bytes().split(|byte| *byte == b';').enumerate();
    let parts: Vec<Cow<'_, [u8]>> = parts
        .map(|(index, part)| match rewritten(part) {
            // The first one is the cookie's own name and value.
            Some(path) if index > 0 => Cow::Owned(path),
            _ => Cow::Borrowed(part),
        })
        .collect();
    HeaderValue::from_bytes(&parts.join(&b';')).unwrap_or_else(|_| field.clone())
}

/// The name in a pair.
fn name(pair: &[u8]) -> &[u8] {
    pair.split(|byte| *byte == b'=')
        .next()
        .unwrap_or_default()
        .trim_ascii()
}

/// Returns whether a name is one of the gateway's cookies.
fn is_own(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let prefixes = PREFIXES
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix.as_bytes()));
    prefixes.unwrap_or(&name).starts_with(OWN_PREFIX.as_bytes())
}

#[cfg(test)]
mod tests {
    use http::header::{COOKIE, SET_COOKIE};
    use http::{HeaderMap, HeaderValue};

    use super::{remove_own, settable};

    #[test]
    fn own_cookies_are_removed_from_requests() {
        let mut headers = HeaderMap::new();
        for field in [
            "a=1; colonnade-rollout=x;b=2",
            "__Host-colonnade-preview=y",
            "c=\"3\"",
        ] {
            headers.append(COOKIE, HeaderValue::from_static(field));
        }
        remove_own(&mut headers);
        let fields: Vec<_> = headers.get_all(COOKIE).iter().collect();
        assert_eq!(fields, ["a=1; b=2; c=\"3\""]);
        headers.insert(COOKIE, HeaderValue::from_static(" colonnade-session = x"));
        remove_own(&mut headers);
        assert!(headers.is_empty());
    }

    #[test]
    fn own_and_nameless_cookies_are_not_settable() {
        let mut headers = HeaderMap::new();
        for field in [
            "a=1; Path=/",
            "colonnade-preview=x",
            "__HOST-Colonnade-preview=x; Secure",
            "__Secure-colonnade-rollout=x",
            "=colonnade-preview=x",
            "colonnade-preview",
            "; Path=/",
        ] {
            headers.append(SET_COOKIE, HeaderValue::from_static(field));
        }
        assert_eq!(settable(&headers).collect::<Vec<_>>(), ["a=1; Path=/"]);
    }
}

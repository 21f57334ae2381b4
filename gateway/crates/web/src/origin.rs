//! CSRF protection: detects cross-origin requests, which a page of another origin made the browser
//! send.

use http::header::{HOST, ORIGIN, REFERER};
use http::uri::Authority;
use http::{HeaderMap, Uri};

/// Returns whether a request comes from a page of the same origin.
///
/// `Sec-Fetch-Site` decides if present: scripts cannot forge it. Otherwise `Origin` must equal the
/// scheme of the site and the host of the request. A request without either header counts as
/// cross-origin.
pub fn is_same_origin(uri: &Uri, headers: &HeaderMap, scheme: &str) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site == "same-origin";
    }
    has_own_origin(uri, headers, scheme)
}

/// Returns whether `Origin` equals the scheme of the site and the host of the request. Browsers send
/// it with each WebSocket, and not all send `Sec-Fetch-Site`.
pub fn has_own_origin(uri: &Uri, headers: &HeaderMap, scheme: &str) -> bool {
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
    let own = own_origin(uri, headers, scheme);
    origin
        .zip(own)
        .is_some_and(|(origin, own)| origin.eq_ignore_ascii_case(&own))
}

/// Returns the raw path of the page of the same origin that `Referer` names, without its query.
pub fn referring_path(uri: &Uri, headers: &HeaderMap, scheme: &str) -> Option<String> {
    let referrer: Uri = headers.get(REFERER)?.to_str().ok()?.parse().ok()?;
    let origin = format!("{}://{}", referrer.scheme_str()?, referrer.authority()?);
    let is_own = origin.eq_ignore_ascii_case(&own_origin(uri, headers, scheme)?);
    is_own.then(|| referrer.path().to_owned())
}

/// The origin that a request is for.
fn own_origin(uri: &Uri, headers: &HeaderMap, scheme: &str) -> Option<String> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = uri.authority().map(Authority::as_str).or(host)?;
    Some(format!("{scheme}://{host}"))
}

/// Returns whether a request says which page it comes from.
pub fn is_known(headers: &HeaderMap) -> bool {
    headers.contains_key("sec-fetch-site") || headers.contains_key(ORIGIN)
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::is_same_origin;

    fn same(headers: &[(&str, &str)]) -> bool {
        let mut request = Request::post("/_report");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(()).expect("a request");
        is_same_origin(request.uri(), request.headers(), "https")
    }

    #[test]
    fn origin_must_equal_scheme_and_host() {
        let host = ("host", "site.example");
        assert!(same(&[host, ("sec-fetch-site", "same-origin")]));
        assert!(same(&[host, ("origin", "https://site.example")]));
        assert!(same(&[
            ("host", "site.example:8443"),
            ("origin", "https://site.example:8443")
        ]));
        assert!(!same(&[host]));
        assert!(!same(&[host, ("origin", "http://site.example")]));
        assert!(!same(&[host, ("origin", "https://other.example")]));
        assert!(!same(&[host, ("origin", "https://site.example.evil.example")]));
        assert!(!same(&[host, ("origin", "null")]));
        assert!(!same(&[("origin", "https://site.example")]));
    }

    #[test]
    fn sec_fetch_site_overrides_origin() {
        let own = [("host", "site.example"), ("origin", "https://site.example")];
        for site in ["cross-site", "same-site", "none", ""] {
            assert!(!same(&[own[0], own[1], ("sec-fetch-site", site)]), "{site:?}");
        }
    }
}

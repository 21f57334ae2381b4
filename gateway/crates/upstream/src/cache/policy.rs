//! Which responses are stored, and how long they are used (RFC 9111, sections 3 and 4.2; RFC 5861).
//!
//! `http-cache-semantics` decides which statuses and directives allow to store a response, and
//! which of `s-maxage`, `max-age` and `Expires` applies. This module adds what the library leaves
//! out: `Vary`, credentials, `Set-Cookie` and RFC 5861.

use std::time::{Duration, SystemTime};

use http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, CONTENT_ENCODING, COOKIE, DATE, ETAG, EXPIRES, IF_MATCH,
    IF_RANGE, IF_UNMODIFIED_SINCE, LAST_MODIFIED, RANGE, SET_COOKIE, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, request, response};
use http_cache_semantics::{CacheOptions, CachePolicy};
use httpdate::HttpDate;

use crate::cache::directives::Directives;
use crate::cache::fetch::NotStorable;

/// The maximum number of request headers that a response may depend on.
const MAX_VARY: usize = 16;

/// How long a response may be used. All durations count from its generation, so its age counts
/// against them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Policy {
    /// How long it is fresh.
    pub(super) lifetime: Duration,
    /// How long after that it may be used while it is revalidated (RFC 5861, section 3).
    pub(super) stale_while_revalidate: Duration,
    /// How long after its lifetime it may be used in place of an error (RFC 5861, section 4).
    pub(super) stale_if_error: Duration,
    /// Whether requests with credentials may get it.
    pub(super) is_public: bool,
}

impl Policy {
    /// The policy of a response that must not be stored.
    pub(super) const UNUSABLE: Self = Self {
        lifetime: Duration::ZERO,
        stale_while_revalidate: Duration::ZERO,
        stale_if_error: Duration::ZERO,
        is_public: false,
    };

    /// The policy of a response; `None` if it must not be stored, or if storing it is of no use.
    pub(super) fn new(request: &request::Parts, response: &response::Parts) -> Option<Self> {
        let headers = &response.headers;
        // Most responses that are not stored say just that.
        if headers
            .get(CACHE_CONTROL)
            .is_some_and(|field| field == "no-store")
        {
            return None;
        }
        let directives = Directives::parse(headers)?;
        let is_public = directives.contains("public");
        if request.method != Method::GET
            || headers.contains_key(SET_COOKIE)
            || response.extensions.get::<NotStorable>().is_some()
            // So does the library, which takes much longer.
            || directives.contains("no-store")
            || (has_credentials(&request.headers) && !is_public)
            || selecting_headers(&request.headers, headers).is_none()
        {
            return None;
        }
        let lifetime = lifetime(response, &directives)?;
        let must_revalidate = ["no-cache", "must-revalidate", "proxy-revalidate"];
        let may_be_stale = !must_revalidate.into_iter().any(|name| directives.contains(name));
        let window = |name| {
            let window = directives.seconds(name).filter(|_| may_be_stale);
            window.unwrap_or_default()
        };
        let policy = Self {
            lifetime,
            stale_while_revalidate: window("stale-while-revalidate"),
            stale_if_error: window("stale-if-error"),
            is_public,
        };
        let can_be_validated = headers.contains_key(ETAG) || headers.contains_key(LAST_MODIFIED);
        (policy.is_ever_usable() || can_be_validated).then_some(policy)
    }

    /// Whether it can be used without being validated.
    fn is_ever_usable(&self) -> bool {
        self.lifetime + self.stale_while_revalidate + self.stale_if_error > Duration::ZERO
    }
}

/// How long the library says that a response is fresh; `None` if it must not be stored. A response
/// that does not say how long it is fresh is not: the gateway does not guess.
fn lifetime(response: &response::Parts, directives: &Directives) -> Option<Duration> {
    let mut known = http::Response::new(());
    *known.status_mut() = response.status;
    let headers = known.headers_mut();
    // For the library `proxy-revalidate` means stale. It forbids to use a stale response, which
    // `Policy` ensures.
    let cache_control = directives
        .canonical()
        .replace("proxy-revalidate", "must-revalidate");
    if response.headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::try_from(cache_control).ok()?);
    }
    // The library reads one of the three formats of dates.
    for name in [DATE, EXPIRES] {
        if let Some(value) = response.headers.get(&name) {
            let date = value.to_str().ok().and_then(|text| text.parse::<HttpDate>().ok());
            let value = date.and_then(|date| HeaderValue::try_from(date.to_string()).ok());
            headers.insert(name, value.unwrap_or(HeaderValue::from_static("0")));
        }
    }
    let options = CacheOptions {
        shared: true,
        cache_heuristic: 0.0,
        immutable_min_time_to_live: Duration::ZERO,
        ignore_cargo_cult: false,
    };
    let now = SystemTime::from(colonnade_clock::now());
    let policy = CachePolicy::new_options(&http::Request::new(()), &known, now, options);
    policy.is_storable().then(|| policy.time_to_live(now))
}

/// Whether a request must bypass the cache. A cache evaluates none of these headers but `Range`,
/// and this one stores no parts.
pub(super) fn is_bypassed(request: &HeaderMap) -> bool {
    [RANGE, IF_RANGE, IF_MATCH, IF_UNMODIFIED_SINCE]
        .iter()
        .any(|name| request.contains_key(name))
}

/// Whether a request has credentials.
pub(super) fn has_credentials(request: &HeaderMap) -> bool {
    request.contains_key(COOKIE) || request.contains_key(AUTHORIZATION)
}

/// A request header that a response depends on, and its value in the request (RFC 9111, section
/// 4.1).
pub(super) type SelectingHeader = (HeaderName, Option<Vec<u8>>);

/// The request headers that a response depends on. `None` if it depends on anything, on too many
/// headers or on credentials that the request has: it is for this visitor only.
pub(super) fn selecting_headers(request: &HeaderMap, response: &HeaderMap) -> Option<Vec<SelectingHeader>> {
    let mut selecting: Vec<SelectingHeader> = Vec::new();
    if response.contains_key(CONTENT_ENCODING) {
        // Also if the upstream forgets to say so: a query of a page, and some clients, accept no
        // coding.
        selecting.push((ACCEPT_ENCODING, combined_value(request, &ACCEPT_ENCODING)));
    }
    for field in response.get_all(VARY) {
        for name in field.to_str().ok()?.split(',').map(str::trim) {
            if name.is_empty() {
                continue;
            }
            if name == "*" {
                return None;
            }
            let name: HeaderName = name.parse().ok()?;
            if [COOKIE, AUTHORIZATION].contains(&name) && request.contains_key(&name) {
                return None;
            }
            if !selecting.iter().any(|(known, _)| *known == name) {
                let value = combined_value(request, &name);
                selecting.push((name, value));
            }
        }
    }
    (selecting.len() <= MAX_VARY).then_some(selecting)
}

/// The value of a header whose lines are joined, without the whitespace around them; `None` if it
/// is absent.
pub(super) fn combined_value(headers: &HeaderMap, name: &HeaderName) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = headers
        .get_all(name)
        .iter()
        .map(|line| line.as_bytes().trim_ascii())
        .collect();
    (!lines.is_empty()).then(|| lines.join(&b", "[..]))
}

/// Whether a header has this combined value.
pub(super) fn has_combined_value(headers: &HeaderMap, name: &HeaderName, value: Option<&[u8]>) -> bool {
    let mut lines = headers.get_all(name).iter();
    match (lines.next(), lines.next()) {
        (Some(only), None) => value == Some(only.as_bytes().trim_ascii()),
        (None, _) => value.is_none(),
        (Some(_), Some(_)) => combined_value(headers, name).as_deref() == value,
    }
}

/// Whether a status says that the upstream fails, so that a stale response may take the place of
/// the answer (RFC 5861, section 4).
pub(super) fn is_failure(status: StatusCode) -> bool {
    matches!(status.as_u16(), 500 | 502 | 503 | 504)
}
